// Who saw what: events down, people across.

import { button, emptyState, h, t, number, replace, short, viewHead } from './dom.js';
import { NO_FILTER, go, route } from './route.js';
import { entityOf, events, get, isReport, on, Rows, SomeEvents, state } from './data.js';
import { VirtualList } from './list.js';
import { eventLink, nameLink, whoIs } from './names.js';

const MARKS = { y: '●', m: '◐', e: '', x: '×', n: '', d: '†', l: '', p: '' };
// A choice that stands in the address.
export function select(name, key, options) {
	const control = h('select', { onchange: (event) => go({ [key]: event.target.value || undefined }) },
		h('option', { value: '' }, t('all')), options.map(([value, text]) => h('option', { value, selected: String(route[key]) === String(value) }, text)));
	return h('label', h('span', name), control);
}

// The filters that the matrix and the story have in common.
async function filterBar() {
	const known = await get('facts').catch(() => []);
	const of = (test) => state.entityList.filter(test).map((entity) => [entity.id, entity.name]);
	const words = h('input', { type: 'search', value: route.text || '', onchange: (event) => go({ text: event.target.value || undefined }) });
	return h('form.filters', { onsubmit: (event) => event.preventDefault() },
		select(t('learned'), 'who', of((entity) => entity.kind === 'actor')), select(t('said_by'), 'by', of((entity) => entity.kind !== 'world_agent')),
		select(t('place'), 'place', of((entity) => entity.kind === 'stage')), select(t('fact'), 'fact', known.map((fact) => [fact.fact, fact.title || fact.fact])),
		select(t('turn'), 'turn', state.turns.slice(-400).map((turn) => [turn.turn, t('turn_n', { n: turn.turn })])), h('label', h('span', t('words')), words));
}

export async function showAudience(pane) {
	const query = { who: route.who, by: route.by, place: route.place, fact: route.fact, text: route.text, turn: route.turn };
	const scroller = h('div.matrix', { role: 'table', 'aria-label': t('audience'), tabindex: 0 });
	const head = h('div.matrix-head', { role: 'row' });
	let drawn = '';
	const isFiltered = Object.values(query).some(Boolean);
	const rows = isFiltered ? new SomeEvents(query, 'audience') : new Rows('audience');
	let columns = [];
	let counts = [];
	if (!isFiltered) rows.of = events.of;
	rows.onanswer = (answer) => {
		// People first, places last.
		const kind = (who) => ['actor', 'world_agent', 'stage'].indexOf(entityOf(who)?.kind);
		const order = answer.columns.map((_, i) => i).sort((a, b) => kind(answer.columns[a]) - kind(answer.columns[b]) || a - b);
		columns = order.map((i) => answer.columns[i]);
		counts = order.map((i) => answer.counts[i]);
		for (const row of answer.rows) row.cells = order.map((i) => row.cells[i]);
		drawHead();
	};
	const count = () => (isFiltered ? rows.count : Math.max(rows.of, events.of));
	const drawHead = () => {
		const key = JSON.stringify([columns, counts]);
		if (key === drawn) return;
		drawn = key;
		scroller.style.setProperty('--columns', columns.length);
		scroller.setAttribute('aria-rowcount', count() + 1);
		replace(head, h('div', { role: 'columnheader', class: 'cell n' }, '#'), h('div', { role: 'columnheader', class: 'cell text' }, t('event')),
			columns.map((who, i) => {
				const entity = entityOf(who);
				return h('div', { role: 'columnheader', class: 'cell who-cell', title: entity ? `${whoIs(entity)}: ${number(counts[i] || 0)}` : '' },
					h('span.tilted', nameLink(who)), h('span.count.num', short(counts[i] || 0)));
			}));
	};
	const meanings = Object.fromEntries(Object.keys(MARKS).map((cell) => [cell, t(`cell_${cell}`)]));
	scroller.append(head);
	const list = new VirtualList(scroller, {
		count, fixed: 24, role: 'rowgroup', wanted: (from, to) => rows.want(from, to),
		render: (i) => {
			const row = rows.at(i);
			if (!row) return h('div.row.wait', { role: 'row', 'aria-rowindex': i + 2 }, h('div', { role: 'cell', class: 'cell n' }, number(i)));
			return h('div', { class: `row f-${row.form}`, role: 'row', 'aria-rowindex': i + 2 },
				h('div', { role: 'cell', class: 'cell n' }, eventLink(row.n, number(row.n))),
				h('div', { role: 'cell', class: 'cell text', title: row.text }, row.by == null ? null : [nameLink(row.by), ' '], row.text),
				row.cells.map((cell) => {
					// There are very many of them: no more than one element each.
					const element = document.createElement('div');
					element.className = `cell c-${cell}`;
					element.setAttribute('role', 'cell');
					element.setAttribute('aria-label', meanings[cell]);
					element.textContent = MARKS[cell] || '';
					return element;
				}));
		},
	});
	scroller.addEventListener('click', (click) => {
		if (!click.target.closest('a')) click.target.closest('.row')?.querySelector('.n a')?.click();
	});
	// What a cell means is said when it is pointed at.
	scroller.addEventListener('mouseover', ({ target }) => {
		const i = [...(target.closest('.row')?.children || [])].indexOf(target) - 2;
		const entity = entityOf(columns[i]);
		if (entity) target.title = `${entity.name}: ${target.getAttribute('aria-label')}`;
	});
	const empty = emptyState(t('nothing_found'), t('nothing_found_hint'));
	empty.hidden = true;
	const legend = h('ul.legend', ['y', 'm', 'x', 'e'].map((cell) => h('li', h('span', { class: `key c-${cell}` }, MARKS[cell] || '\u00a0'), t(`cell_${cell}`))));
	replace(pane, viewHead('audience', legend), await filterBar(), scroller, empty);
	list.update();
	const start = Number(route.n);
	if (!isReport && Number.isFinite(start) && !isFiltered) list.show(start);
	const changed = () => {
		list.refreshWaiting();
		empty.hidden = count() > 0 || (isFiltered && !rows.isWhole);
	};
	changed();
	const offs = [on('events', changed), on('audience', changed)];
	return () => { offs.forEach((off) => off()); list.destroy(); };
}

// A cell's meaning, and a way to what somebody else has.
export const audienceLink = (n) => button(t('in_matrix'), () => go({ view: 'audience', n, ...NO_FILTER }));
