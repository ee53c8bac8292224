// The page: its views, the inspector beside them, the lists at the side, the keyboard. Starts here.

import { announce, button, emptyState, field, h, iconButton, icon, options, t, remember, replace, rich, setCurrency, setLanguage, markButton, isChinese } from './dom.js';
import { NO_FILTER, address, go, onRoute, route } from './route.js';
import { calls, can, emit, follow, get, isReport, ofKind, on, open, readTurns, state } from './data.js';
import { Book, reading } from './book.js';
import { fate, nameLink, storyLink } from './names.js';
import { seePlace, showMap } from './map.js';
import { closeButton, seeChapters, seeContext, seeNow, seePerson, showPeople } from './people.js';
import { showAudience } from './audience.js';
import { seeFact, seeItem, showFacts } from './facts.js';
import { showCalls, Timeline } from './timeline.js';
import { seeCall, seeEvent } from './inspect.js';
import { showBranches } from './branches.js';
import { showDesk } from './desk.js';
import { complain, drawBar, openDialog, openHeld, step, toast, togglePlay } from './steer.js';
import { openSeat } from './seat.js';

const find = (id) => document.getElementById(id);

const VIEWS = { story: null, map: showMap, people: showPeople, audience: showAudience, calls: showCalls, facts: showFacts, branches: showBranches, desk: showDesk };
const VIEW_KEYS = { s: 'story', p: 'people', m: 'map', t: 'calls', w: 'audience', f: 'facts', b: 'branches', d: 'desk' };
const OF_HOST = ['audience', 'calls', 'branches'];
const isThere = (name) => (name === 'desk' ? can('rehearse') : state.isHost || !OF_HOST.includes(name));
const views = () => Object.keys(VIEWS).filter(isThere);

let book;
let strip;

let leaveView = null;
let shownView = '';

async function showView(next, before) {
	const view = views().includes(next.view) ? next.view : 'story';
	document.body.dataset.view = view;
	document.body.classList.toggle('is-read-only', next.read != null);
	for (const link of document.querySelectorAll('[data-view-link]')) {
		link.ariaCurrent = link.dataset.viewLink === view ? 'page' : null;
	}
	const other = find('view');
	find('told').hidden = view !== 'story';
	other.hidden = view === 'story';
	const { see: _, read: _read, n, ...rest } = next;
	const key = JSON.stringify({ ...rest, n: view === 'audience' ? n : undefined, view });
	const isNew = key !== shownView;
	if (isNew || view === 'story') {
		shownView = key;
		leaveView?.();
		leaveView = null;
	}
	if (view === 'story') {
		book.show(next, before);
		book.list.schedule();
	} else if (isNew) {
		const pane = h('div', { class: `pane p-${view}` });
		replace(other, pane);
		try {
			const leave = await VIEWS[view](pane, next);
			if (shownView === key) leaveView = leave;
			else leave?.();
		} catch (error) {
			replace(pane, broken(error, () => { shownView = ''; showView(route); }));
		}
	}
	setStrip();
}

function broken(error, again) {
	return h('div.empty.bad', { role: 'alert' }, h('p', error.status === 404 ? t('not_there') : error.status ? error.message : t('no_answer')),
		h('p.small', error.help || (error.status ? '' : String(error.message))), button(t('again'), again));
}

let leaveSeen = null;
let seen;

async function see(next) {
	const what = next.see || '';
	if (what === seen) return;
	seen = what;
	leaveSeen?.();
	leaveSeen = null;
	const inspector = find('inspector');
	document.body.classList.toggle('is-seeing', Boolean(what));
	if (what) book.keep();
	const pane = h('div.seen');
	replace(inspector, what ? closeButton() : null, pane);
	inspector.scrollTop = 0;
	const [kind, ...rest] = what.split('/');
	const id = rest.join('/');
	const [first, ...more] = rest;
	const open = {
		person: () => seePerson(pane, Number(id)), place: () => seePlace(pane, Number(id)), event: () => seeEvent(pane, Number(id)),
		call: () => seeCall(pane, Number(first), more[0]), context: () => seeContext(pane, Number(first), more[0]),
		chapters: () => seeChapters(pane, Number(first), more.join('/') || undefined), fact: () => seeFact(pane, id), item: () => seeItem(pane, id),
	}[kind] || (() => (state.seat == null ? seeNow(pane) : seePerson(pane, state.seat)));
	try {
		const leave = await open();
		if (seen === what) leaveSeen = leave || null;
		else leave?.();
		if (what && document.activeElement === document.body) pane.querySelector('h2')?.focus();
	} catch (error) {
		replace(pane, broken(error, () => { seen = undefined; see(route); }));
	}
}

