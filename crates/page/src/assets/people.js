// People: the list, one person, their chapters, and the context as a mind sees it.

import { button, duration, emptyState, pairs, h, iconButton, share, t, tag, rich, listNodes, listPart, money, number, remember, replace, section, short, usageOf, word, viewHead, chips, commas, nth } from './dom.js';
import { go } from './route.js';
import { entityOf, events, get, on, state, storyTime } from './data.js';
import { reading } from './book.js';
import { action, bar, callLink, eventLink, fate, itemLink, knownRow, linked, nameLink, modelOf, seeLink, tabs } from './names.js';

const td = (key, content, style = '') => h(`td${style}`, { 'data-name': t(key) }, content);
const byName = (a, b) => a.name.localeCompare(b.name, document.documentElement.lang);

// Shows what is for those who watch the costs, or hides it; `draw` draws again.
const figures = (draw) => (state.isHost ? button(t(reading.figures ? 'hide_figures' : 'show_figures'), () => {
	reading.figures = !reading.figures;
	remember('reading', reading);
	draw();
}, { class: 'quiet figures' }) : null);

function health(person) {
	if (!person.hp) return null;
	return [bar(person.hp[0], person.hp[1], person.hp[0] * 3 < person.hp[1] ? 'bad' : 'good'), ' ',
		h('span.num', `${number(person.hp[0])} / ${number(person.hp[1])}`)];
}

export async function showPeople(pane) {
	const draw = async () => {
		const people = await get('people');
		if (!people.length) return replace(pane, emptyState('nobody_yet'));
		const rank = { hero: 0, none: 1, foe: 2 };
		people.sort((a, b) => Boolean(fate(a)) - Boolean(fate(b)) || (rank[a.faction] ?? 1) - (rank[b.faction] ?? 1) || byName(a, b));
		const columns = ['name', 'place', 'health', 'items', 'knows', ...(reading.figures ? ['messages', 'tokens', 'calls', 'cost', 'model'] : [])];
		const rows = people.map((person) => h('tr',
			h('th', { scope: 'row' }, nameLink(person.id), fate(person) && tag(fate(person), '.bad')),
			td('place', person.place == null ? '' : nameLink(person.place)), td('health', health(person), '.nowrap'),
			td('items', commas(person.items || [], itemLink)), td('knows', number(person.knows), '.num'), reading.figures ? [td('messages', number(person.messages), '.num'),
				td('tokens', seeLink(`context/${person.id}`, number(person.tokens)), '.num'), td('calls', number(person.calls), '.num'),
				td('cost', money(person.cost), '.num'), td('model', person.played_by === 'seat' ? t('a_person') : person.model || person.mind || '', '.muted')] : null));
		replace(pane, viewHead('people', figures(draw)),
			h('table.grid.cards', h('thead', h('tr', columns.map((key, i) => h('th', { scope: 'col', class: i > 3 && i < 9 ? 'num' : '' }, t(key))))), h('tbody', rows)));
	};
	await draw();
	return on('turn', draw);
}

// What its mind reads is nothing for a person who plays.
const tabsOf = (id, current) => tabs(entityOf(id)?.name || '', current, ['person', ...(state.isHost ? ['context'] : []), 'chapters'].map((name) => [name, `${name}/${id}`]));

