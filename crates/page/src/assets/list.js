// A list of very many rows, of which only those in sight are in the document.

export class VirtualList {
	// `render(i)` gives the element of row `i`, or null if it isn't shown. With `fixed`, every row
	// has that height.
	constructor(scroller, { count, render, fixed = 0, estimate = 60, role, name, wanted, changed }) {
		Object.assign(this, { scroller, count, render, fixed, estimate, role, name, wanted, changed });
		this.space = document.createElement('div');
		this.space.className = 'v-space';
		this.body = document.createElement('div');
		this.body.className = 'v-body';
		this.space.append(this.body);
		scroller.append(this.space);
		this.nodes = new Map();
		this.heights = new Float64Array(0);
		this.tree = new Float64Array(1);
		this.stick = false;
		this.frame = 0;
		this.onscroll = () => this.schedule();
		scroller.addEventListener('scroll', this.onscroll, { passive: true });
		this.watch = new ResizeObserver(() => this.schedule());
		this.watch.observe(scroller);
		this.resize();
	}

	destroy() {
		this.watch.disconnect();
		this.scroller.removeEventListener('scroll', this.onscroll);
		cancelAnimationFrame(this.frame);
		this.space.remove();
	}

	schedule() {
		this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.update(); });
	}

	resize() {
		const count = this.count();
		if (this.fixed || count === this.heights.length) return;
		const heights = new Float64Array(count).fill(this.estimate);
		heights.set(this.heights.subarray(0, Math.min(count, this.heights.length)));
		this.heights = heights;
		const tree = new Float64Array(count + 1);
		for (let i = 1; i <= count; i += 1) {
			tree[i] += heights[i - 1];
			const parent = i + (i & -i);
			if (parent <= count) tree[parent] += tree[i];
		}
		this.tree = tree;
	}

	setHeight(i, height) {
		const change = height - this.heights[i];
		if (Math.abs(change) < 0.25) return false;
		this.heights[i] = height;
		for (let at = i + 1; at < this.tree.length; at += at & -at) this.tree[at] += change;
		return true;
	}

	top(i) {
		if (this.fixed) return i * this.fixed;
		let sum = 0;
		for (let at = Math.min(i, this.tree.length - 1); at > 0; at -= at & -at) sum += this.tree[at];
		return sum;
	}

	total() { return this.top(this.count()); }

	find(y) {
		const count = this.count();
		if (this.fixed) return Math.max(0, Math.min(count - 1, Math.floor(y / this.fixed)));
		let at = 0;
		let rest = Math.max(0, y);
		for (let bit = 1 << Math.floor(Math.log2(Math.max(1, count))); bit; bit >>= 1) {
			if (at + bit <= count && this.tree[at + bit] <= rest) {
				at += bit;
				rest -= this.tree[at];
			}
		}
		return Math.max(0, Math.min(count - 1, at));
	}

	// Renders rows again: one, or all that are in sight.
	refresh(i) {
		if (i === undefined) {
			for (const node of this.nodes.values()) node?.remove();
			this.nodes.clear();
		} else {
			this.nodes.get(i)?.remove();
			this.nodes.delete(i);
		}
		this.schedule();
	}

	// Forgets all rows and how high they are.
	reset() {
		this.heights = new Float64Array(0);
		this.refresh();
	}

	refreshWaiting() {
		for (const [i, node] of this.nodes) if (node?.classList.contains('wait')) this.refresh(i);
		this.schedule();
	}

	update() {
		this.resize();
		const count = this.count();
		const { scroller } = this;
		// A list of nothing is no list to a screen reader.
		for (const [name, value] of [['role', this.role], ['aria-label', this.name]]) {
			if (count && value) this.body.setAttribute(name, value);
			else this.body.removeAttribute(name);
		}
		if (!count || !scroller.clientHeight) {
			this.refreshNodes(0, -1);
			this.space.style.setProperty('height', '0px');
			return;
		}
		const offset = this.space.offsetTop - scroller.offsetTop;
		const view = scroller.clientHeight;
		const margin = this.fixed ? 300 : view * 0.75;
		let y = scroller.scrollTop - offset;
		if (this.stick) y = this.total() - view;
		for (let pass = 0; pass < 5; pass += 1) {
			const anchor = this.goal ?? this.find(y);
			const delta = this.goal === undefined ? y - this.top(anchor) : -view * 0.2;
			const first = this.find(this.top(anchor) + delta - margin);
			const last = this.find(this.top(anchor) + delta + view + margin);
			this.fill(first, last);
			const changed = !this.fixed && this.measure(first, last);
			y = this.stick ? this.total() - view : this.top(anchor) + delta;
			if (!changed) break;
		}
		this.space.style.setProperty('height', `${this.total()}px`);
		if (Math.abs(scroller.scrollTop - offset - y) > 1 && (this.stick || this.goal !== undefined || !this.fixed)) {
			scroller.scrollTop = y + offset + (this.stick ? scroller.scrollHeight : 0);
		}
		if (this.goal !== undefined) {
			const landed = this.wanted ? this.nodes.has(this.goal) && !this.nodes.get(this.goal)?.dataset.waiting : true;
			if (landed) this.goal = undefined;
		}
		this.changed?.(this.find(y), this.find(y + view));
	}

	refreshNodes(first, last) {
		for (const [i, node] of this.nodes) {
			if (i < first || i > last) {
				node?.remove();
				this.nodes.delete(i);
			}
		}
	}

	fill(first, last) {
		this.wanted?.(first, last + 1);
		this.refreshNodes(first, last);
		let before = null;
		for (let i = last; i >= first; i -= 1) {
			let node = this.nodes.get(i);
			if (node === undefined) {
				node = this.render(i);
				this.nodes.set(i, node);
				if (node) this.body.insertBefore(node, before);
			}
			if (node) before = node;
		}
		this.body.style.setProperty('transform', `translateY(${this.top(first)}px)`);
	}

	measure(first, last) {
		let changed = false;
		for (let i = first; i <= last; i += 1) {
			const node = this.nodes.get(i);
			const height = node ? node.getBoundingClientRect().height : 0;
			if (this.setHeight(i, height)) changed = true;
		}
		return changed;
	}

	// Brings a row into sight, a little below the top.
	show(i) {
		this.stick = false;
		if (this.fixed) {
			this.space.style.setProperty('height', `${this.total()}px`);
			this.scroller.scrollTop = Math.max(0, i * this.fixed - this.scroller.clientHeight * 0.3);
		} else this.goal = i;
		this.schedule();
	}

	isAtEnd() {
		const { scrollTop, clientHeight, scrollHeight } = this.scroller;
		return scrollHeight - scrollTop - clientHeight < 40;
	}
}
