// A person's seat: what it is asked, as one form, and what it answers.

import { announce, button, h, options, remember, replace, rich, t, word } from './dom.js';
import { entityOf, get, isReport, on, post, state } from './data.js';
import { nameLink, whoIs } from './names.js';
import { complain } from './steer.js';

const WORDS = '{words}';

// Words of a person in one line.
const typedIn = (control) => control.value.replace(/\s+/g, ' ').trim();

function enterSends(control) {
	control.addEventListener('keydown', (event) => {
		if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
		event.preventDefault();
		control.form.requestSubmit();
	});
	return control;
}

// Each field has an element, `read` for what it holds (undefined if nothing, null if a part of it
// is missing), `put` for what it is to hold, and `tell` for the sentence that says what follows.

// What a field is called, with what it means to leave it empty.
function nameOfField({ label = t('your_words'), skip }) {
	return skip ? t('or_empty', { label, skip }) : label;
}

function wordsField(field, rows = 1) {
	const label = nameOfField({ ...field, label: field.label || undefined });
	const control = enterSends(h('textarea', { rows, 'aria-label': label, placeholder: label }));
	return { control, element: control, read: () => typedIn(control) || undefined, put: (typed) => { control.value = typed; }, tell: () => null };
}

// An option of a list: a sentence for each way.
function pickField(field) {
	const rows = field.options.map((option) => [option.value, option.label]);
	const isSure = rows.length === 1 && !field.skip;
	const control = h('select', { 'aria-label': field.label }, options(isSure ? rows : [['', nameOfField(field)], ...rows]));
	const chosen = () => field.options.find((option) => option.value === control.value);
	return {
		element: control, chosen, read: () => chosen() && [{ option: Number(control.value) }],
		put: ([one]) => { control.value = one.option; },
		tell: () => chosen()?.summary,
	};
}

// What may be said: to whom and how in one list, and the words.
function speechField(field) {
	const ways = field.options.flatMap((option) => {
		const which = option.fields.find((own) => own.options.length);
		const words = option.fields.find((own) => own.free);
		return which ? which.options.map((way) => ({ option, which, way, words })) : [{ option, words }];
	});
	const groups = field.options.map((option) => {
		const own = ways.map((way, i) => [i, way]).filter(([, way]) => way.option === option);
		const rows = options(own.map(([i, { way }]) => [i, way ? way.label : option.label]));
		return own.some(([, { way }]) => way) ? h('optgroup', { label: option.label }, rows) : rows;
	});
	const whom = h('select', { 'aria-label': t('to_whom') }, groups);
	const words = enterSends(h('textarea', { rows: 1, 'aria-label': field.label, placeholder: field.label }));
	// By default everybody hears it.
	const open = ways.findIndex(({ way, option }) => option === field.options[0] && way?.summary && way === ways.filter((one) => one.option === option).at(-1).way);
	whom.value = String(Math.max(0, open));
	const chosen = () => ways[Number(whom.value)];
	return {
		control: words, element: h('div.speech-field', words, whom),
		read: () => {
			const { option, which, way, words: own } = chosen();
			const fields = { ...(which && { [which.name]: [{ option: Number(way.value) }] }), [own.name]: typedIn(words) };
			return typedIn(words) ? [{ option: Number(option.value), fields }] : undefined;
		},
		put: ([{ option, fields }]) => {
			const isMeant = (one) => Number(one.option.value) === option && (!one.which || Number(one.way.value) === fields[one.which.name][0].option);
			whom.value = ways.findIndex(isMeant);
			words.value = fields[ways[0].words.name];
		},
		tell: () => (typedIn(words) ? ((chosen().way ?? chosen().option).summary || '').replace(WORDS, typedIn(words)) : null),
	};
}

