// The stage map: places, the ways between them, who and what is there.

import { emptyState, h, listPart, t, tag, replace, section, svg, word, viewHead, chips, commas } from './dom.js';
import { entityOf, get, on, state } from './data.js';
import { action, itemLink, nameLink } from './names.js';

// The width of a card with the room beside it, and half of a card, in cells of the grid.
const CELL = 244;
const HALF = { x: 0.42, y: 0.36 };

// The part of the way from `a` to `b` that is within the box around `c`, from 0 to 1; null if none.
function within(a, b, c, half) {
	let [from, to] = [0, 1];
	for (const axis of ['x', 'y']) {
		const step = b[axis] - a[axis];
		const bounds = [c[axis] - half[axis] - a[axis], c[axis] + half[axis] - a[axis]];
		if (Math.abs(step) < 1e-9) {
			if (bounds[0] >= 0 || bounds[1] <= 0) return null;
			continue;
		}
		const [enters, leaves] = bounds.map((bound) => bound / step).sort((one, other) => one - other);
		[from, to] = [Math.max(from, enters), Math.min(to, leaves)];
	}
	return from < to ? [from, to] : null;
}

// Ways are short, and lead behind no third place.
function cost(spots, ways) {
	let sum = 0;
	for (const [a, b] of ways) {
		const [p, q] = [spots.get(a), spots.get(b)];
		sum += (p.x - q.x) ** 2 + (p.y - q.y) ** 2;
		for (const [id, spot] of spots) if (id !== a && id !== b && within(p, q, spot, HALF)) sum += 100;
	}
	return sum;
}

// A cell of a grid for each place: any two change places as long as that makes the ways better.
function layout(ids, ways, columns) {
	const cells = Array.from({ length: columns * Math.ceil(ids.length / columns + 1) }, (_, i) => ({ x: i % columns, y: Math.floor(i / columns) }));
	const held = cells.map((_, i) => ids[i]);
	const spots = () => new Map(held.flatMap((id, i) => (id == null ? [] : [[id, cells[i]]])));
	let best = cost(spots(), ways);
	for (let pass = 0, isBetter = true; isBetter && pass < 12; pass += 1) {
		isBetter = false;
		for (let i = 0; i < cells.length; i += 1) {
			for (let j = i + 1; j < cells.length; j += 1) {
				[held[i], held[j]] = [held[j], held[i]];
				const now = held[i] === held[j] ? best : cost(spots(), ways);
				if (now < best) [best, isBetter] = [now, true];
				else [held[i], held[j]] = [held[j], held[i]];
			}
		}
	}
	const first = (axis) => Math.min(...[...spots().values()].map((spot) => spot[axis]));
	const [left, top] = [first('x'), first('y')];
	return new Map([...spots()].map(([id, { x, y }]) => [id, { x: x - left, y: y - top }]));
}

// Each way once: its ends, and whether one may go back.
function waysOf(list) {
	const exits = new Map(list.map((place) => [place.id, place.exits || []]));
	const ways = [...exits].flatMap(([id, to]) => to.filter((exit) => exits.has(exit)).map((exit) => [id, exit, exits.get(exit).includes(id)]));
	return ways.filter(([a, b, isBoth]) => !isBoth || a < b);
}

function here(place) {
	return state.entityList.filter((entity) => entity.place === place.id && entity.kind !== 'stage');
}

const doingOf = ({ doing, scene }) => (doing ? tag([word('doing', doing), scene && ` · ${scene}`]) : null);

function placeCard(place, spot) {
	const isThinking = state.run.thinking.some((open) => entityOf(open.who)?.place === place.id || open.who === place.id);
	return h('li', { class: `place-card${isThinking ? ' is-busy' : ''}`, 'data-place': place.id, vars: spot && { '--x': spot.x + 1, '--y': spot.y + 1 } },
		h('p.place-title', nameLink(place.id), doingOf(place)),
		chips(here(place), ({ id }) => nameLink(id)),
		place.items?.length ? h('p.small', commas(place.items, itemLink)) : null,
		place.exits?.length ? h('p.small.ways-out', t('ways'), ' ', commas(place.exits, nameLink)) : null);
}

// Between which heights each row of cards is, by their boxes.
function rowsOf(boxes) {
	const rows = [];
	for (const { row, y, half } of boxes) {
		const known = rows[row] || [y - half.y, y + half.y];
		rows[row] = [Math.min(known[0], y - half.y), Math.max(known[1], y + half.y)];
	}
	return rows;
}

