// The stage map: places, the ways between them, who and what is there.

import { emptyState, h, listPart, t, tag, replace, section, svg, word, viewHead, chips, commas } from './dom.js';
import { entityOf, get, on, state } from './data.js';
import { action, itemLink, nameLink } from './names.js';

function layout(list) {
	return new Map(list.map((place, i) => {
		const angle = (i / list.length) * Math.PI * 2 - Math.PI / 2;
		return [place.id, list.length > 1 ? { x: 0.5 + Math.cos(angle) / 2, y: 0.5 + Math.sin(angle) / 2 } : { x: 0.5, y: 0.5 }];
	}));
}

function waysOf(list) {
	const known = new Set(list.map((place) => place.id));
	const ways = new Map();
	for (const place of list) {
		for (const exit of place.exits || []) {
			if (known.has(exit)) ways.set([place.id, exit].sort((a, b) => a - b).join('-'), [place.id, exit]);
		}
	}
	return [...ways.values()];
}

function here(place) {
	return state.entityList.filter((entity) => entity.place === place.id && entity.kind !== 'stage');
}

const doingOf = ({ doing, scene }) => (doing ? tag([word('doing', doing), scene && ` · ${scene}`]) : null);

function placeCard(place, spot) {
	const isThinking = state.run.thinking.some((open) => entityOf(open.who)?.place === place.id || open.who === place.id);
	return h('li', { class: `place-card${isThinking ? ' is-busy' : ''}`, vars: spot && { '--x': spot.x, '--y': spot.y } },
		h('p.place-title', nameLink(place.id), doingOf(place)),
		chips(here(place), ({ id }) => nameLink(id)),
		place.items?.length ? h('p.small', commas(place.items, itemLink)) : null);
}

export async function showMap(pane) {
	let list = await get('places');
	const draw = () => {
		if (!list.length) return replace(pane, emptyState('no_places'));
		const spots = layout(list);
		const lines = svg('svg', { class: 'ways', 'aria-hidden': 'true' }, waysOf(list).map(([a, b]) => {
			const [p, q] = [spots.get(a), spots.get(b)];
			const of = (value) => `${value * 100}%`;
			return svg('line', { x1: of(p.x), y1: of(p.y), x2: of(q.x), y2: of(q.y) });
		}));
		const nobody = state.entityList.filter((entity) => entity.kind !== 'stage' && entity.place == null);
		replace(pane, viewHead('map'),
			h('div.stage-map', { vars: { '--rows': Math.ceil(Math.sqrt(list.length)) + 1 } }, lines, h('ul.plain', list.map((place) => placeCard(place, spots.get(place.id))))),
			nobody.length ? section('elsewhere', chips(nobody, ({ id }) => nameLink(id))) : null);
	};
	draw();
	const offs = [on('entities', draw), on('turn', async () => { list = await get('places'); draw(); })];
	return () => offs.forEach((off) => off());
}

export async function seePlace(pane, id) {
	const place = (await get('places')).find((place) => place.id === id) || { id, exits: [], items: [] };
	replace(pane, h('h2', nameLink(id), doingOf(place)),
		h('p', action({ view: 'story', place: id, who: undefined }, 'story_here')),
		listPart('here', here(place), (entity) => nameLink(entity.id)) || section('here', h('p.muted', t('nobody_here'))),
		listPart('ways', place.exits, (exit) => nameLink(exit)),
		listPart('items', place.items, (item) => itemLink(item)));
}