// Buttons, of which one is pressed, or several as far as their budget goes; what one needs opens
// beneath.
function buttonsField(field, changed, isNamed) {
	const beneath = h('div.beneath', { hidden: true });
	const pressed = new Map();
	const costs = () => [...pressed.keys()];
	const canJoin = (option) => option.cost != null && costs().every((one) => one.cost != null && one.group !== option.group)
		&& costs().reduce((sum, one) => sum + one.cost, option.cost) <= field.budget;
	const buttons = field.options.map((option) => button(option.label, () => {
		if (pressed.has(option)) pressed.delete(option);
		else {
			if (!canJoin(option)) pressed.clear();
			pressed.set(option, option.fields.map((own) => fieldOf(own, changed)));
		}
		draw();
		changed();
		beneath.querySelector('textarea, select')?.focus({ preventScroll: true });
	}));
	function draw() {
		field.options.forEach((option, i) => { buttons[i].ariaPressed = String(pressed.has(option)); });
		const opened = [...pressed.values()].flat();
		beneath.hidden = !opened.length;
		replace(beneath, opened.map((own) => own.element));
	}
	draw();
	return {
		control: buttons[0], buttons,
		element: h('div.choice-field', isNamed && field.label ? h('p.asked', nameOfField(field)) : null, h('div.menu', { role: 'group', 'aria-label': field.label || t('what_you_can_do') }, buttons), beneath),
		read: () => {
			const chosen = [...pressed].map(([option, parts]) => {
				const values = parts.map((part) => part.read());
				return values.some((value) => value == null) ? null : { option: Number(option.value), fields: Object.fromEntries(parts.map((part, i) => [part.name, values[i]])) };
			});
			return chosen.includes(null) ? null : chosen.length ? chosen : undefined;
		},
		put: (chosen) => {
			for (const one of chosen) {
				const option = field.options.find(({ value }) => Number(value) === one.option);
				pressed.set(option, option.fields.map((own) => holding(fieldOf(own, changed), one.fields)));
			}
			draw();
		},
		tell: () => [...pressed].map(([option, parts]) => {
			const words = parts.map((part) => part.control && typedIn(part.control)).find(Boolean);
			const sentence = parts.map((part) => part.tell()).find(Boolean) || option.summary || option.label;
			return sentence.includes(WORDS) ? words && sentence.replace(WORDS, words) : sentence;
		}).filter(Boolean).join(' · '),
	};
}

function fieldOf(field, changed, isTop, isNamed) {
	// What is said in each way are the same words.
	const words = new Set(field.options.map((option) => option.fields.find((own) => own.free)?.name));
	const isSpeech = isTop && words.size === 1 && !words.has(undefined);
	const made = isSpeech ? speechField(field) : !field.options.length ? wordsField(field) : isTop && !field.with ? buttonsField(field, changed, isNamed) : pickField(field);
	return Object.assign(made, { name: field.name, skip: field.skip, with: field.with });
}

// The field with what it is to hold, by the names of fields.
function holding(field, begun) {
	if (begun[field.name] !== undefined) field.put(begun[field.name]);
	return field;
}

// A whole turn; `send` gets what was filled in, `keep` what is so far.
export function turnForm(ask, send, undo, keep = () => {}) {
	const summary = h('p.summary', { 'aria-live': 'polite' });
	const submit = h('button', { type: 'submit', class: 'primary' }, t('seat_send'));
	let fields = [];
	const read = () => {
		const found = {};
		for (const field of fields) {
			const value = field.with && found[field.with] === undefined ? undefined : field.read();
			if (value === null || (value === undefined && !field.skip)) return null;
			if (value !== undefined) found[field.name] = value;
		}
		return !ask.one_of.length || ask.one_of.some((name) => found[name] !== undefined) ? found : null;
	};
	const changed = () => {
		for (const field of fields) if (field.with) field.element.hidden = fields.find((other) => other.name === field.with).read() === undefined;
		summary.textContent = fields.map((field) => field.tell()).filter(Boolean).join(' · ');
		submit.disabled = !read();
		keep({ begun: Object.fromEntries(fields.map((field) => [field.name, field.read()]).filter(([, value]) => value != null)) });
	};
	fields = ask.fields.map((field) => holding(fieldOf(field, changed, true, !ask.label || ask.fields.length < 2), ask.begun));
	const maySkip = !ask.one_of.length && fields.every((field) => field.skip);
	const form = h('form.turn', { oninput: changed, onsubmit: (event) => {
		event.preventDefault();
		const form = read();
		if (form) send({ form }, submit);
	} }, fields.map((field) => field.element), summary,
	h('p.actions.end', undo, maySkip ? button(fields[0].skip, (event) => send({ form: {} }, event.target), { class: 'quiet' }) : null, submit));
	changed();
	return { form, control: fields.map((field) => field.control).find(Boolean) };
}

