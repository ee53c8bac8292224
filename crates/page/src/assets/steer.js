// What a host and a seat may do: the bar, the dialogs, the seat's menu.

import { announce, button, field, h, iconButton, number, options, t, rich, replace, word, nth } from './dom.js';
import { can, emit, get, isReport, on, post, state } from './data.js';
import { nameLink, storyLink } from './names.js';

// A message that goes away by itself, unless it is an error.
export function toast(text, help, isBad) {
	const box = document.getElementById('toasts');
	const note = h('div', { class: `toast ${isBad ? 'bad' : ''}`, role: isBad ? 'alert' : 'status' }, h('p', text), help && h('p.small', help), iconButton('close', t('close'), () => note.remove()));
	box.append(note);
	if (!isBad) setTimeout(() => note.remove(), 4000);
	return note;
}

export const complain = (error) => toast(error.message, error.help, true);

export function openDialog(title, ...content) {
	const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', onclose: () => dialog.remove() },
		h('div.dialog-head', h('h2', { id: 'dialog-title' }, title), iconButton('close', t('close'), () => dialog.close())), content);
	dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}

// Sends what is to be done; with `sure`, asks first.
export async function steer(body, sure) {
	if (sure) {
		const yes = await new Promise((done) => {
			const dialog = openDialog(t('are_you_sure'), h('p', sure), h('p.actions.end', button(t('cancel'), () => dialog.close()), button(t('do_it'), () => { done(true); dialog.close(); }, { class: 'primary' })));
			dialog.addEventListener('close', () => done(false));
		});
		if (!yes) return null;
	}
	return act(body).catch((error) => {
		complain(error);
		return null;
	});
}

// Does what is to be done.
export async function act(body) {
	const answer = await post('do', body);
	if (answer.address) openDialog(t('do_invite'), h('p', rich('invited', { name: nameLink(body.who) })), h('p.prose', h('code', answer.address)));
	if (answer.slot) {
		const name = storyLink(answer.slot);
		if (body.do !== 'branch') location.assign(name.href);
		toast(rich('branched', { name }));
		emit('turn');
	} else announce(t('done'));
	return answer;
}

function formDialog(title, fields, send, hint) {
	const wrong = h('p.complaint', { role: 'alert', hidden: true });
	const form = h('form', { method: 'dialog', class: 'form' }, hint && h('p.prose.small', hint), fields, wrong, h('p.actions.end', button(t('cancel'), () => dialog.close()), h('button', { type: 'submit', class: 'primary' }, t('do_it'))));
	form.addEventListener('submit', async (event) => {
		event.preventDefault();
		wrong.hidden = true;
		try {
			await send(new FormData(form));
			dialog.close();
		} catch (error) {
			replace(wrong, error.message, error.help && h('span.small', ' ', error.help));
			wrong.hidden = false;
		}
	});
	const dialog = openDialog(title, form);
}

export function branchDialog(turn = state.story.turn) {
	const models = state.story.models;
	deed('branch', [numberField('from_turn', 'turn', turn, { min: 0, max: state.story.turn }), field(t('name_of_branch'), h('input', { name: 'name', value: `${state.story.slot}-${turn}` })),
		numberField('seed', 'seed', undefined, { required: false, placeholder: state.story.seed }),
		models?.length ? [pick('who', 'who', those('actor', 'stage', 'world_agent')), field(t('other_model'), h('select', { name: 'model' }, options([['', '–'], ...models.map((one) => [one, one])])))] : null], 'branch_hint');
}

const those = (...kinds) => state.entityList.filter(({ kind, dead, gone }) => kinds.includes(kind) && !dead && !gone).map(({ id, name }) => [id, name]);
const pick = (label, name, list) => field(t(label), h('select', { name, required: true }, options(list)));
const person = () => pick('who', 'who', those('actor'));
const words = () => field(t('words'), h('textarea', { name: 'text', rows: 4, required: true }));

const NUMBERS = ['to', 'by', 'turn', 'seed'];

// A dialog for a deed of the host: its fields are sent under their names, with `more`.
function deed(what, fields, hint = 'deed_hint', more = {}) {
	formDialog(t(`do_${what}`), fields, (data) => {
		const body = { do: what, ...more };
		for (const [name, value] of data) if (value) body[name] = NUMBERS.includes(name) || (name === 'who' && what !== 'tell') ? Number(value) : value;
		if (what === 'tell') body.who = data.getAll('who').map(Number);
		if (what === 'branch') {
			if (body.model) body.models = { [body.who]: body.model };
			delete body.model;
			delete body.who;
		}
		return act(body);
	}, t(hint));
}

const numberField = (label, name, value, more) => field(t(label), h('input', { name, type: 'number', value, required: true, ...more }));

