// Every call as a bar, by entity or place and time; and the same as a list.

import { button, cell, duration, h, isCalm, t, money, number, replace, short, word, viewHead, markButton, nth } from './dom.js';
import { go, route } from './route.js';
import { calls, entityOf, on, segmentsOf, state, storyTime } from './data.js';
import { VirtualList } from './list.js';
import { nameLink } from './names.js';

const ROW = 22;
const AXIS = 22;
const MONEY = 30;
const WINDOW = 4000;

// The time that a call took; 0 if nobody measured it.
const lengthOf = (call) => Math.max(0, (call.end ?? storyTime()) - call.start);

export class Timeline {
	// `note` says that times are from the journal, where some are.
	constructor(pane, { compact = false, note = h('span') } = {}) {
		this.compact = compact;
		this.note = note;
		this.names = h('ul.tl-names.plain');
		this.canvas = h('canvas.tl-canvas', { tabindex: 0, role: 'img', 'aria-label': t('timeline_is') });
		this.rows = h('div.tl-rows', this.names, h('div.tl-field', this.canvas));
		const zoom = (by) => () => this.zoom(by, 0.5);
		this.tools = h('div.tl-tools', this.range = h('span.num.muted'),
			markButton('−', t('zoom_out'), zoom(1.6)), markButton('+', t('zoom_in'), zoom(1 / 1.6)),
			button(t('fit'), () => this.fit()),
			this.earlier = markButton('‹', t('earlier'), () => this.shift(-1), { hidden: true }),
			this.later = markButton('›', t('later'), () => this.shift(1), { hidden: true }));
		pane.append(this.tools, this.rows);
		this.key = 'who';
		const turned = button(t('by_place'), () => {
			this.key = this.key === 'who' ? 'place' : 'who';
			turned.textContent = t(this.key === 'who' ? 'by_place' : 'by_person');
			this.load();
			this.draw();
		});
		this.tools.prepend(turned);
		this.last = null;
		this.span = null;
		this.isFitted = true;
		this.load();
		this.listen();
		this.off = on('calls entities', () => { this.isStale = true; this.draw(); });
		this.watch = new ResizeObserver(() => this.draw());
		this.watch.observe(this.canvas.parentElement);
		this.scheme = matchMedia('(prefers-color-scheme: dark)');
		this.onscheme = () => this.draw();
		this.scheme.addEventListener('change', this.onscheme);
		this.timer = setInterval(() => { if (state.run.thinking.length && !document.hidden && !isCalm()) this.draw(); }, 500);
	}

	destroy() {
		this.off();
		this.watch.disconnect();
		this.scheme.removeEventListener('change', this.onscheme);
		clearInterval(this.timer);
	}

	// The calls that are looked at: a window of all of them.
	load() {
		this.isStale = false;
		const to = this.last ?? calls.total;
		const from = Math.max(0, to - WINDOW);
		calls.want(from, to);
		this.shown = [];
		for (let c = from; c < to; c += 1) {
			const call = calls.at(c);
			if (call) this.shown.push(call);
		}
		this.spread();
		this.earlier.hidden = from === 0;
		this.later.hidden = to >= calls.total;
		// Calls of one place at the same time are below each other.
		const lanes = new Map();
		const laneOf = new Map();
		for (const call of this.shown) {
			const key = call[this.key];
			const ends = lanes.get(key) || [];
			let lane = this.key === 'who' ? 0 : ends.findIndex((end) => end <= this.startOf(call));
			if (lane < 0) lane = ends.length;
			ends[lane] = this.isByTurn ? this.endOf(call) : call.end ?? Infinity;
			lanes.set(key, ends);
			laneOf.set(call, lane);
		}
		this.names.textContent = '';
		const top = new Map();
		this.size = 0;
		for (const [key, ends] of lanes) {
			top.set(key, this.size);
			this.size += ends.length;
			this.names.append(...ends.map((_, lane) => h('li', lane ? null : nameLink(key))));
		}
		this.rowOf = (call) => top.get(call[this.key]) + laneOf.get(call);
		const start = Math.min(...this.shown.map(this.startOf));
		const end = Math.max(...this.shown.map(this.endOf));
		this.all = this.shown.length ? [start, Math.max(end, start + (this.isByTurn ? 1 : 10))] : [0, 1000];
		this.note.hidden = this.shown.every((call) => call.segments);
		if (this.isFitted) this.span = this.compact && !this.isByTurn && this.shown.at(-1)?.segments ? [Math.max(start, end - 60000), this.all[1]] : [...this.all];
	}

