// The story as a book.

import { announce, button, clockTime, duration, emptyState, h, isChinese, options, t, rich, number, remember, replace, word, tableHead, nth } from './dom.js';
import { NO_FILTER, filtersOf, go } from './route.js';
import { bookPath, calls, can, deltas, entityOf, events, get, isReport, ofKind, on, SomeEvents, state, storyTime } from './data.js';
import { VirtualList } from './list.js';
import { Scenes } from './scenes.js';
import { bar, eventLink, linked, nameLink, seeLink } from './names.js';
import { openDialog } from './steer.js';
import { waitedFor } from './seat.js';

export const reading = Object.assign({ thoughts: true, notes: true, own: false, figures: false, pace: 0 }, remember('reading'));

const HIDDEN_BY_CHOICE = { thought: 'thoughts', note: 'notes', own: 'own' };

export function isShown(event) {
	if (event.repeat) return false;
	const setting = HIDDEN_BY_CHOICE[event.form];
	return !setting || reading[setting];
}

function said(event, style, how, words) {
	return h(`p.${style}`, event.speaker == null ? null : [h('b.speaker', nameLink(event.speaker)), ' '], how && h('span.to', t(how)), ' ',
		event.addressee == null || (how && !words) ? null : [h('span.to', rich('to', { name: nameLink(event.addressee, { inText: true }) })), ' '],
		h(words ? `span.${words}` : 'span', linked(event.said ?? event.text)));
}