// One question for words, or for an option of a menu.
export function questionForm(ask, send, undo, keep = () => {}) {
	const menu = ask.options.map((option) => button(option.label, (event) => send({ option: option.value }, event.target)));
	const words = wordsField({ ...ask, label: '' }, 2);
	words.put(ask.typed);
	const typed = (event) => {
		event?.preventDefault();
		const text = words.read();
		// Beside options, a single word must not be taken for one of them.
		if (text) send({ text: menu.length ? `“${text}”` : text }, words.control);
		else words.control.focus();
	};
	const ways = [ask.back && button(t('back'), (event) => send({ text: 'b' }, event.target), { class: 'quiet' }),
		ask.skip && button(ask.skip, (event) => send({ text: '' }, event.target), { class: 'quiet' }),
		ask.free && h('button', { type: 'submit', class: 'primary' }, t('seat_send'))].filter(Boolean);
	const form = h('form.turn', { onsubmit: typed, oninput: () => keep({ typed: words.control.value }) }, menu.length ? h('div.menu', { role: 'group', 'aria-label': t('what_you_can_do') }, menu) : null,
		ask.free ? words.element : null, h('p.actions.end', undo, ways));
	return { form, control: menu[0] || words.control };
}

// What was told since the last answer; of a long text only the first line is open.
export function askedAbout(ask) {
	const lines = ask.question.split('\n').filter((one) => one.trim());
	// Where no question follows, what is asked stands last.
	const asked = ask.label || (ask.fields ? '' : lines.pop());
	const [first, ...rest] = lines.map((one) => h('p', one));
	// Why an answer can't be used is in sight.
	const isAgain = ask.typed || Object.keys(ask.begun || {}).length;
	return [h('div.question', first, isAgain ? rest : rest.length ? h('details', h('summary', t('seat_more')), rest) : null), asked ? h('p.asked', asked) : null];
}

// Who a person plays, before it is asked for the first time.
function introduction(person) {
	const about = person.about ?? (state.story.table ? word('seat', 'rules') : person.profile);
	const part = (name, list) => (list?.length ? [h('p', h('b', word('seat', name))), h('ul', list.map((one) => h('li', one)))] : null);
	return h('div.you', { tabindex: 0 }, about && h('p', about), part('goals', person.goals?.map(({ words }) => words)),
		part('items', person.items?.map(({ name, look }) => [name, look && h('span.muted', ` · ${look}`)])), part('facts', person.secrets), h('p.small', word('seat', 'hint')));
}

const personAt = ({ name, person }) => (person ? `${person} (${name})` : name);

// The time that somebody has left.
function timeLeft(left, isOwn) {
	if (!left) return null;
	return h('span.num', { 'data-until': performance.now() + left.ms, 'data-then': isOwn ? left.then : undefined });
}

function tickLeft() {
	for (const span of document.querySelectorAll('[data-until]')) {
		const seconds = Math.max(0, Math.ceil((span.dataset.until - performance.now()) / 1000));
		const { then } = span.dataset;
		const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
		span.textContent = ` ${!seconds && then === 'wait' ? t('seat_time_over') : [t('seat_time', { time }), then && t(`after_${then}`)].filter(Boolean).join(' · ')}`;
		span.classList.toggle('warn', seconds <= 20);
	}
}
setInterval(tickLeft, 1000);

// For which people the story waits.
export function waitedFor() {
	const asked = (state.run.table || []).filter((one) => one.asked && one.name !== entityOf(state.seat)?.name);
	return asked.map((one) => h('p.status', h('span.dot'), t('waiting_for', { names: personAt(one) }), timeLeft(one.left)));
}