	// Where calls begin and end: in time, or one after the other in their turns if none was measured.
	spread() {
		this.isByTurn = this.shown.every((call) => call.end != null && !lengthOf(call));
		const turns = Map.groupBy(this.shown, (call) => call.turn);
		const share = (call) => 1 / turns.get(call.turn).length;
		const before = new Map([...turns.values()].flatMap((list) => list.map((call, i) => [call, i])));
		this.startOf = (call) => (this.isByTurn ? call.turn + before.get(call) * share(call) : call.start);
		this.endOf = (call) => (this.isByTurn ? this.startOf(call) + share(call) : call.end ?? storyTime());
	}

	shift(by) {
		const to = (this.last ?? calls.total) + by * WINDOW;
		this.last = to >= calls.total ? null : Math.max(WINDOW, to);
		this.isFitted = true;
		this.load();
		this.draw();
	}

	fit() {
		this.isFitted = true;
		this.span = [...this.all];
		this.draw();
	}

	zoom(by, share) {
		const [from, to] = this.span;
		const at = from + (to - from) * share;
		const width = Math.max(this.isByTurn ? 0.2 : 5, Math.min((to - from) * by, (this.all[1] - this.all[0]) * 1.2));
		this.span = [at - width * share, at + width * (1 - share)];
		this.isFitted = false;
		this.draw();
	}

	pan(by) {
		const width = this.span[1] - this.span[0];
		const from = Math.max(this.all[0] - width * 0.2, Math.min(this.all[1] - width * 0.8, this.span[0] + by));
		this.span = [from, from + width];
		this.isFitted = false;
		this.draw();
	}

