// Facts and items: who knows a fact, and who told whom.

import { emptyState, pairs, h, listPart, t, rich, listNodes, replace, section, svg, tag, word, tableHead, viewHead, chips, nth } from './dom.js';
import { address } from './route.js';
import { entityOf, get, ofKind, on, state } from './data.js';
import { action, callLink, eventLink, factLink, itemLink, knownRow, linked, nameLink, targetOf } from './names.js';
import { select } from './audience.js';

// What one believes of another, as the address asks.
async function beliefs({ of, about }) {
	const people = ofKind('actor').map(({ id, name }) => [id, name]);
	const found = of && about ? await get('believes', { who: of, about }) : null;
	const parts = found ? [
		pairs([['bonds', found.bond ? `${found.bond.word} (${found.bond.value})` : null], ['guess', found.call == null ? null : callLink(found.call)]]),
		listPart('knows', found.knows, knownRow, '.known'),
		listPart('promises', found.promises, ({ by, words, state }) => [nameLink(by), h('span', linked(words)), tag(word('promise', state))]),
		listPart('heard', found.heard, ({ number, text }) => [h('span', linked(text)), h('span.end', eventLink(number))])] : [];
	return section('believes', h('div.filters', select(t('believes_who'), 'of', people), select(t('believes_about'), 'about', people)), parts,
		found && !found.bond && found.call == null && !found.knows.length && !found.promises?.length && !found.heard.length ? h('p.muted', t('believes_nothing')) : null);
}

// How many people know a fact. A seat knows of itself alone.
const known = (count, of) => (state.isHost ? t('n_of', { count, of }) : '');
const isPerson = (who) => entityOf(who)?.kind === 'actor';

export async function showFacts(pane, route) {
	const draw = async () => {
		const [list, items, believed] = await Promise.all([get('facts'), get('items').catch(() => []), beliefs(route)]);
		replace(pane, viewHead('facts'),
			list.length ? h('table.grid.cards', tableHead(['fact', 'who_knows']),
				h('tbody', list.map((fact) => h('tr', h('th', { scope: 'row' }, factLink(fact.fact, fact.title)),
					h('td', { 'data-name': t('who_knows') }, fact.common ? t('everybody') : known(fact.knows, fact.of)))))) : emptyState('no_facts'),
			listPart('items', items, (item) => [h('span', itemLink(item.name), ' ', h('span.small', item.look || '')),
				h('span.end', item.holder == null ? '' : nameLink(item.holder))]), believed);
	};
	await draw();
	return on('turn', draw);
}

function graph(fact) {
	const told = new Map(fact.knows.map((known) => [known.who, known]));
	for (const { from } of fact.knows) if (from != null && !told.has(from)) told.set(from, { who: from });
	const place = new Map();
	let row = 0;
	const put = (who, x) => {
		place.set(who, { x, y: row });
		const next = [...told.values()].filter((known) => known.from === who && !place.has(known.who));
		next.forEach((known, i) => { if (i) row += 1; put(known.who, x + 1); });
	};
	const begin = (who) => { if (!place.has(who)) { put(who, 0); row += 1; } };
	for (const { who, from } of told.values()) if (from == null) begin(who);
	[...told.keys()].forEach(begin);
	const columns = Math.max(...[...place.values()].map((spot) => spot.x)) + 1;
	const names = new Map([...told.keys()].map((who) => [who, entityOf(who)?.name || t('somebody')]));
	// Letters of two widths; no name is squeezed.
	const widthOf = (name) => [...name].reduce((sum, letter) => sum + (letter > '\u2e7f' ? 12 : 6.8), 18);
	const box = Math.max(96, ...[...names.values()].map(widthOf));
	const [width, height] = [box + 54, 40];
	const at = (who) => ({ x: place.get(who).x * width + 8, y: place.get(who).y * height + 22 });
	const edges = fact.knows.filter((known) => known.from != null).map((known) => {
		const [a, b] = [at(known.from), at(known.who)];
		const way = `M${a.x + box} ${a.y} C${a.x + box + 28} ${a.y} ${b.x - 30} ${b.y} ${b.x - 4} ${b.y}`;
		const path = svg('path', { d: way, class: 'edge-path' });
		const turn = t('turn_short', { n: known.turn ?? 0 });
		const text = svg('text', { x: b.x - 6, y: b.y - 5, class: 'edge-text' }, turn);
		return known.number == null ? [path, text] : svg('a', { href: address({ see: `event/${known.number}` }), 'aria-label': `${turn}, ${nth('event', known.number)}` }, path, text);
	});
	const nodes = [...told.keys()].map((who) => {
		const entity = entityOf(who);
		const { x, y } = at(who);
		return svg('a', { href: address({ see: entity ? targetOf(entity) : undefined }), class: 'node', hue: entity?.hue ?? 0 },
			svg('rect', { x, y: y - 14, width: box, height: 28, rx: 3 }), svg('text', { x: x + box / 2, y: y + 4, 'text-anchor': 'middle' }, names.get(who)));
	});
	const [wide, high] = [columns * width - 30, row * height + 12];
	return svg('svg', { viewBox: `0 0 ${wide} ${high}`, class: 'graph', role: 'group', 'aria-label': t('who_told_whom'), width: wide, height: high }, edges, nodes);
}

export async function seeFact(pane, id) {
	const fact = await get(`fact/${id}`);
	const knows = fact.knows || [];
	const missing = (fact.not || []).filter(isPerson);
	const people = knows.filter(({ who }) => isPerson(who)).length;
	replace(pane, h('h2', fact.title || fact.fact), h('p.prose', linked(fact.text || '')),
		pairs([['known_to', fact.common ? t('everybody') : known(people, people + missing.length)], ['contradicts', fact.contradicts?.length ? listNodes([].concat(fact.contradicts).map((other) => factLink(other))) : null]]),
		h('p', action({ view: 'story', fact: id, who: undefined }, 'where_learned')),
		knows.length && !fact.common ? section('who_told_whom', h('div.wide', { tabindex: 0, role: 'region', 'aria-label': t('who_told_whom') }, graph(fact))) : null,
		section('who_knows', knows.length ? h('ol.rows', knows.map((known) => h('li', h('span', nameLink(known.who), ' ',
			h('span.muted', known.from != null ? rich('from_name', { name: nameLink(known.from) }) : known.by ? word('learned_by', known.by) : t('from_the_start'))),
		h('span.end.small', known.turn ? nth('turn', known.turn) : '', known.number == null ? null : [' ', eventLink(known.number)])))) : h('p.muted', t('nobody_knows'))),
		section('who_does_not', missing.length ? chips(missing, nameLink) : null));
}

export async function seeItem(pane, name) {
	const item = (await get('items')).find((item) => item.name === name) || { name };
	replace(pane, h('h2', name), item.look ? h('p.appearance', item.look) : null,
		pairs([['holder', item.holder == null ? t('no_one') : nameLink(item.holder)], ['state', item.hidden ? t('hidden') : null]]),
		h('p', action({ view: 'story', text: name }, 'where_mentioned')));
}