// What is seen may have changed after a turn; what is being read isn't moved.
function seeAgain() {
	if (/^(person|place|fact|item)\//.test(seen || (state.seat == null ? '' : 'person/')) && find('inspector').scrollTop < 40 && !find('inspector').querySelector('details[open]')) {
		seen = undefined;
		see(route);
	}
}

function drawSide() {
	const actors = ofKind('actor').sort((a, b) => Boolean(fate(a)) - Boolean(fate(b)));
	const busy = new Set(state.run.thinking.map((open) => open.who));
	const item = (entity) => h('li', { class: busy.has(entity.id) ? 'is-busy' : '' }, nameLink(entity.id));
	for (const [name, list] of [['people', actors], ['places', ofKind('stage')]]) replace(find(`side-${name}`), h('h2', t(name)), h('ul.plain', list.map(item)));
}

let headings = 200;

// The last headings; a button gets those before them.
function drawHeadings(box = find('side-chapters')) {
	const list = state.headings.slice(-headings);
	const more = () => { headings += 200; drawHeadings(box); };
	return replace(box, list.length ? h('h2', t('contents')) : null, list.length < state.headings.length ? button(t('earlier'), more, { class: 'quiet' }) : null, h('ol.plain', list.map((heading) => h('li', { class: `f-${heading.form}` }, h('a', { href: address({ view: 'story', n: heading.number, ...NO_FILTER }) }, heading.text)))));
}

function setStrip() {
	const box = find('strip');
	const wanted = state.isHost && calls.total > 0 && (route.view || 'story') === 'story' && remember('strip') === true && innerWidth >= 1100 && innerHeight >= 700 && route.read == null;
	box.hidden = !wanted;
	document.querySelector('.strip-button')?.setAttribute('aria-pressed', String(wanted));
	if (wanted && !strip) strip = new Timeline(box, { compact: true });
}

function foldStrip(isShown) {
	remember('strip', isShown);
	setStrip();
}

// The page in each language, at the same place.
const languageLinks = () => h('span.languages', [['en', 'English'], ['zh', '中文']].map(([code, name]) => [h('a', { href: address({ lang: code }), lang: code, 'data-plain': true, 'aria-current': isChinese() === (code === 'zh') ? 'true' : undefined }, name), ' ']));

function settingsDialog() {
	const setting = (text, value, apply) => h('label.check', h('input', { type: 'checkbox', checked: value, onchange: (event) => apply(event.target.checked) }), text);
	const toggle = (key) => setting(t(`show_${key}`), reading[key], (is) => { reading[key] = is; remember('reading', reading); book.list.reset(); });
	openDialog(t('reading'), h('div.form', ['thoughts', 'notes'].map(toggle), state.isHost ? toggle('own') : null,
		state.isHost ? setting(t('show_strip'), remember('strip') === true, foldStrip) : null,
		field(t('pace'), h('select', { onchange: (event) => book.setPace(Number(event.target.value)) }, options([0, 150, 220, 320].map((pace, i) => [pace, t(`pace_${i}`)]), reading.pace))),
		isReport ? null : h('div.field', h('span', t('language')), languageLinks()),
		button(t(book.isTelling ? 'tell_stop' : 'tell_on'), (event) => { book.tell(); event.target.closest('dialog').close(); }, {}, 'play')));
}

function searchDialog() {
	const words = h('input', { type: 'search', name: 'text', value: route.text || '', 'aria-label': t('search'), autofocus: true });
	const form = h('form.form.row', { onsubmit: (event) => {
		event.preventDefault();
		dialog.close();
		go({ view: 'story', text: words.value.trim() || undefined, n: undefined });
	} }, words, h('button', { type: 'submit', class: 'primary' }, t('search')));
	const dialog = openDialog(t('search_said'), form);
	words.select();
}

function keysDialog() {
	const keys = [['j k', 'key_move'], ['Enter', 'key_open'], ...Object.entries(VIEW_KEYS).map(([key, name]) => [`g ${key}`, name]), ['/', 'search'], [t('space_bar'), 'key_pause'], ['.', 'step'], ['e', 'key_end'], ['F', 'key_fold'], ['Esc', 'close'], ['?', 'keys']];
	openDialog(t('keys'), h('dl.keys', keys.map(([key, name]) => [h('dt', key.split(' ').map((one) => [h('kbd', one), ' '])), h('dd', t(name))])));
}

let afterG = 0;