export async function openSeat(box) {
	if (state.isHost || isReport) return;
	let seat = await get('seat').catch(() => null);
	if (!seat) return;
	state.openAsk = seat.open || null;
	const person = await get(`person/${seat.who}`).catch(() => ({}));
	const you = introduction(person);
	// Whoever plays with a card always has it in sight.
	const card = state.story.table ? (person.secrets || []).map((secret) => h('p.card', secret)) : null;
	const send = async (body, control) => {
		const form = control?.closest('form');
		if (form?.ariaBusy === 'true') return;
		if (form) form.ariaBusy = 'true';
		try {
			await post('seat', body);
		} catch (error) {
			complain(error);
		}
		if (form) form.ariaBusy = null;
	};
	const left = h('span.small.left');
	const undo = h('span.undo');
	const others = h('div.small');
	const drawTable = () => {
		const { table = [], undo: last } = state.run;
		const own = table.find(({ name }) => name === entityOf(seat.who)?.name);
		seat.played_by = own ? own.played_by : 'mind';
		replace(left, own?.asked ? timeLeft(own.left, true) : null);
		replace(undo, last ? button(last.what ? t('take_back', { what: last.what }) : t('take_back_last'), (event) => send({ undo: last.number }, event.target), { class: 'quiet', title: last.what }) : null);
		if (own && !own.person && remember('person')) send({ person: remember('person') });
		if (!others.contains(document.activeElement)) replace(others, table.filter((one) => one !== own && one.person).map((one) => h('p', t('plays', one))), table.length > 1 && !own?.person && state.run.state !== 'finished' ? nameForm(send) : null);
		tickLeft();
	};
	let drawn;
	const draw = () => {
		if (state.run.table) drawTable();
		const ask = state.openAsk;
		const me = entityOf(seat.who);
		const status = statusOf(seat, me);
		const key = JSON.stringify([ask, status, me?.name, me?.place]);
		if (key === drawn) return;
		drawn = key;
		box.hidden = false;
		const who = h('p.seat-who', rich('you_are', { name: nameLink(seat.who) }), me ? h('span.small', ' ', whoIs(me).split(' · ').slice(1).join(' · ')) : null, left,
			status === 'seat_over' ? null : seat.played_by !== 'seat' ? button(t(seat.played_by === 'improviser' ? 'im_back' : 'take_seat'), (event) => send({ take: true }, event.target)) : button(t('leave_seat'), (event) => send({ leave: true }, event.target), { class: 'quiet' }));
		if (!ask) return replace(box, who, h('p.status', t(status)), others, h('p.actions', undo));
		const answer = (body, control) => send({ number: ask.number, ...body }, control);
		// What was not sent yet outlives the page.
		const of = JSON.stringify(ask);
		const place = `draft.${state.story.slot}.${seat.who}`;
		const kept = remember(place, undefined, 'sessionStorage');
		const begun = kept?.of === of ? { ...ask, ...kept.draft } : ask;
		const { form, control } = (ask.fields ? turnForm : questionForm)(begun, answer, undo, (draft) => remember(place, { of, draft }, 'sessionStorage'));
		replace(box, who, ask.number === 1 && !state.run.undo ? you : card, h('div.ask', askedAbout(ask), form));
		announce(`${ask.question.slice(0, 500)} ${ask.label}`);
		// Where there is a keyboard, one types at once.
		if (document.activeElement === document.body && matchMedia('(hover: hover)').matches) control?.focus({ preventScroll: true });
	};
	draw();
	on('ask entities run', draw);
}

// How it stands while nothing is asked.
function statusOf(seat, me) {
	if (state.run.state === 'finished') return 'seat_over';
	if (seat.played_by !== 'seat') return seat.played_by === 'improviser' ? 'seat_time_up' : 'seat_is_away';
	if (me?.dead) return state.story.table ? 'seat_out' : 'seat_fallen';
	return 'not_your_turn';
}

// What the others at the table call the person.
const nameForm = (send) => h('form.name', { onsubmit: (event) => {
	event.preventDefault();
	const person = typedIn(event.target.person);
	event.target.person.blur();
	if (person) send({ person: remember('person', person) });
} }, h('input', { name: 'person', 'aria-label': t('your_name'), placeholder: t('your_name'), maxlength: 40, size: 24 }), h('button', { type: 'submit' }, t('seat_send')));
