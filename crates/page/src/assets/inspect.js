// The inspector of an event and of a call.

import { button, duration, emptyState, h, listPart, pairs, t, rich, number, replace, section, usageOf, word, chips, commas, nth } from './dom.js';
import { NO_FILTER } from './route.js';
import { can, entityOf, get, isReport, on, segmentsOf, state } from './data.js';
import { audienceLink } from './audience.js';
import { setEvent } from './book.js';
import { action, callLink, eventLink, factLink, nameLink, modelOf, tabs } from './names.js';
import { steer, branchDialog } from './steer.js';
import { writeAnswer } from './draft.js';

const pretty = (value) => JSON.stringify(value, null, 2);

const code = (text) => h('div.code', h('pre', { tabindex: 0 }, text));

function rule(event) {
	const stage = event.stage ?? event.place;
	const words = event.rule === 'stage' && stage != null ? rich('rule_stage', { place: nameLink(stage) }) : word('rule', event.rule === 'stage' ? 'named' : event.rule);
	return [words, event.except?.length ? [' ', t('except'), ' ', commas(event.except, nameLink)] : null];
}

export async function seeEvent(pane, n) {
	const event = await get(`event/${n}`);
	const before = event.turn - 1;
	const options = can('retry') && event.turn <= state.story.turn && event.options ? event.options.map(({ option, label }) => button(t('take_option', { label }),
		() => steer({ do: 'edit', call: event.call, text: JSON.stringify({ mind: '', option }) }, t('option_sure', { n: event.turn })))) : [];
	const missed = (event.not_told || []).filter(({ who }) => entityOf(who)?.kind !== 'stage');
	replace(pane, h('h2', nth('event', n)),
		h('div.book.quote', setEvent(event)),
		h('p.actions', action({ view: 'story', n, ...NO_FILTER }, 'in_story'), state.isHost ? audienceLink(n) : null,
			can('branch') && event.turn ? button(t('branch_here'), () => branchDialog(before), {}, 'branches') : null,
			can('retry') && event.call != null && event.turn <= state.story.turn ? askAgain(event) : null,
			can('undo') && before > 0 ? button(t('back_before'), () => steer({ do: 'undo', turn: before }, t('undo_sure', { n: before }))) : null),
		options.length ? section('otherwise', h('div.menu', options)) : null,
		pairs([['when', [nth('day', event.day ?? 0), ' · ', nth('turn', event.turn)]], ['place', event.place == null ? null : nameLink(event.place)],
			['kind', word('event', event.kind)], ['id', h('code', event.id)], ['rule', event.rule ? rule(event) : null],
			['call', event.call == null ? null : callLink(event.call)]]),
		section('who_learned', event.who?.length ? chips(event.who, nameLink) : event.rule ? h('p.muted', t('no_one')) : null),
		section('masked', (event.masked || []).map(([who, text]) => h('p', nameLink(who), ' ', h('q', text)))),
		listPart('who_did_not', missed, ({ who, why, at }) => [nameLink(who), h('span.end.small', word('why', why), at == null ? null : [' ', nameLink(at)])]),
		section('taught', (event.facts || []).map(([fact, who]) => h('p', factLink(fact), ' → ', commas(who, nameLink)))),
		section('guard', (event.notes || []).map((note) => h('p', note))),
		section('as_read', event.as_read && h('p', event.as_read)),
		event.data && Object.keys(event.data).length ? section('data', h('details', h('summary', t('as_written')), code(pretty(event.data)))) : null);
}

const TABS = ['overview', 'request', 'changes', 'answer'];

export async function seeCall(pane, c, tab = 'overview') {
	const call = await get(`call/${c}`);
	const head = [h('h2', nth('call', c)),
		h('p.small', nameLink(call.who), ' · ', word('purpose', call.purpose), ' · ', nth('turn', call.turn)),
		tabs(nth('call', c), tab, TABS.map((name) => [name, `call/${c}${name === 'overview' ? '' : `/${name}`}`]))];
	const detail = !isReport || call.request != null;
	const bodies = { overview, request, changes, answer };
	replace(pane, head, !detail && tab !== 'overview' ? emptyState('not_in_report') : (bodies[tab] || overview)(call));
	if (call.state !== 'done') {
		const off = on('calls', ({ added }) => { if (added?.some((one) => one.call === Number(c) && one.state === 'done')) { off(); if (pane.isConnected) seeCall(pane, c, tab).catch(() => {}); } });
		return off;
	}
}