	draw() {
		this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.paint(); });
	}

	paint() {
		const { canvas } = this;
		if (this.isStale) this.load();
		const width = canvas.parentElement.clientWidth;
		const height = AXIS + this.size * ROW + MONEY;
		if (!width) return;
		const ratio = devicePixelRatio || 1;
		canvas.width = width * ratio;
		canvas.height = height * ratio;
		canvas.style.setProperty('width', `${width}px`);
		canvas.style.setProperty('height', `${height}px`);
		const g = canvas.getContext('2d');
		g.scale(ratio, ratio);
		const styles = getComputedStyle(canvas);
		const color = (name) => styles.getPropertyValue(`--c-${name}`).trim() || styles.color;
		const [ink, muted, line, accent, good, warn, bad] = ['ink', 'muted', 'line', 'accent', 'good', 'warn', 'bad'].map(color);
		const shades = { waiting: accent, writing: accent, tools: good, repair: warn, review: muted };
		const [from, to] = this.span;
		const box = (color, ...at) => { g.fillStyle = color; g.fillRect(...at); };
		const x = (time) => ((time - from) / (to - from)) * width;
		g.font = `11px ${styles.fontFamily}`;
		// Times, at round distances.
		const step = niceStep((to - from) / Math.max(2, width / 90));
		const zero = this.isByTurn ? 0 : this.all[0];
		for (let time = zero + Math.ceil((from - zero) / step) * step; time < to; time += step) {
			const at = Math.round(x(time));
			box(line, at, AXIS - 5, 1, height);
			g.fillStyle = muted;
			g.fillText(this.isByTurn ? nth('turn', time) : duration(Math.max(0, time - zero)), at + 3, 13);
		}
		for (let i = 0; i <= this.size; i += 1) box(line, 0, AXIS + i * ROW, width, 1);
		const buckets = new Float64Array(Math.max(1, Math.ceil(width / 4)));
		const hasCost = this.shown.some((call) => call.cost);
		this.boxes = [];
		for (const call of this.shown) {
			const [start, end] = [this.startOf(call), this.endOf(call)];
			if (end < from || start > to) continue;
			const y = AXIS + this.rowOf(call) * ROW + 5;
			const left = x(start);
			const right = Math.max(left + 1.5, x(end) - (this.isByTurn ? 1 : 0));
			for (const [kind, from, to] of this.isByTurn ? [['writing', start, end]] : segmentsOf(call)) {
				g.globalAlpha = kind === 'waiting' ? 0.45 : 1;
				box(shades[kind], x(from), y, Math.max(1.5, Math.min(x(to), right) - x(from)), 12);
			}
			g.globalAlpha = 1;
			if (call.refused || call.answered_by === 'fallback') box(call.answered_by === 'fallback' ? bad : warn, left, y + 10, right - left, 3);
			if (call.call === this.chosen) {
				g.strokeStyle = ink;
				g.lineWidth = 2;
				g.strokeRect(left - 1.5, y - 2.5, right - left + 3, 17);
				g.lineWidth = 1;
			}
			this.boxes.push([left, right, y, call]);
			const bucket = Math.floor(right / 4);
			if (bucket >= 0 && bucket < buckets.length) buckets[bucket] += hasCost ? call.cost || 0 : (call.usage?.prompt || 0) + (call.usage?.completion || 0);
		}
		const most = Math.max(...buckets) || 1;
		const base = height - 1;
		g.fillStyle = muted;
		buckets.forEach((value, i) => { if (value) box(muted, i * 4, base - (value / most) * (MONEY - 8), 3, (value / most) * (MONEY - 8)); });
		g.fillText(hasCost ? `${t('cost')} ≤ ${money(most)}` : `${t('tokens')} ≤ ${short(most)}`, 3, height - MONEY + 11);
		this.range.textContent = `${number(this.boxes.length)} / ${number(calls.total)} ${this.isByTurn ? '' : ` · ${duration(to - from)}`}`;
		this.drag && this.drawDrag(g, height, accent);
	}

	drawDrag(g, height, color) {
		if (!this.drag.isSpan) return;
		g.globalAlpha = 0.2;
		g.fillStyle = color;
		g.fillRect(Math.min(this.drag.from, this.drag.to), 0, Math.abs(this.drag.to - this.drag.from), height);
		g.globalAlpha = 1;
	}

	at(event) {
		const box = this.canvas.getBoundingClientRect();
		const [px, py] = [event.clientX - box.left, event.clientY - box.top];
		let best = null;
		let near = 6;
		for (const [left, right, y, call] of this.boxes || []) {
			if (py < y - 5 || py > y + ROW - 5) continue;
			const away = px < left ? left - px : px > right ? px - right : 0;
			if (away < near) [best, near] = [call, away];
		}
		return { px, py, call: best };
	}

	choose(call) {
		this.chosen = call.call;
		go({ see: `call/${call.call}` });
		this.draw();
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			const box = canvas.getBoundingClientRect();
			if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(((event.deltaX || event.deltaY) / box.width) * (this.span[1] - this.span[0]));
			else this.zoom(Math.exp(event.deltaY * 0.002), (event.clientX - box.left) / box.width);
		}, { passive: false });
		const pointers = new Map();
		canvas.addEventListener('pointerdown', (event) => {
			canvas.setPointerCapture(event.pointerId);
			const { px, py, call } = this.at(event);
			pointers.set(event.pointerId, px);
			this.drag = { from: px, to: px, call, isSpan: py < AXIS || event.shiftKey, moved: 0 };
		});
		canvas.addEventListener('pointermove', (event) => {
			const { px, call } = this.at(event);
			if (!pointers.has(event.pointerId)) return this.showTip(call);
			const before = pointers.get(event.pointerId);
			const other = [...pointers].find(([id]) => id !== event.pointerId);
			pointers.set(event.pointerId, px);
			if (other) {
				const width = canvas.clientWidth;
				const [was, is] = [Math.abs(before - other[1]), Math.abs(px - other[1])];
				if (was > 10 && is > 10) this.zoom(was / is, (px + other[1]) / 2 / width);
				this.drag = null;
			} else if (this.drag) {
				this.drag.moved += Math.abs(px - before);
				this.drag.to = px;
				if (this.drag.isSpan) this.draw();
				else this.pan(((before - px) / canvas.clientWidth) * (this.span[1] - this.span[0]));
			}
		});
		const up = (event) => {
			pointers.delete(event.pointerId);
			const { drag } = this;
			this.drag = null;
			if (!drag) return;
			if (drag.moved < 4 && drag.call) this.choose(drag.call);
			else if (drag.isSpan && drag.moved > 8) {
				const [from, to] = this.span;
				const time = (px) => from + (px / canvas.clientWidth) * (to - from);
				this.span = [time(Math.min(drag.from, drag.to)), time(Math.max(drag.from, drag.to))];
				this.isFitted = false;
				this.draw();
			}
		};
		canvas.addEventListener('pointerup', up);
		canvas.addEventListener('pointercancel', up);
		canvas.addEventListener('dblclick', () => this.fit());
		canvas.addEventListener('keydown', (event) => {
			const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
			if (step) {
				const i = this.shown.findIndex((call) => call.call === this.chosen);
				const next = this.shown[i < 0 ? this.shown.length - 1 : i + step];
				if (next) this.choose(next);
			} else if (event.key === '+' || event.key === '=') this.zoom(1 / 1.6, 0.5);
			else if (event.key === '-') this.zoom(1.6, 0.5);
			else if (event.key === '0') this.fit();
			else return;
			event.preventDefault();
			event.stopPropagation();
		});
	}

	showTip(call) {
		this.canvas.classList.toggle('is-over', Boolean(call));
		this.canvas.title = call ? [entityOf(call.who)?.name, word('purpose', call.purpose), duration(lengthOf(call)), nth('turn', call.turn),
			call.cost && money(call.cost), (call.text || '').slice(0, 90)].filter(Boolean).join(' · ') : '';
	}
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400].map((seconds) => seconds * 1000)];
const niceStep = (rough) => STEPS.find((step) => step >= rough) || rough;