const DEEDS = {
	tell: () => deed('tell', [h('fieldset.checks', h('legend', t('to_whom')), those('actor').map(([id, name]) => h('label', h('input', { type: 'checkbox', name: 'who', value: id }), name))), words()], 'tell_hint'),
	note: () => deed('note', words(), 'note_hint', { do: 'tell', who: those('world_agent').map(([id]) => id) }),
	teach: async () => deed('teach', [person(), pick('fact', 'fact', (await get('facts')).map(({ fact, title }) => [fact, title || fact]))]),
	give: async () => deed('give', [pick('item', 'item', (await get('items')).map(({ name }) => [name, name])), pick('to_whom', 'to', those('actor', 'stage'))]),
	move: () => deed('move', [person(), pick('where_to', 'to', those('stage'))]),
	change: async () => deed('change', [pick('quality', 'quality', (await get('qualities')).map((one) => [one.quality, `${one.title} (${number(one.value)} / ${number(one.max)})`])), numberField('change_by', 'by', 1)]),
	undo: () => {
		const max = Math.max(0, state.story.turn - 1);
		deed('undo', numberField('to_end_of_turn', 'turn', max, { min: 0, max }), 'undo_hint');
	},
	invite: () => deed('invite', person(), 'invite_hint'),
	dismiss: async () => deed('dismiss', pick('who', 'who', (await get('people')).filter((one) => one.played_by !== 'mind').map(({ id, name }) => [id, name]))),
	scene: async () => deed('scene', pick('scene', 'scene', (await get('scenes')).map((one) => [one.scene, `${one.scene} · ${one.at}${one.played ? ` · ${t('played')}` : ''}`])), 'scene_hint'),
	step_scene: () => step('scene'), step_call: () => step('call'),
	review: () => steer({ do: 'review', on: !state.run.review }),
	branch: () => branchDialog(), stop: () => steer({ do: 'stop' }, t('stop_sure')),
	end: () => steer({ do: 'end' }, t('end_sure')),
};

// Steps of all lengths are possible together.
const isPossible = (what) => can(what.replace(/_.*/, ''));
const nameOf = (what) => t(`do_${what}${what === 'review' && state.run.review ? '_off' : ''}`);

// Pauses or plays: the engine if one may, else nothing.
export function togglePlay() {
	const isPlaying = ['playing', 'pausing'].includes(state.run.state);
	if (isPlaying ? can('pause') : can('play')) return steer({ do: isPlaying ? 'pause' : 'play' });
}

export function step(by = 'turn') {
	if (can('step')) steer({ do: 'step', by });
}

let edited = { text: '' };
function drawMistakes(problems = []) {
	const text = problems.map((one) => one.text).join('\n');
	if (text === edited.text) return;
	edited.note?.remove();
	edited = { text, note: text && toast(t('edited_badly'), text, true) };
}

export function drawBar(bar) {
	drawMistakes(state.run.problems);
	const run = state.run.state;
	const isPlaying = run === 'playing' || run === 'pausing';
	const stateLabel = h('span', { class: `run ${run}` }, h('span.dot'), word('run', run));
	const buttons = isReport ? [] : [
		can('pause') || can('play') ? iconButton(isPlaying ? 'pause' : 'play', t(isPlaying ? 'pause' : 'play'), togglePlay, { 'aria-keyshortcuts': 'Space' }) : null,
		can('step') ? iconButton('step', t('step'), () => step(), { 'aria-keyshortcuts': '.' }) : null,
		Object.keys(DEEDS).some(isPossible) ? iconButton('more', t('more_to_do'), () => {
			const dialog = openDialog(t('steering'), h('div.menu', Object.keys(DEEDS).filter(isPossible).map((what) => button(nameOf(what), async () => {
				dialog.close();
				try { await DEEDS[what](); } catch (error) { complain(error); }
			}))));
		}) : null];
	const where = [state.story.day ? nth('day', state.story.day) : null, state.isHost && state.story.turn ? nth('turn', state.story.turn) : null].filter(Boolean).join(' · ');
	replace(bar, h('span.when.num', where), isReport ? null : stateLabel, buttons);
}

// The answers on which the host decides before they are used.
export function openHeld(box) {
	if (!state.isHost || isReport) return;
	let drawn = '';
	const draw = () => {
		const held = state.run.thinking.filter((open) => open.held);
		const key = JSON.stringify(held.map(({ call, held: answer }) => [call, answer]));
		if (key === drawn) return;
		drawn = key;
		box.hidden = !held.length;
		replace(box, held.map(({ call, who, purpose, held: { text, complaint } }) => {
			const words = h('textarea', { name: 'text', rows: Math.min(8, 1 + text.split('\n').length + Math.floor(text.length / 80)), 'aria-label': t('answer') }, text);
			const send = () => steer(words.value === text && !complaint ? { do: 'use', call } : { do: 'replace', call, text: words.value });
			return h('form.held', { onsubmit: (event) => { event.preventDefault(); send(); } },
				h('p.seat-who', rich('held', { name: nameLink(who) }), h('span.small', ' ', word('purpose', purpose))),
				words, complaint ? h('p.complaint', { role: 'alert' }, complaint) : null,
				h('p.actions.end', button(t('ask_again'), () => steer({ do: 'ask_again', call })), button(t('use_mind'), () => steer({ do: 'use', call })), h('button', { type: 'submit', class: 'primary' }, t('use_words'))));
		}));
		if (held.length) announce(t('held_count', { count: held.length }));
	};
	draw();
	on('run', draw);
}
