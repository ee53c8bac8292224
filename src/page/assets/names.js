// Names of people, places and facts as links, alone and inside of texts.

import { h, t, word } from './dom.js';
import { address } from './route.js';
import { entityOf, on, state } from './data.js';

// Who or what somebody is, in a few words.
export function whoIs(entity) {
	const place = entityOf(entity.place);
	const words = [entity.name, entity.camp && word('camp', entity.camp), place?.name, entity.dead && t('dead')];
	return words.filter(Boolean).join(' · ');
}

// Where a click on an entity goes.
export const targetOf = (entity) => (entity.kind === 'stage' ? `place/${entity.id}` : `person/${entity.id}`);

export function nameLink(id, { inText = false, initial = false, name } = {}) {
	const entity = entityOf(id);
	if (!entity) return h('span.muted', name || t('somebody'));
	const kind = entity.kind === 'stage' ? 'place-name' : 'who';
	return h('a', {
		class: `${kind}${inText ? ' in-text' : ''}${entity.dead ? ' is-dead' : ''}`, hue: entity.hue ?? 0,
		href: address({ see: targetOf(entity) }), title: whoIs(entity), tabindex: inText ? -1 : undefined,
	}, initial ? initialOf(entity.name) : entity.name);
}

function initialOf(name) {
	const words = name.split(/\s+/).filter((word) => !/^(the|of|a)$/i.test(word));
	return (words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]).join('') : [...(words[0] || name)].slice(0, 2).join(''));
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

export function eventLink(n, text) {
	return h('a.num', { href: address({ see: `event/${n}` }), title: t('event_n', { n }) }, text ?? `#${n}`);
}

export function callLink(c, text) {
	return h('a.num', { href: address({ see: `call/${c}` }), title: t('call_n', { n: c }) }, text ?? t('call_n', { n: c }));
}

export function factLink(fact, title) {
	return h('a.fact-name', { href: address({ see: `fact/${fact}` }) }, title || fact);
}

export function itemLink(name) {
	return h('a.item-name', { href: address({ see: `item/${name}` }) }, name);
}

// The model of a person or call, once if its mind is called the same.
export const modelOf = ({ mind, model }) => [...new Set([mind, model])].filter(Boolean).join(' · ');

// A link to another view that looks like a button.
export const action = (changes, key) => h('a.action', { href: address(changes) }, t(key));

// A bar for health or a share, always beside its numbers.
export function bar(value, of, kind) {
	const share = of ? Math.max(0, Math.min(1, value / of)) : 0;
	return h('span', { class: `bar ${kind || ''}`, vars: { '--share': share }, 'aria-hidden': 'true' });
}