export function showCalls(pane) {
	const field = h('div.timeline');
	const scroller = h('div.call-list', { role: 'table', 'aria-label': t('calls'), tabindex: 0 });
	const columns = ['number', 'who', 'purpose', 'turn', 'time', 'prompt_tokens', 'answer_tokens', 'cost', 'state'];
	scroller.append(h('div.call-row.head', { role: 'row' }, columns.map((key) => cell(`k-${key}`, t(key), { role: 'columnheader' }))));
	const note = h('span.small', t('recorded_clock'));
	const key = ['waiting', 'writing', 'tools', 'repair', 'review', 'by_fallback'];
	replace(pane, viewHead('calls', h('ul.legend', key.map((name) => h('li', h('span', { class: `key k-${name}` }), t(name)))), note), field, scroller);
	const timeline = new Timeline(field, { note });
	const chosen = /^call\/(\d+)/.exec(route.see || '');
	if (chosen) timeline.chosen = Number(chosen[1]);
	const list = new VirtualList(scroller, {
		count: () => calls.total, fixed: 26, role: 'rowgroup', wanted: (from, to) => calls.want(from, to),
		render: (i) => {
			const call = calls.at(i);
			if (!call) return h('div.call-row.wait', { role: 'row' }, cell('k-number', number(i)));
			const made = call.state === 'done' ? ({ repaired: t('repaired'), fallback: t('by_fallback') }[call.answered_by] || '') : word('state', call.state);
			return h('div.call-row', { role: 'row', onclick: () => timeline.choose(call) },
				cell('k-number', h('a.num', { href: `?see=call/${call.call}`, 'data-plain': true, onclick: (event) => { event.preventDefault(); event.stopPropagation(); timeline.choose(call); } }, number(call.call))),
				cell('k-who', nameLink(call.who)), cell('k-purpose', word('purpose', call.purpose)),
				cell('num k-turn', number(call.turn)), cell('num k-time', duration(lengthOf(call))),
				cell('num k-prompt_tokens', number(call.usage?.prompt || 0)), cell('num k-answer_tokens', number(call.usage?.completion || 0)),
				cell('num k-cost', money(call.cost)),
				cell(`k-state ${call.answered_by || ''}`, made));
		},
	});
	list.show(Math.max(0, (timeline.chosen ?? calls.total) - 1));
	const off = on('calls', ({ added }) => { if (added) for (const call of added) list.refresh(call.call); list.refreshWaiting(); });
	return () => { off(); list.destroy(); timeline.destroy(); };
}