export async function seePerson(pane, id) {
	const person = await get(`person/${id}`);
	const entity = entityOf(id) || person;
	const feeling = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0');
	replace(pane,
		h('h2.person-head', { hue: entity.hue }, nameLink(id), fate(person) && tag(fate(person), '.bad')),
		tabsOf(id, 'person'),
		person.look ? h('p.appearance', person.look) : null,
		person.about && !state.isHost ? h('p.prose', person.about) : null,
		h('p.actions',
			action({ view: 'story', who: id, place: undefined }, 'what_it_saw'),
			action({ view: 'story', by: id, place: undefined }, 'what_it_said')),
		pairs([
			['place', person.place == null ? null : nameLink(person.place)], ['health', health(person)],
			['model', person.played_by === 'seat' || !reading.figures ? null : modelOf(person)],
			['played_by', person.played_by === 'seat' ? t('a_person') : null],
		]),
		person.notes?.length ? h('dl.pairs', person.notes.map(([label, value]) => [h('dt', label), h('dd', value)])) : null,
		listPart('goals', person.goals, (goal) => [h('span', linked(goal.words)), tag(word('goal', goal.state), `.end.${goal.state}`)]),
		listPart('promises', person.promises, (promise) => [
			h('span', rich('to', { name: nameLink(promise.to, { name: promise.name }) }), ' “', linked(promise.words), '”'),
			tag(word('promise', promise.state), `.end.${promise.state}`)]),
		listPart('secrets', person.secrets, (secret) => h('span', linked(secret))),
		listPart('items', person.items, (item) => h('span', itemLink(item.name ?? item), item.look ? h('span.small', ' ', item.look) : null)),
		listPart('bonds', person.bonds, (bond) => [nameLink(bond.to, { name: bond.name }), ' ', h('span.muted', bond.word || ''),
			h('span', { class: `num end ${bond.value > 0 ? 'good' : bond.value < 0 ? 'bad' : ''}` }, feeling(bond.value || 0))]),
		listPart('hand', person.hand, (card) => [h('span', card.name || card.skill),
			card.description ? h('span.small', ' ', card.description) : null]),
		section('skills', person.skills?.length ? h('p', listNodes(person.skills)) : null),
		listPart('knows', person.knows, knownRow, '.known') || section('knows', h('p.muted', t('knows_nothing'))),
		section('spent', person.spent && reading.figures ? pairs([['calls', number(person.spent.calls)], ...usageOf(person.spent)]) : null),
		section('calls', person.calls?.length && reading.figures ? chips(person.calls.slice(-24), (call) => callLink(call, String(call)), '.num') : null),
		section('profile', person.profile && state.isHost ? h('details', h('summary', t('profile_words')), h('div.prose', person.profile)) : null), figures(() => seePerson(pane, id)));
}

export async function seeChapters(pane, id, chapter) {
	const person = await get(`person/${id}`);
	const chapters = person.chapters || [];
	replace(pane, h('h2', nameLink(id)), tabsOf(id, 'chapters'),
		chapters.length ? h('ol.chapters', chapters.map((one) => h('li', { class: one.level, id: `chapter-${one.id}` },
			h('details', { open: one.id === chapter },
				h('summary', h('strong', one.title || one.id), ' ', h('span', { class: 'small' },
					[one.days ? (one.days[0] === one.days[1] ? nth('day', one.days[0]) : t('days', { from: one.days[0], to: one.days[1] })) : null,
						...(reading.figures ? [t('messages_n', { count: one.messages || 0 }), t('tokens_n', { count: one.tokens || 0 })] : [])].filter(Boolean).join(' · '))),
				h('div.prose', linked(one.summary || '')))))) : emptyState('no_chapters'));
}

const PARTS = ['rules', 'profile', 'chapter', 'message', 'recalled', 'exchange', 'ask'];