function pressed(event) {
	if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector('dialog[open]')) return;
	const target = event.target;
	if (target.closest?.('input, textarea, select, [contenteditable]')) return;
	const isControl = target.closest?.('a, button, summary');
	if (event.timeStamp - afterG < 1500) {
		afterG = 0;
		const view = VIEW_KEYS[event.key];
		if (view && views().includes(view)) {
			event.preventDefault();
			go({ view });
			focusView();
		}
		return;
	}
	const inStory = (route.view || 'story') === 'story';
	const act = {
		g: () => { afterG = event.timeStamp; }, j: () => inStory && book.move(1), k: () => inStory && book.move(-1), '/': searchDialog, '?': keysDialog,
		'.': () => step(), e: () => inStory && book.toEnd(), F: () => go({ read: route.read == null ? '1' : undefined }), Escape: () => { if (route.see) go({ see: undefined }); },
		Enter: () => (isControl ? false : book.openCurrent()),
		' ': () => (isControl || target.closest?.('[tabindex="0"]:not(#told)') ? false : can('pause') || can('play') ? togglePlay() : book.tell()),
	}[event.key];
	const option = /^[1-9]$/.test(event.key) && find('seat').querySelectorAll('.menu button')[event.key - 1];
	if (option) option.focus();
	if (act && act() !== false) event.preventDefault();
}

function focusView() {
	const view = (route.view || 'story') === 'story' ? find('told') : find('view');
	view.focus({ preventScroll: true });
}

function drawFrame() {
	const link = (name, at) => h('a', { href: address({ view: name === 'story' ? undefined : name, with: undefined }), 'data-view-link': name, 'data-rank': at }, icon(name), h('span', t(name)));
	const draw = () => {
		replace(find('nav'), views().map((name, i) => link(name, i)), iconButton('more', t('more'), () => {
			const dialog = openDialog(t('more'), h('div.menu', { onclick: (event) => event.target.closest('a') && dialog.close() }, views().map((name, i) => link(name, i)),
				drawHeadings(h('div.side-copy'))));
		}, { class: 'bare more' }));
	};
	draw();
	onRoute(draw);
	replace(find('tools'), state.isHost ? iconButton('calls', t('show_strip'), () => foldStrip(find('strip').hidden), { class: 'bare strip-button' }) : null, iconButton('search', t('search'), searchDialog, { 'aria-keyshortcuts': '/' }), iconButton('book', t('key_fold'), () => go({ read: route.read == null ? '1' : undefined }), { 'aria-keyshortcuts': 'F' }),
		iconButton('settings', t('reading'), settingsDialog), markButton('?', t('keys'), keysDialog, { class: 'bare keys-button', 'aria-keyshortcuts': '?' }));
}

async function start() {
	const root = document.documentElement;
	const labels = await get('labels').catch(() => ({}));
	setLanguage(root.lang || 'en', labels);
	try {
		await open();
		// Nobody dies at a table.
		if (state.story.table) for (const key of ['dead', 'cell_d', 'why_dead']) labels[`page_${key}`] = labels.page_out;
	} catch (error) {
		find('told').prepend(broken(error, () => location.reload()));
		return;
	}
	setCurrency(state.story.currency);
	root.classList.add('is-ready');
	drawFrame();
	const drawTop = () => drawBar(find('bar'));
	drawTop();
	drawSide();
	on('run', drawTop);
	on('run entities', drawSide);
	on('turns', () => drawHeadings());
	on('turn ask', seeAgain);
	on('connection', () => {
		document.body.classList.toggle('is-lost', Boolean(state.lostSince));
		if (state.lostSince) announce(t('lost', { time: '' }));
	});
	on('moved', (slot) => toast(rich('seat_moved', { name: storyLink(slot) })));
	on('problem', (error) => { if (error.status) complain(error); });
	book = new Book(find('told'));
	await readTurns();
	onRoute(showView);
	onRoute(see);
	addEventListener('keydown', pressed);
	await Promise.all([showView(route), see(route), openSeat(find('seat')), openHeld(find('seat'))]);
	if (!isReport && state.run.state !== 'saved') follow();
	addEventListener('resize', setStrip);
	playOn();
}

// Plays on if the list of stories was asked to; once the story is read.
function playOn() {
	if (sessionStorage.getItem('playhouse.continue') !== state.story.slot) return;
	const off = on('run', () => {
		if (state.run.state === 'reading') return;
		off();
		sessionStorage.removeItem('playhouse.continue');
		book.toEnd();
		if (can('play')) togglePlay();
	});
	emit('run');
}

start().catch((error) => find('told').prepend(emptyState(String(error.message))));
