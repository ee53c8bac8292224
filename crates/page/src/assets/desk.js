// The writer's view: mistakes in the world's files, its scenes to be played from, and rehearsals.

import { announce, button, h, replace, section, t, viewHead } from './dom.js';
import { get, post } from './data.js';
import { complain, steer } from './steer.js';

// How often the files are looked at while they are edited.
const LOOK = 1000;

const isError = ({ severity }) => severity === 'error';

function mistakes(problems) {
	if (!problems.length) return h('p.muted', t('no_mistakes'));
	return h('ul.rows', problems.map((one) => h('li', { class: isError(one) ? 'bad' : '' }, h('span.prose', one.text))));
}

function sceneRow({ scene, file, line }) {
	return h('li', h('span', scene, ' ', h('span.small', `${file}:${line}`)),
		h('span.end', button(t('play_from_here'), (event) => wait(event.currentTarget, () => steer({ do: 'play_scene', scene })), { 'aria-label': `${t('play_from_here')}: ${scene}` })));
}

// Nothing is asked for twice while it takes its time.
async function wait(pressed, work) {
	pressed.disabled = true;
	announce(t('rehearsing'));
	try { return await work(); } finally { pressed.disabled = false; }
}

function table({ title, columns, rows }) {
	const style = (i) => ({ class: columns[i].number ? 'num' : '' });
	return h('section.part', h('h3', title), h('div.wide', { role: 'region', 'aria-label': title, tabindex: 0 },
		h('table.grid', h('thead', h('tr', columns.map(({ name }, i) => h('th', { scope: 'col', ...style(i) }, name)))),
			h('tbody', rows.map((row) => h('tr', row.map((text, i) => h(i ? 'td' : 'th', { scope: i ? undefined : 'row', ...style(i) }, text))))))));
}

export async function showDesk(pane) {
	const found = h('div', { role: 'status' });
	const scenes = h('div');
	const tables = h('div');
	let drawn = '';
	const look = async () => {
		const draft = await get('desk');
		const key = JSON.stringify(draft);
		if (key === drawn) return;
		drawn = key;
		replace(found, section('mistakes', mistakes(draft.problems)));
		replace(scenes, section('scenes', h('ul.rows', draft.scenes.map(sceneRow))));
	};
	const rehearse = async () => {
		const result = await post('do', { do: 'rehearse' }).catch(complain);
		if (!result?.tables) return;
		replace(tables, result.unmet.length ? section('unmet', h('ul.rows', result.unmet.map((one) => h('li.bad', one)))) : null, result.tables.map(table));
		announce(t('rehearsed', { count: result.runs }));
	};
	replace(pane, viewHead('desk', button(t('rehearse'), (event) => wait(event.currentTarget, rehearse))), h('p.small', t('desk_hint')), found, tables, scenes);
	await look();
	const timer = setInterval(() => look().catch(() => {}), LOOK);
	return () => clearInterval(timer);
}
