// Who saw what: events down, people across.

import { button, cell, emptyState, h, options, t, number, replace, short, viewHead, word } from './dom.js';
import { NO_FILTER, filtersOf, go, route } from './route.js';
import { entityOf, events, get, isReport, on, Rows, SomeEvents, state } from './data.js';
import { VirtualList } from './list.js';
import { eventLink, nameLink, whoIs } from './names.js';

const top = { role: 'columnheader' };
const MARKS = { y: '●', m: '◐', e: '', x: '×', n: '', d: '†', l: '', p: '', g: '⊘', o: '◆' };
// A choice that stands in the address.
export function select(name, key, list) {
	return h('label', h('span', name), h('select', { onchange: (event) => go({ [key]: event.target.value || undefined }) }, options([['', t('all')], ...list], route[key])));
}

// The filters that the matrix and the story have in common.
async function filterBar() {
	const known = await get('facts').catch(() => []);
	const of = (test) => state.entityList.filter(test).map((entity) => [entity.id, entity.name]);
	const input = (name, key, more) => h('label', h('span', name), h('input', { type: 'search', value: route[key] || '', onchange: (event) => go({ [key]: event.target.value.trim() || undefined }), ...more }));
	const span = { placeholder: '3-7', pattern: '\\d*(\\s*[-–—~～]\\s*\\d*)?' };
	return h('form.filters', { onsubmit: (event) => event.preventDefault() },
		select(t('learned'), 'who', of((entity) => entity.kind === 'actor')), select(t('said_by'), 'by', of((entity) => entity.kind !== 'world_agent')),
		select(t('place'), 'place', of((entity) => entity.kind === 'stage')), select(t('fact'), 'fact', known.map((fact) => [fact.fact, fact.title || fact.fact])),
		input(t('days_or'), 'day', span), input(t('turns'), 'turn', span), input(t('words'), 'text'));
}

export async function showAudience(pane) {
	const query = filtersOf(route);
	const scroller = h('div.matrix', { role: 'table', 'aria-label': t('audience'), tabindex: 0 });
	const head = h('div.matrix-head', { role: 'row' });
	let drawn = '';
	const isFiltered = Object.values(query).some(Boolean);
	const rows = isFiltered ? new SomeEvents(query, 'audience') : new Rows('audience');
	let columns = [];
	let counts = [];
	if (!isFiltered) rows.total = events.total;
	rows.onanswer = (answer) => {
		// People first, places last.
		const kind = (who) => ['actor', 'world_agent', 'stage'].indexOf(entityOf(who)?.kind);
		const order = answer.columns.map((_, i) => i).sort((a, b) => kind(answer.columns[a]) - kind(answer.columns[b]) || a - b);
		columns = order.map((i) => answer.columns[i]);
		counts = order.map((i) => answer.counts[i]);
		for (const row of answer.rows) row.cells = order.map((i) => row.cells[i]);
		drawHead();
	};
	const count = () => (isFiltered ? rows.count : Math.max(rows.total, events.total));
	const drawHead = () => {
		const key = JSON.stringify([columns, counts]);
		if (key === drawn) return;
		drawn = key;
		scroller.style.setProperty('--columns', columns.length);
		scroller.setAttribute('aria-rowcount', count() + 1);
		replace(head, cell('n', '#', top), cell('text', t('event'), top),
			columns.map((who, i) => {
				const entity = entityOf(who);
				return cell('who-cell', [h('span.tilted', nameLink(who)), h('span.count.num', short(counts[i] || 0))], { ...top, title: entity ? `${whoIs(entity)}: ${number(counts[i] || 0)}` : '' });
			}));
	};
	const meanings = Object.fromEntries(Object.keys(MARKS).map((cell) => [cell, t(`cell_${cell}`)]));
	scroller.append(head);
	const list = new VirtualList(scroller, {
		count, fixed: 24, role: 'rowgroup', wanted: (from, to) => rows.want(from, to),
		render: (i) => {
			const row = rows.at(i);
			if (!row) return h('div.row.wait', { role: 'row', 'aria-rowindex': i + 2 }, cell('n', number(i)));
			return h('div', { class: `row f-${row.form}`, role: 'row', 'aria-rowindex': i + 2 },
				cell('n', eventLink(row.number, number(row.number))),
				cell('text', [row.speaker == null ? null : [nameLink(row.speaker), ' '], row.text], { title: row.text }),
				row.cells.map((mark) => cell(`c-${mark}`, MARKS[mark], { 'aria-label': meanings[mark] })));
		},
	});
	scroller.addEventListener('click', (click) => {
		if (click.target.closest('a')) return;
		tellCell(click.target);
		click.target.closest('.row')?.querySelector('.n a')?.click();
	});
	// What a cell means, for a pointer and for whoever goes along a row with the arrow keys.
	const detail = h('p.small.cell-is', { role: 'status' }, t('cell_hint'));
	const tellCell = (target) => {
		const row = target.closest('.row');
		const { rule, stage } = rows.at(row?.getAttribute('aria-rowindex') - 2) || {};
		if (!rule) return;
		const at = target.closest('.cell');
		scroller.querySelector('.is-told')?.classList.remove('is-told');
		const entity = entityOf(columns[[...row.children].indexOf(at) - 2]);
		if (entity) at.classList.add('is-told');
		const words = `${t('rule')}: ${rule === 'stage' && stage != null ? t('rule_stage', { place: entityOf(stage)?.name }) : word('rule', rule)}`;
		detail.textContent = entity ? `${entity.name}: ${at.ariaLabel} (${words})` : words;
	};
	scroller.addEventListener('mouseover', ({ target }) => tellCell(target));
	scroller.addEventListener('focusin', ({ target }) => tellCell(target));
	scroller.addEventListener('keydown', (event) => {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		const row = by && event.target.closest('.row');
		if (!row) return;
		event.preventDefault();
		const cells = [...row.children].slice(2);
		const next = cells[Math.max(0, Math.min(cells.length - 1, cells.findIndex((one) => one.classList.contains('is-told')) + by))];
		tellCell(next);
		next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
	});
	const empty = emptyState('nothing_found');
	empty.hidden = true;
	const legend = h('ul.legend', ['y', 'o', 'm', 'x', 'e'].map((cell) => h('li', h('span', { class: `key c-${cell}` }, MARKS[cell] || '\u00a0'), t(`cell_${cell}`))));
	replace(pane, viewHead('audience', legend), await filterBar(), detail, scroller, empty);
	list.update();
	const start = Number(route.n);
	if (!isReport && Number.isFinite(start) && !isFiltered) list.show(start);
	const changed = () => {
		list.refreshWaiting();
		empty.hidden = count() > 0 || (isFiltered && !rows.isWhole);
	};
	changed();
	const off = on('events audience', changed);
	return () => { off(); list.destroy(); };
}

export const audienceLink = (n) => button(t('in_matrix'), () => go({ view: 'audience', n, ...NO_FILTER }));
