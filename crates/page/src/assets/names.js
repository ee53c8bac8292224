// Names of people, places and facts as links, alone and inside of texts.

import { h, t, word, nth } from './dom.js';
import { address } from './route.js';
import { entityOf, on, state, storyPath } from './data.js';

// How somebody left the story, or that they are dead.
export const fate = (entity) => (entity.gone ? word('gone', entity.gone) : entity.dead ? t('dead') : null);

// Who or what somebody is, in a few words.
export function whoIs(entity) {
	const place = entityOf(entity.place);
	const words = [entity.name, entity.faction && word('faction', entity.faction), place?.name, fate(entity)];
	return words.filter(Boolean).join(' · ');
}

export const targetOf = (entity) => (entity.kind === 'stage' ? `place/${entity.id}` : `person/${entity.id}`);

export function nameLink(id, { inText = false, name } = {}) {
	const entity = entityOf(id);
	if (!entity) return h('span.muted', name || t('somebody'));
	const kind = entity.kind === 'stage' ? 'place-name' : 'who';
	const shown = { class: `${kind}${inText ? ' in-text' : ''}${fate(entity) ? ' is-dead' : ''}`, hue: entity.hue ?? 0, title: whoIs(entity) };
	// Others and their places are not for who sits at a seat to look into.
	const isOpen = state.seat == null || [state.seat, entityOf(state.seat)?.place].includes(id);
	return isOpen ? h('a', { ...shown, href: address({ see: targetOf(entity) }), tabindex: inText ? -1 : undefined }, entity.name) : h('span', shown, entity.name);
}

let finder = null;
on('entities', () => { finder = null; });

// A text in which every name that is known is a link.
export function linked(text) {
	if (!finder) {
		const names = [...state.byName.keys()].filter((name) => name.length > 1).sort((a, b) => b.length - a.length);
		const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
		finder = escaped.length ? new RegExp(`(${escaped.join('|')})`, 'u') : /($^)/;
	}
	const nodes = [];
	text.split(finder).forEach((piece, i) => {
		const id = i % 2 ? state.byName.get(piece) : undefined;
		if (id != null) nodes.push(nameLink(id, { inText: true }));
		else if (piece) nodes.push(piece);
	});
	return nodes;
}

// A link to what is seen in the inspector.
export const seeLink = (see, text, attributes, style = '') => h(`a${style}`, { href: address({ see }), ...attributes }, text);
export const eventLink = (n, text) => seeLink(`event/${n}`, text ?? `#${n}`, { title: nth('event', n) }, '.num');
export const callLink = (c, text) => seeLink(`call/${c}`, text ?? nth('call', c), { title: nth('call', c) }, '.num');
export const factLink = (fact, title) => seeLink(`fact/${fact}`, title || fact);
export const itemLink = (name) => seeLink(`item/${name}`, name);
export const storyLink = (slot) => h('a', { href: storyPath(slot), 'data-plain': true }, slot);

// The model of a person or call, once if its mind is called the same.
export const modelOf = ({ mind, model }) => [...new Set([mind, model])].filter(Boolean).join(' · ');

// Links to the parts of what is seen, each with its name.
export const tabs = (label, current, list) => h('nav.tabs', { 'aria-label': label }, list.map(([name, see]) => seeLink(see, t(name), { 'aria-current': name === current ? 'page' : undefined })));

// A link to another view that looks like a button.
export const action = (changes, key) => h('a.action', { href: address(changes) }, t(key));

// A bar for health or a share, always beside its numbers.
export function bar(value, of, kind) {
	const share = of ? Math.max(0, Math.min(1, value / of)) : 0;
	return h('span', { class: `bar ${kind || ''}`, vars: { '--share': share }, 'aria-hidden': 'true' });
}

// From whom somebody has a fact, back to its source.
function chainOf({ chain = [], by }) {
	if (!chain.length) return h('span.muted', by ? word('learned_by', by) : t('from_the_start'));
	return h('span.chain', t('from'), ' ', chain.map((id, i) => [i ? h('span.arrow', { 'aria-label': t('who_has_it_from') }, ' ← ') : '', nameLink(id)]));
}

// What somebody knows, and how it came to know it.
export const knownRow = (known) => [
	h('details', h('summary', known.title || known.fact), h('p', linked(known.text || '')), h('p.small', factLink(known.fact, t('who_knows')))),
	h('p.small', chainOf(known), known.turn ? h('span.muted', ' · ', nth('day', known.day ?? 0), ', ', nth('turn', known.turn)) : null, known.number == null ? null : [' ', eventLink(known.number)])];