// The points of a way: straight, or along the gaps between rows and columns if a third card is in
// between.
function course(p, q, boxes) {
	const near = ({ half }) => ({ x: half.x + 3, y: half.y + 3 });
	if (boxes.every((box) => box === p || box === q || !within(p, q, box, near(box)))) return [p, q];
	const rows = rowsOf(boxes);
	const gap = (row) => ((rows[row]?.[1] ?? rows[row + 1][0] - 40) + (rows[row + 1]?.[0] ?? rows[row][1] + 40)) / 2;
	const isDown = q.row >= p.row;
	const [from, to] = [gap(isDown ? p.row : p.row - 1), gap(p.row === q.row ? q.row : isDown ? q.row - 1 : q.row)];
	const side = from === to ? [] : [q.x + (p.x < q.x ? -CELL : CELL) / 2];
	return [p, { x: p.x, y: from }, ...side.flatMap((x) => [{ x, y: from }, { x, y: to }]), { x: q.x, y: to }, q];
}

// The lines of the ways, with an arrow where one may not go back.
function drawWays(map, ways) {
	const origin = map.getBoundingClientRect();
	const boxes = new Map([...map.querySelectorAll('[data-place]')].map((card) => {
		const { left, top, width, height } = card.getBoundingClientRect();
		return [Number(card.dataset.place), { x: left - origin.left + width / 2, y: top - origin.top + height / 2, half: { x: width / 2, y: height / 2 }, row: Number(card.style.getPropertyValue('--y')) }];
	}));
	replace(map.querySelector('.ways'), ways.map(([a, b, isBoth]) => {
		const points = course(boxes.get(a), boxes.get(b), [...boxes.values()]);
		const [before, end] = points.slice(-2);
		const share = within(before, end, end, end.half)?.[0] ?? 1;
		const tip = ['x', 'y'].map((axis) => before[axis] + (end[axis] - before[axis]) * share);
		const turn = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
		return svg('g', { 'data-way': `${a}-${b}` }, svg('polyline', { points: points.map(({ x, y }) => `${x},${y}`).join(' ') }),
			isBoth ? null : svg('path', { d: 'M0 0l-9 -4v8z', transform: `translate(${tip.join(' ')}) rotate(${turn})` }));
	}));
}

const laid = {};

// Places that ways join, in a grid of so many columns.
export function mapOf(list, columns) {
	const ways = waysOf(list);
	const ids = list.map(({ id }) => id);
	const key = JSON.stringify([ids, ways, columns]);
	if (laid.key !== key) Object.assign(laid, { key, spots: layout(ids, ways, columns) });
	const widest = 1 + Math.max(0, ...[...laid.spots.values()].map(({ x }) => x));
	const map = h('div.stage-map', { vars: { '--columns': widest } }, svg('svg', { class: 'ways', 'aria-hidden': 'true' }),
		h('ul.plain', list.map((place) => placeCard(place, laid.spots.get(place.id)))));
	return { map, drawWays: () => drawWays(map, ways) };
}

export async function showMap(pane) {
	let list = await get('places');
	let shown;
	let columns;
	const fitting = () => Math.max(1, Math.floor((pane.clientWidth + CELL - 188) / CELL));
	const draw = () => {
		if (!list.length) return replace(pane, emptyState('no_places'));
		columns = fitting();
		const ends = new Set(waysOf(list).flatMap(([a, b]) => [a, b]));
		const [joined, apart] = [list.filter(({ id }) => ends.has(id)), list.filter(({ id }) => !ends.has(id))];
		shown = joined.length ? mapOf(joined, columns) : null;
		const nobody = state.entityList.filter((entity) => entity.kind !== 'stage' && entity.place == null);
		replace(pane, viewHead('map'), shown?.map,
			section(shown ? 'apart' : 'places', apart.length ? h('ul.plain.apart', apart.map((place) => placeCard(place))) : null),
			nobody.length ? section('elsewhere', chips(nobody, ({ id }) => nameLink(id))) : null);
		shown?.drawWays();
	};
	draw();
	const watch = new ResizeObserver(() => {
		if (columns !== fitting()) draw();
		else shown?.drawWays();
	});
	watch.observe(pane);
	const off = [on('entities', draw), on('turn', async () => { list = await get('places'); draw(); }), () => watch.disconnect()];
	return () => off.forEach((end) => end());
}

export async function seePlace(pane, id) {
	const place = (await get('places')).find((place) => place.id === id) || { id, exits: [], items: [] };
	replace(pane, h('h2', nameLink(id), doingOf(place)),
		h('p', action({ view: 'story', place: id, who: undefined }, 'story_here')),
		listPart('here', here(place), (entity) => nameLink(entity.id)) || section('here', h('p.muted', t('nobody_here'))),
		listPart('ways', place.exits, (exit) => nameLink(exit)),
		listPart('items', place.items, (item) => itemLink(item)));
}
