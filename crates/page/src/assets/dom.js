// Building blocks: elements, labels, numbers. Every text of a story becomes a text node here.

let labels = {};
let lang = 'en';

export function setLanguage(code, texts) {
	lang = code.startsWith('zh') ? 'zh' : 'en';
	labels = texts;
}

export const isChinese = () => lang === 'zh';

function pattern(key, args) {
	const one = args && args.count === 1 && labels[`page_${key}_one`];
	return one || labels[`page_${key}`] || key;
}

// The label of a key; `{name}` is filled from `args`.
export function t(key, args) {
	return pattern(key, args).replace(/\{ ?\$?(\w+) ?\}/g, (whole, name) => {
		const value = args && args[name];
		return value === undefined ? whole : typeof value === 'number' ? number(value) : String(value);
	});
}

export const nth = (what, n) => t(`${what}_n`, { n });

// The same as nodes, where an argument may be an element.
export function rich(key, args) {
	return pattern(key, args).split(/(\{ ?\$?\w+ ?\})/).map((piece) => {
		const name = /^\{ ?\$?(\w+) ?\}$/.exec(piece);
		return name ? args[name[1]] : piece;
	});
}

// The label of a word of the data, such as a purpose, or the word itself.
export function word(prefix, name) {
	const key = `${prefix}_${String(name).replace(/\W+/g, '_')}`;
	return labels[`page_${key}`] || labels[`story_${key}`] || String(name);
}

// An element, `h('p.small', { title }, 'text')`. `hue` and `vars` go through the CSSOM, `on…` are
// listeners.
export function h(what, ...rest) {
	const [tag, ...classes] = what.split('.');
	const element = document.createElement(tag);
	if (classes.length) element.className = classes.join(' ');
	if (rest[0]?.constructor === Object) setAttributes(element, rest.shift());
	append(element, rest);
	return element;
}

export function svg(tag, attributes, ...children) {
	const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
	setAttributes(element, attributes);
	append(element, children);
	return element;
}

function setAttributes(element, attributes) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value == null || value === false) continue;
		if (name === 'hue') element.style.setProperty('--hue', value);
		else if (name === 'vars') {
			for (const [key, set] of Object.entries(value)) element.style.setProperty(key, set);
		} else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else element.setAttribute(name, value === true ? '' : String(value));
	}
}

function append(element, children) {
	for (const child of children) {
		if (child == null || child === false) continue;
		if (Array.isArray(child)) append(element, child);
		else element.append(child instanceof Node ? child : String(child));
	}
}

export function replace(element, ...children) {
	element.textContent = '';
	append(element, children);
	return element;
}

export const icon = (name) => svg('svg', { viewBox: '0 0 16 16', class: `icon i-${name}`, 'aria-hidden': 'true' }, svg('use', { href: `#i-${name}` }));

export function button(text, onclick, attributes, picture) {
	return h('button', { type: 'button', onclick, ...attributes }, picture && icon(picture),
		picture ? h('span', text) : text);
}

export const iconButton = (picture, text, onclick, attributes) => markButton(icon(picture), text, onclick, { class: 'bare', ...attributes });

export function number(value, digits) {
	return new Intl.NumberFormat(lang, { maximumFractionDigits: digits ?? 0 }).format(value);
}

export function short(value) {
	return new Intl.NumberFormat(lang, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

let currency = '';

export function setCurrency(code) {
	currency = code || '';
}

export function money(value) {
	if (value == null) return '?';
	if (!value) return '0';
	const digits = value < 0.01 ? 5 : value < 1 ? 4 : 2;
	const options = { minimumFractionDigits: 2, maximumFractionDigits: digits };
	if (/^[A-Z]{3}$/.test(currency)) Object.assign(options, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
	return new Intl.NumberFormat(lang, options).format(value);
}

export function duration(milliseconds) {
	if (milliseconds < 1000) return `${number(milliseconds)} ms`;
	if (milliseconds < 60000) return `${number(milliseconds / 1000, 1)} s`;
	return milliseconds < 7200000 ? `${number(milliseconds / 60000, 1)} min` : `${number(milliseconds / 3600000, 1)} h`;
}

export function clockTime(date) {
	return new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(date);
}

// A list of nodes with the language's commas between them.
export function listNodes(nodes) {
	const parts = new Intl.ListFormat(lang, { type: 'conjunction' }).formatToParts(nodes.map((_, i) => String(i)));
	return parts.map((part) => (part.type === 'element' ? nodes[Number(part.value)] : part.value));
}

export function remember(key, value, kept = 'localStorage') {
	try {
		const storage = window[kept];
		if (value === undefined) return JSON.parse(storage.getItem(`playhouse.${key}`));
		storage.setItem(`playhouse.${key}`, JSON.stringify(value));
	} catch {
		// A file opened from the disk may have no storage.
	}
	return value ?? null;
}

export const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// What a screen reader says next, politely.
export function announce(text) {
	const live = document.getElementById('live');
	if (live) live.textContent = text;
}

export const field = (name, control) => h('label.field', h('span', name), control);
export const options = (list, chosen) => list.map(([value, text]) => h('option', { value, selected: chosen != null && String(value) === String(chosen) }, text));
export const cell = (style, content, attributes) => h('div', { role: 'cell', class: `cell ${style}`, ...attributes }, content);
export const tag = (text, style = '') => h(`span.tag${style}`, text);
// An amount with its share of a whole.
export const share = (part, of) => (of ? `${number(part || 0)} (${number(((part || 0) / of) * 100)} %)` : null);
// What was used and paid, for `pairs`.
export const usageOf = (use) => [['prompt_tokens', number(use.prompt || 0)], ['cached_tokens', share(use.cached, use.prompt)], ['answer_tokens', number(use.completion || 0)],
	['reasoning_tokens', use.reasoning ? number(use.reasoning) : null], ['cost', use.cost == null ? null : money(use.cost)]];

export function section(title, ...children) {
	const content = children.flat(3).filter(Boolean);
	if (!content.length) return null;
	return h('section.part', h('h3', t(title)), content);
}

// The rows of a list under a heading; nothing if there are none. `render` gives what a row holds.
export function listPart(title, list, render, style = '') {
	return list?.length ? section(title, h(`ul.rows${style}`, list.map((one) => h('li', ...[render(one)].flat())))) : null;
}

// A small table of values under labels; empty values are left out.
export function pairs(rows) {
	const kept = rows.filter(([, value]) => value != null && value !== '');
	return h('dl.pairs', kept.map(([name, value]) => [h('dt', t(name)), h('dd', value)]));
}

export function tableHead(keys, style = '') {
	return h(`thead${style}`, h('tr', keys.map((key) => h('th', { scope: 'col' }, t(key)))));
}

export function viewHead(key, ...rest) {
	return h('div.view-head', h('h2.view-title', t(key)), rest);
}

// Nodes with commas, or with spaces, between them.
export const commas = (list, node) => list.map((one, i) => [i ? (isChinese() ? '、' : ', ') : '', node(one)]);
export const chips = (list, node, style = '') => h(`p.chips${style}`, list.map((one) => [node(one), ' ']));

// A button whose mark needs a name.
export function markButton(mark, text, onclick, attributes) {
	return button(mark, onclick, { 'aria-label': text, title: text, ...attributes });
}

export const emptyState = (key, hint = labels[`page_${key}_hint`]) => h('div.empty', h('p', t(key)), hint && h('p.small', hint));