function paragraphs(text, className) {
	// Marks of headings and lists are for models.
	const lines = text.split(/\n+/).map((line) => line.replace(/^\s*(#+|-) /, '').trim());
	return lines.filter(Boolean).map((line) => h('p', { class: className }, linked(line)));
}

const aside = (event) => h('p.aside', linked(event.text));
const FORMS = {
	speech: (event) => said(event, 'speech'), whisper: (event) => said(event, 'speech', 'whispers', 'whispered'),
	call: (event) => said(event, 'speech', 'announces'), thought: (event) => said(event, 'thought', 'thinks'),
	narration: (event) => paragraphs(event.said ?? event.text, 'narration'),
	look: aside, move: aside,
	deed: (event) => h('p.deed', linked(event.text)),
	choice: (event) => h('div.choice', h('span.mark', t('choice')), paragraphs(event.text)),
	day: (event) => [h('h2.day', event.title ?? event.text), event.board?.order && h('p.aside', linked(event.board.order.join(' → ')))],
	round: (event) => h('h3.round', event.title ?? event.text),
	place: (event) => [h('h3.reached', event.title ?? event.text), event.title && aside(event)],
	note: (event) => paragraphs(event.text, 'note'),
	own: (event) => h('p.note.own', h('span.kind', event.kind), ' ', linked(event.text)),
	ending: (event) => h('div.ending', event.title && h('h2', event.title), paragraphs(event.title ? event.text.replace(/^# .*/, '') : event.text)),
};

export function setEvent(event) {
	return (FORMS[event.form] || FORMS.deed)(event);
}

// Where the fight of an event begins, as far as it was read.
function fightStart(source, i) {
	const event = source.at(i);
	let start = i;
	for (let at = i; at >= Math.max(0, i - 800); at -= 1) {
		const other = source.at(at);
		if (!other) break;
		if (other.form !== 'contest' || other.place !== event.place) continue;
		if (at < i && other.board?.part === 'end') break;
		start = at;
		if (other.board?.part === 'start') break;
	}
	return start;
}

function fightOf(source, start, count) {
	const place = source.at(start).place;
	const fight = { place, round: 0, standing: [], cards: [], heroes: [], foes: [] };
	for (let i = start; i < Math.min(count, start + 800); i += 1) {
		const event = source.at(i);
		if (!event) break;
		if (event.form !== 'contest' || event.place !== place) continue;
		const { part, ...data } = event.board || {};
		if (part === 'start') {
			if (i > start) break;
			Object.assign(fight, { heroes: data.heroes || [], foes: data.foes || [] });
		} else if (part === 'round') {
			Object.assign(fight, { round: data.round, standing: data.standing || [] });
			fight.cards.push({ round: data.round });
		} else if (part === 'end') {
			fight.end = event;
			break;
		} else if (part) fight.cards.push({ event, targets: data.targets || [] });
	}
	// What cards did since the round began.
	fight.now = fight.standing.map((fighter) => ({ ...fighter }));
	for (const card of fight.cards.slice(fight.cards.findLastIndex((card) => card.round) + 1)) {
		for (const target of card.targets) {
			const fighter = fight.now.find((fighter) => fighter.name === target.name);
			if (fighter && target.fell) fighter.hp = 0;
		}
	}
	return fight;
}

// The tabulator stops at the links of one event alone.
function reach(article, is) {
	for (const one of article?.querySelectorAll('a, summary') || []) one.tabIndex = is ? 0 : -1;
}

// Where the program answered instead of a mind.
const setDefaults = (event) => (event.defaults || []).map((note) => h('p.note.guard', note));

let areMovesOpen = false;

function setFight(source, start, count) {
	const fight = fightOf(source, start, count);
	const hasFallen = fight.now.some(({ name, hp }) => hp <= 0 && name === entityOf(state.seat)?.name);
	const nameOf = (name) => (state.byName.has(name) ? nameLink(state.byName.get(name)) : name);
	const fighters = fight.now.map((fighter) => h('tr', { class: fighter.hp > 0 && !fighter.left ? '' : 'is-out' },
		h('th', { scope: 'row' }, nameOf(fighter.name)),
		h('td', bar(fighter.hp, fighter.max, fighter.faction === 'hero' ? 'good' : 'bad')),
		h('td.num', `${number(fighter.hp)} / ${number(fighter.max)}`),
		h('td.state', [fighter.left && word('left', fighter.left),
			...(fighter.effects || []).map((effect) => (typeof effect === 'string' ? effect : effect.name || effect.effect || ''))]
			.filter(Boolean).join(', '))));
	const cards = fight.cards.map((card) => (card.event
		? h('li', linked(card.event.text), ' ', eventLink(card.event.number), setDefaults(card.event))
		: h('li.round', t('round', { n: card.round }))));
	const title = [t('fight'), fight.round ? t('round', { n: fight.round }) : null].filter(Boolean).join(' · ');
	const moves = h('details', { open: areMovesOpen, ontoggle: (event) => { areMovesOpen = event.target.open; } }, h('summary', t('moves', { count: fight.cards.filter((card) => card.event).length })), h('ol', cards));
	return h('div', { class: `fight ${fight.end ? 'is-over' : ''}` },
		h('p.fight-head', h('strong', title),
			fight.end ? h('span', { class: `result ${fight.end.board.result}` }, word('result', fight.end.board.result)) : h('span.result', t('goes_on'))),
		fighters.length ? h('table', tableHead(['name', 'health', 'points', 'effects'], '.sr'), h('tbody', fighters)) : null,
		moves, fight.end ? h('p.outcome', linked(fight.end.text)) : null, fight.end && hasFallen ? h('p', word('seat', 'fell')) : null, [source.at(start), fight.end].filter(Boolean).flatMap(setDefaults));
}

// The choices of a story; one opens with what else could have been chosen.
async function whatIf() {
	const { events: list } = await get('events', { kind: 'choice', from: 0 });
	const choices = list.map((event) => h('li', seeLink(`event/${event.number}`, event.text, { class: 'choice-link' }), h('span.end.small', event.day ? nth('day', event.day) : nth('turn', event.turn))));
	const dialog = openDialog(t('what_if'), list.length ? [h('p.small', t('what_if_hint')), h('ul.rows', { onclick: ({ target }) => target.closest('a') && dialog.close() }, choices)] : emptyState('no_choices'));
}

export class Book {
	constructor(pane) {
		this.scroller = pane;
		this.filter = h('div.filter', { hidden: true });
		this.ways = h('div.ways-in');
		this.front = h('header.front', h('h2', state.story.title), (state.story.premise || []).map((text) => h('p', text)), this.ways);
		this.tail = h('div.tail');
		this.pill = button('', () => this.toEnd(), { class: 'pill', hidden: true }, 'down');
		this.current = -1;
		this.fresh = 0;
		this.told = Infinity;
		replace(pane, this.filter, this.front);
		this.scenes = new Scenes();
		this.source = this.scenes;
		this.list = new VirtualList(pane, {
			count: () => Math.min(this.told, this.source.count), render: (i) => this.render(i), estimate: 74, role: 'feed', name: t('story'),
			wanted: (from, to) => this.source.want(from - 20, to + 20), changed: (first, last) => this.passed(first, last),
		});
		this.list.body.classList.add('book');
		pane.append(this.tail);
		pane.addEventListener('click', ({ target }) => { this.touched = target.closest('article'); }, { capture: true });
		pane.parentElement.append(this.pill);
		// Only who scrolls leaves the end; a pane that changes its size moves by itself.
		for (const moved of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
			pane.addEventListener(moved, (event) => { this.isMoved ||= !(event.deltaY >= 0); }, { passive: true });
		}
		pane.addEventListener('scroll', () => {
			if (this.list.isAtEnd()) {
				this.list.stick = this.isLive();
				this.isMoved = false;
				this.setFresh(0);
			} else if (this.isMoved) this.list.stick = false;
			else if (this.list.stick) this.list.schedule();
		}, { passive: true });
		on('events', (change) => this.received(change));
		on('turns', () => this.setTurns());
		on('run', () => this.drawWaysIn());
		// Nobody answers what it can't see the reason for.
		on('ask', () => { if (state.openAsk && this.isLive()) this.toEnd(); });
		on('deltas run connection', () => this.drawTail());
		on('entities', () => {
			// Somebody was told of before their name came.
			if (pane.querySelector('.speaker .muted')) this.list.refresh();
			this.drawTail();
		});
		this.clock = setInterval(() => { if (!document.hidden && this.tail.querySelector('[data-since]')) this.tick(); }, 1000);
		this.drawTail();
		this.drawWaysIn();
	}

	// What a reader may do with a story that is over.
	drawWaysIn() {
		const { run, story } = state;
		if (run.state !== 'finished' || this.isOver) return;
		this.isOver = true;
		const place = remember(`place.${story.slot}`);
		const read = (n) => go({ ...NO_FILTER, view: undefined, see: undefined, read: '1', n });
		const readAs = h('select', { 'aria-label': t('read_as'), onchange: ({ target }) => go({ ...NO_FILTER, view: undefined, see: undefined, read: '1', n: undefined, who: target.value }) },
			options([['', t('read_as')], ...ofKind('actor').map(({ id, name }) => [id, name])]));
		const about = [t('run_finished'), story.day ? t('days_n', { count: story.day }) : null, t('turns_n', { count: story.turn })].filter(Boolean).join(' · ');
		replace(this.ways, h('p.is-over', about), h('div.actions', button(t('read'), () => read(0), { class: 'primary' }, 'story'),
			place ? button(t('read_on'), () => read(place)) : null, state.isHost ? readAs : null,
			can('retry') ? button(t('what_if'), whatIf, {}, 'branches') : null,
			isReport ? null : h('a.action', { href: bookPath(), 'data-plain': true }, t('print'))));
	}

	// Keeps what was clicked on in sight, when what is seen of it takes some of the room.
	keep() {
		const box = this.touched?.isConnected && this.touched.getBoundingClientRect();
		const view = this.scroller.getBoundingClientRect();
		if (box && box.bottom > view.bottom) this.scroller.scrollTop += Math.min(box.bottom - view.bottom + 8, box.top - view.top - 8);
	}

	// The turns that are over: those of the beginning, and those that are read from a save.
	setTurns() {
		if (this.hasTurns && state.run.state !== 'reading') return;
		this.hasTurns = true;
		this.scenes.setTurns(state.turns);
		this.list.refresh();
	}

	isLive() { return ['playing', 'pausing', 'paused'].includes(state.run.state); }

	// Shows what an address asks for.
	show(route, before) {
		const query = filtersOf(route);
		const wanted = JSON.stringify(query);
		if (wanted !== this.query) {
			const isFirst = this.query == null;
			this.query = wanted;
			const isFiltered = Object.values(query).some(Boolean);
			this.source = isFiltered ? new SomeEvents({ ...query, told: 1 }) : this.scenes;
			this.told = Infinity;
			this.current = -1;
			this.list.reset();
			this.scroller.scrollTop = 0;
			this.drawFilter(query, isFiltered);
			if (isFirst && !isFiltered && route.n == null) this.list.stick = this.isLive();
		}
		if (route.n != null && route.n !== before?.n) this.goTo(Number(route.n));
	}

	drawFilter(query, isFiltered) {
		this.filter.hidden = !isFiltered;
		if (this.front) this.front.hidden = isFiltered;
		if (!isFiltered) return;
		const name = (id) => nameLink(Number(id));
		const parts = [query.text && `“${query.text}”`, query.who && rich('learned_by', { name: name(query.who) }), query.by && name(query.by),
			query.place && name(query.place), query.fact, query.turn && nth('turn', query.turn), query.day && nth('day', query.day)].filter(Boolean);
		replace(this.filter, h('span', t('only'), ' ', parts.map((part, i) => [i ? ' · ' : '', part])),
			button(t('all_story'), () => go({ ...NO_FILTER })));
	}

	goTo(n) {
		const i = this.source.indexOf(n);
		// It is gone to again when its turn was read.
		this.sought = this.source === this.scenes && !this.scenes.isRead(n) ? n : null;
		this.told = Math.max(this.told, i + 1);
		this.list.show(i);
		this.select(i, false);
	}

	render(i) {
		const event = this.source.at(i);
		if (!event) return h('div.wait', { 'data-waiting': '1', 'aria-hidden': 'true' });
		if (!isShown(event)) return null;
		let content;
		if (event.form === 'contest' && event.place != null) {
			if (this.source === this.scenes) {
				if (fightStart(this.source, i) !== i) return null;
				content = setFight(this.source, i, this.list.count());
			} else content = h('p.deed', linked(event.text));
		} else content = setEvent(event);
		const article = h('article', {
			class: `event f-${event.form}${i === this.current ? ' is-current' : ''}`, tabindex: -1, 'data-n': event.number,
			'aria-posinset': i + 1, 'aria-setsize': this.source.count, onclick: (click) => this.clicked(click, i),
		}, this.where(i, event), content, eventLink(event.number, number(event.number)));
		article.append(...(event.form === 'contest' && this.source === this.scenes ? [] : setDefaults(event)));
		if (event.notes?.length) article.append(h('p.note.guard', event.notes.join(' ')));
		reach(article, i === this.current);
		return article;
	}

	// The place, where it isn't that of the event before.
	where(i, event) {
		if (event.place == null || ['day', 'round', 'place'].includes(event.form)) return null;
		for (let at = i - 1; at > i - 60 && at >= 0; at -= 1) {
			const other = this.source.at(at);
			if (!other) break;
			if (!isShown(other) || other.place == null) {
				if (other.form === 'day') break;
				continue;
			}
			if (other.place === event.place) return null;
			break;
		}
		return h('p.where', nameLink(event.place));
	}

	clicked(click, i) {
		if (click.target.closest('a, button, summary, details') || String(getSelection())) return;
		this.select(i, false);
	}

	received({ added, filtered }) {
		if (added && this.source instanceof SomeEvents) this.source.add(added);
		if (filtered && filtered !== this.source) return;
		if (!added) {
			this.list.refresh();
			if (this.sought != null && this.scenes.isRead(this.sought)) this.goTo(this.sought);
			return this.drawTail();
		}
		if (reading.pace && added.length && !this.isTelling && this.source === this.scenes) {
			this.told = added[0].number;
			this.tellOn();
		}
		for (const event of added) if (event.form === 'contest') this.refreshFight(event);
		const shown = added.filter(isShown).length;
		if (!this.list.stick && shown && this.source === this.scenes) this.setFresh(this.fresh + shown);
		else if (shown) this.speak(added);
		this.list.schedule();
		this.drawTail();
	}

	refreshFight(event) {
		for (const [i, node] of this.list.nodes) {
			const other = this.source.at(i);
			if (node && other?.form === 'contest' && other.place === event.place) this.list.refresh(i);
		}
	}

	speak(added) {
		const told = added.filter((event) => ['speech', 'narration', 'call', 'whisper'].includes(event.form));
		if (told.length) announce(told[told.length - 1].text);
	}

	setFresh(count) {
		this.fresh = count;
		this.pill.hidden = !count;
		if (count) this.pill.lastChild.textContent = t('new', { count });
	}

	toEnd() {
		this.setFresh(0);
		this.told = Infinity;
		this.list.show(this.source.count - 1);
		this.list.stick = true;
	}

	setPace(pace) {
		reading.pace = pace;
		remember('reading', reading);
		if (!pace) this.told = Infinity;
		this.list.schedule();
	}

	// Tells on from where the reader is.
	tell() {
		if (this.isTelling) {
			this.told = Infinity;
			clearTimeout(this.telling);
			this.telling = 0;
		} else {
			this.told = Math.min(this.source.count, Math.max(this.current, this.lastSeen ?? 0) + 1);
			this.list.stick = true;
			this.tellOn();
		}
		this.list.schedule();
		this.drawTail();
	}

	get isTelling() { return Number.isFinite(this.told); }

	tellOn() {
		clearTimeout(this.telling);
		let event;
		do {
			if (this.told >= this.source.count) {
				this.told = Infinity;
				return this.drawTail();
			}
			this.source.want(this.told, this.told + 5);
			event = this.source.at(this.told);
			this.told += 1;
		} while (event && !isShown(event));
		const text = event ? event.said ?? event.text : '';
		const words = isChinese() ? [...text].length / 1.7 : text.split(/\s+/).length;
		const wait = Math.max(500, (words / (reading.pace || 220)) * 60000);
		this.list.stick = true;
		this.list.schedule();
		this.telling = setTimeout(() => this.tellOn(), event ? wait : 100);
	}

	drawTail() {
		const parts = [];
		const isAtLast = !this.isTelling && this.source === this.scenes;
		const run = state.run;
		if (isAtLast) {
			for (const [c, text] of deltas) {
				parts.push(h('p.speech.is-written', h('b.speaker', nameLink(calls.at(c)?.who)), ' ', text, h('span.caret', { 'aria-hidden': 'true' })));
			}
			const waited = new Set((run.table || []).filter((one) => one.asked).map((one) => state.byName.get(one.name)));
			const thinking = run.thinking.filter((open) => !deltas.get(open.call) && !waited.has(open.who));
			if (this.isLive()) parts.push(...waitedFor());
			for (const open of thinking.slice(0, 6)) {
				const since = state.story.clock === 'live' || this.isLive() ? open.since : undefined;
				parts.push(h('p.status', { 'data-since': since }, h('span.dot'),
					rich('thinking', { name: nameLink(open.who) }), ' ', h('span.num.ago')));
			}
		}
		if (state.lostSince) {
			parts.push(h('p.status.warn', { role: 'status' }, t('lost', { time: clockTime(state.lostSince) })));
		} else if (run.state === 'failed') {
			parts.push(h('div.status.bad', { role: 'status' }, h('p', t('failed')), h('p.small', run.error || '')));
		} else if (isAtLast && run.state === 'playing' && run.error) {
			parts.push(h('p.status.warn', { role: 'status' }, run.error));
		} else if (isAtLast && events.total && run.state === 'paused') {
			parts.push(h('p.status', t('is_paused')));
		} else if (isAtLast && events.total && ['finished', 'stopped', 'saved', 'reading'].includes(run.state)) {
			parts.push(h('p.status.fin', run.state === 'finished' ? t('the_end') : t(isReport ? 'end_of_report' : `is_${run.state}`), run.error && [' ', run.error]));
		}
		if (!this.source.count && !(this.source instanceof SomeEvents && !this.source.isWhole)) {
			parts.unshift(this.source instanceof SomeEvents ? emptyState('nothing_found')
				: this.isLive() ? emptyState('nothing_yet') : emptyState('nothing_told'));
		}
		replace(this.tail, parts);
		this.tick();
		if (this.list.stick) this.list.schedule();
	}

	tick() {
		const now = storyTime();
		for (const line of this.tail.querySelectorAll('[data-since]')) {
			const since = Number(line.dataset.since);
			const ago = now - since;
			if (!(ago > 1500) || ago > 86400000) continue;
			const time = duration(Math.round(ago / 1000) * 1000);
			line.querySelector('.ago').textContent = ago > 20000 ? t('silent', { time }) : time;
			line.classList.toggle('warn', ago > 20000);
		}
	}

	passed(first, last) {
		// Where a reader of a story that is over goes on.
		if (this.isOver && this.source === this.scenes && first) remember(`place.${state.story.slot}`, this.source.at(first)?.number);
		this.lastSeen = last;
		this.firstSeen = first;
	}

	select(i, focus = true) {
		const before = this.list.nodes.get(this.current);
		before?.classList.remove('is-current');
		reach(before, false);
		this.current = i;
		const node = this.list.nodes.get(i);
		if (node) {
			node.classList.add('is-current');
			reach(node, true);
			this.list.schedule();
			if (focus) node.focus({ preventScroll: true });
		}
		return node;
	}

	move(step) {
		const count = this.list.count();
		let i = this.current < 0 ? (this.firstSeen ?? 0) - (step > 0 ? 1 : 0) : this.current;
		do i += step; while (i >= 0 && i < count && this.source.at(i) && this.list.nodes.get(i) === null);
		if (i < 0 || i >= count) return;
		const node = this.select(i);
		const box = node?.getBoundingClientRect();
		const view = this.scroller.getBoundingClientRect();
		if (box && box.top > view.top + 40 && box.bottom < view.bottom - 40) return;
		this.list.show(i);
		requestAnimationFrame(() => requestAnimationFrame(() => this.select(i)));
	}

	openCurrent() {
		const event = this.source.at(this.current);
		if (event) go({ see: `event/${event.number}` });
	}
}