export async function seeContext(pane, id, call) {
	const context = await get(`context/${id}`, { call });
	const person = call == null ? await get(`person/${id}`).catch(() => ({})) : {};
	const sumOf = (parts) => parts.reduce((sum, part) => sum + part.tokens, 0);
	const total = context.tokens || sumOf(context.parts) || 1;
	const sums = PARTS.map((kind) => [kind, sumOf(context.parts.filter((part) => part.part === kind))]).filter(([, tokens]) => tokens);
	let edge = -1;
	context.parts.forEach((part, i) => { if (part.cached) edge = i; });
	const folded = new Set(context.fold_next || []);
	const open = (part) => {
		const target = texts.querySelector(`[data-part="${CSS.escape(part.id)}"]`);
		target?.scrollIntoView({ block: 'start' });
		target?.focus({ preventScroll: true });
	};
	const strip = h('div.strip', { 'aria-hidden': 'true' });
	const grain = total / 400;
	let group = null;
	context.parts.forEach((part, i) => {
		if (!group || group.kind !== part.part || group.tokens + part.tokens > grain || i === edge + 1) {
			group = { kind: part.part, tokens: 0, first: part, cached: part.cached };
			const block = h('div', { class: `block ${part.part}${part.cached ? ' is-cached' : ''}${folded.has(part.id) ? ' folds' : ''}`, onclick: () => open(part),
				title: `${word('part', part.part)} · ${number(part.tokens)} · ${part.text.slice(0, 160)}` });
			group.block = block;
			strip.append(block);
		}
		group.tokens += part.tokens;
		group.block.style.setProperty('--tokens', group.tokens);
		if (i === edge && edge < context.parts.length - 1) strip.append(h('div.edge'));
	});
	const texts = h('ol.context-parts', { 'aria-label': t('context') });
	const shown = (part, i) => [
		h('li', { class: `${part.part}${part.cached ? ' is-cached' : ''}`, 'data-part': part.id, tabindex: part.text.length > 400 ? 0 : -1 },
			h('p.part-head', h('span', { class: `swatch ${part.part}` }), word('part', part.part),
				part.speaker == null ? null : [' ', nameLink(part.speaker)], part.number == null ? null : [' ', eventLink(part.number)],
				folded.has(part.id) ? tag(t('folds_next')) : null,
				h('span.num.end', number(part.tokens))),
			h('div.part-text', part.text),
			part.also?.length ? h('p.small', t('also'), ' ', commas(part.also.slice(0, 12), nameLink)) : null),
		i === edge ? h('li.edge-line', t('cached_until', { count: context.cached || 0 })) : null];
	replace(texts, context.parts.map(shown));
	const calls = person.calls || [];
	replace(pane, h('h2', nameLink(id)), tabsOf(id, 'context'),
		h('p.small', call == null ? t('as_next_request') : rich('as_call', { call: callLink(Number(call)) }),
			calls.length ? [' ', callLink(calls.at(-1), t('last_request'))] : null),
		pairs([['tokens', number(total)],
			['past_tokens', context.past ? `${number(context.past[0])} / ${number(context.past[1])}` : null],
			['cached_tokens', share(context.cached, total)], ['provider_cached', context.provider_cached ? number(context.provider_cached) : null]]),
		h('ul.legend', sums.map(([kind, tokens]) => h('li', h('span', { class: `swatch ${kind}` }), word('part', kind), ' ', h('span.num', short(tokens))))),
		context.parts.length ? h('div.context', strip, texts) : emptyState('context_empty'));
}

export function seeNow(pane) {
	const draw = () => {
		const { story, run } = state;
		const spent = story.spent || {};
		const now = storyTime();
		replace(pane, h('h2', t('at_a_glance')),
			pairs([['world', story.title || story.world], ['day', story.day ? number(story.day) : null], ['turn', number(story.turn || 0)],
				...(state.isHost && reading.figures ? [['seed', String(story.seed)], ['events', number(events.total)], ['calls', number(spent.calls || 0)], ...usageOf(spent)] : [])]),
			listPart('thinking_now', run.thinking, (open) => [nameLink(open.who), ' ',
				state.isHost ? seeLink(`call/${open.call}`, word('purpose', open.purpose), {}, '.small') : null,
				h('span.num.end', now > open.since && now - open.since < 86400000 ? duration(now - open.since) : '')]),
			h('p.small.hint', t('glance_hint')), figures(draw));
	};
	draw();
	return on('run', draw);
}

export const closeButton = () => iconButton('close', t('close'), () => go({ see: undefined }), { class: 'bare close' });
