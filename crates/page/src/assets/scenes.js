// The events as a book tells them: places play at the same time, so of what was over when the page
// was opened one place follows the other, until something happens at no place, such as the next
// part of the day. What is told while one watches stays as it came.

import { events, state } from './data.js';

// Turns of more events are left as they are: nothing of them could be shown before all was read.
const LONGEST = 2000;

export class Scenes {
	constructor() {
		this.turns = [];
		this.orders = new Map();
	}

	get count() { return events.count; }

	setTurns(turns) {
		// A seat has one place at a time, in the order of its days.
		this.turns = [];
		for (const turn of state.isHost ? turns : []) {
			const last = this.turns.at(-1);
			if (turn.to - turn.from > LONGEST) continue;
			if (turn.goes_on && last?.to === turn.from && turn.to - last.from <= LONGEST) last.to = turn.to;
			else this.turns.push({ from: turn.from, to: turn.to });
		}
		this.orders.clear();
	}

	turnAt(i) {
		let [low, high] = [0, this.turns.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.turns[middle].from <= i) low = middle + 1;
			else high = middle;
		}
		const turn = this.turns[low - 1];
		return turn && i < turn.to ? turn : undefined;
	}

	// The numbers of a turn's events in order; undefined until all of them were read. What happens
	// at no place is for all of them.
	orderOf(turn) {
		if (this.orders.has(turn)) return this.orders.get(turn);
		const order = [];
		let places = new Map();
		const close = () => {
			for (const numbers of places.values()) order.push(...numbers);
			places = new Map();
		};
		for (let n = turn.from; n < turn.to; n += 1) {
			const event = events.at(n);
			if (!event) return undefined;
			if (event.place == null && event.form !== 'note') {
				close();
				order.push(n);
			} else if (places.has(event.place)) places.get(event.place).push(n);
			else places.set(event.place, [n]);
		}
		close();
		this.orders.set(turn, order);
		return order;
	}

	at(i) {
		const turn = this.turnAt(i);
		return events.at(turn ? this.orderOf(turn)?.[i - turn.from] : i);
	}

	// Where an event is, or about where until its turn was read.
	indexOf(n) {
		const turn = this.turnAt(n);
		const at = turn && this.orderOf(turn)?.indexOf(n);
		return at == null ? n : turn.from + at;
	}

	isRead(n) {
		const turn = this.turnAt(n);
		return !turn || Boolean(this.orderOf(turn));
	}

	want(from, to) {
		events.want(this.turnAt(Math.max(0, from))?.from ?? from, this.turnAt(to - 1)?.to ?? to);
	}
}