const askAgain = ({ call, turn }) => button(t('ask_again'), () => steer({ do: 'retry', call }, t('retry_sure', { n: turn })));

function overview(call) {
	const parts = segmentsOf(call).filter(([, from, to]) => to > from);
	const isOpen = call.state !== 'done' && call.state !== 'dropped';
	return [
		parts.length && call.end != null ? h('div.phases', { 'aria-hidden': 'true' }, parts.map(([name, from, to]) => h('span', { class: `k-${name}`, vars: { '--length': to - from }, title: `${t(name)} ${duration(to - from)}` }))) : null,
		h('p.actions',
			can('retry') && !isOpen && call.turn <= state.story.turn ? [askAgain(call), button(t('edit_answer'), () => writeAnswer(call)), button(t('undo_to_call'), () => steer({ do: 'undo', call: call.call }))] : null,
			isReport ? null : action({ see: `context/${call.who}/${call.call}` }, 'context_then')),
		pairs([['state', word('state', call.state)], ['answered_by', call.answered_by ? word('by', call.answered_by) : null], ['reason', call.reason],
			['model', modelOf(call)], ['place', call.place == null ? null : nameLink(call.place)],
			['time', call.end == null ? null : duration(call.end - call.start)],
			...usageOf({ ...call.usage, cost: call.cost }), ['finish', call.finish]]),
		section('question', call.asked ? h('div.prose', call.asked) : null),
		section('answer', call.answer ?? call.text ? h('div.prose.raw', call.answer ?? call.text) : null),
		section('followed', (call.events || []).length ? chips(call.events, eventLink) : null)];
}

function answer(call) {
	return [
		section('thinking_is', call.thinking ? h('details', h('summary', t('show')), h('div.prose', call.thinking)) : null),
		section('answer', call.answer == null ? emptyState('no_answer_yet') : code(call.answer)),
		section('refusals', (call.refusals || []).map((refusal) => h('div.refusal', code(refusal.answer), h('p.complaint', refusal.complaint)))),
		section('tools', (call.rounds || []).map((round) => h('div.round-of-tools', round.said ? h('p', round.said) : null,
			(round.calls || []).map((one) => h('details', { class: one.is_error ? 'is-error' : '' }, h('summary', h('code', one.tool)), code(pretty(one.arguments)), code(typeof one.result === 'string' ? one.result : pretty(one.result))))))),
	];
}

function request(call) {
	if (call.request == null) return emptyState('no_request');
	const bytes = new TextEncoder().encode(call.request).length;
	const body = h('div');
	const asMessages = () => replace(body, call.settings ? h('details', h('summary', t('settings_sent')), code(pretty(call.settings))) : null,
		h('ol.messages', call.messages.map(({ role, text: words }) => h('li', h('p.part-head', role, h('span.num.end', number([...words].length))), h('div.part-text', words)))));
	asMessages();
	return [h('p.actions', h('span.small', word('request', call.request_is), ' · ', t('bytes', { count: bytes })),
		button(t('messages'), asMessages), button(t('as_bytes'), () => replace(body, code(call.request)))), body];
}

function changes(call) {
	if (!call.diff) return emptyState(call.request && call.previous == null ? 'first_request' : 'no_request');
	return differences(call.diff, h('p.small', call.previous == null ? t('first_request') : rich('changed_since', { call: callLink(call.previous) })));
}

// Lines that only one of two texts has, under a heading that gets their number.
export function differences(diff, head) {
	const lines = diff.map((line) => {
		if (line.op === '=') return h('li.same', t('lines_same', { count: line.lines }));
		const [name, mark] = line.op === '+' ? ['added', '+'] : ['cut', '−'];
		return h(`li.${name}`, h('span.op', h('span.sr', t(name)), h('span', { 'aria-hidden': 'true' }, mark)), h('span.line', line.text || ' '), line.why && h('span.small', word('cut', line.why)), line.number == null ? null : eventLink(line.number));
	});
	const count = (op) => diff.filter((line) => line.op === op).length;
	head.append(` · +${number(count('+'))} −${number(count('-'))}`);
	return [head, h('ol.diff', lines)];
}

