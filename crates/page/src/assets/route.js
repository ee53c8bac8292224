// The address of what is shown: `?view=story&see=person/3` when served, the same after `#` in a
// file.

const isFile = document.documentElement.dataset.report === '1';
const listeners = [];

function read() {
	const text = isFile ? location.hash.slice(1) : location.search.slice(1);
	return Object.fromEntries(new URLSearchParams(text));
}

export let route = read();

// The filters of a story, as an address has them, and all taken away.
export const filtersOf = ({ who, by, place, fact, text, turn, day }) => ({ who, by, place, fact, text, turn, day });
export const NO_FILTER = filtersOf({});

export function onRoute(listener) {
	listeners.push(listener);
}

export function address(changes) {
	const next = { ...route, ...changes };
	const kept = Object.entries(next).filter(([, value]) => value != null && value !== '');
	const text = new URLSearchParams(kept).toString().replaceAll('%2F', '/');
	return (isFile ? '#' : '?') + text;
}

// Shows something else. What is `undefined` is removed from the address.
export function go(changes, { silently = false } = {}) {
	const next = address(changes);
	if (silently) history.replaceState(null, '', next);
	else if (next !== address({})) history.pushState(null, '', next);
	moved();
}

function moved() {
	const before = route;
	route = read();
	for (const listener of listeners) listener(route, before);
}

addEventListener('popstate', moved);

// Links of the page stay in the page.
addEventListener('click', (event) => {
	const link = event.target instanceof Element && event.target.closest('a[href]');
	if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
	const href = link.getAttribute('href');
	if (!href.startsWith(isFile ? '#' : '?') || link.closest('[data-plain]')) return;
	event.preventDefault();
	if (href !== address({})) history.pushState(null, '', href);
	moved();
});
