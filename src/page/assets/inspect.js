// The inspector of an event and of a call.

import { button, duration, emptyState, h, listPart, pairs, t, rich, money, number, replace, section, word, chips, commas } from './dom.js';
import { NO_FILTER, address } from './route.js';
import { can, entityOf, get, isReport, on, state, storyTime } from './data.js';
import { audienceLink } from './audience.js';
import { setEvent } from './book.js';
import { action, callLink, eventLink, factLink, nameLink, modelOf } from './names.js';
import { askForText, steer, branchDialog } from './steer.js';

function pretty(value) {
	return JSON.stringify(value, null, 2);
}

const code = (text) => h('div.code', h('pre', { tabindex: 0 }, text));

function rule(event) {
	const stage = event.stage ?? event.place;
	const words = event.rule === 'stage' && stage != null ? rich('rule_stage', { place: nameLink(stage) }) : word('rule', event.rule === 'stage' ? 'named' : event.rule);
	return [words, event.except?.length ? [' ', t('except'), ' ', commas(event.except, (who) => nameLink(who))] : null];
}

export async function seeEvent(pane, n) {
	const event = await get(`event/${n}`);
	const missed = (event.not_told || []).filter(({ who }) => entityOf(who)?.kind !== 'stage');
	replace(pane, h('h2', t('event_n', { n })),
		h('div.book.quote', setEvent(event)),
		h('p.actions', action({ view: 'story', n, ...NO_FILTER }, 'in_story'), state.isHost ? audienceLink(n) : null,
			can('branch') && event.turn ? button(t('branch_here'), () => branchDialog(event.turn - 1), {}, 'branches') : null,
			can('retry') && event.c != null && event.turn <= state.story.turn ? askAgain(event) : null,
			can('undo') && event.turn > 1 ? button(t('back_before'), () => steer({ do: 'undo', turn: event.turn - 1 }, t('undo_sure', { n: event.turn - 1 }))) : null),
		pairs([[t('when'), [t('day_n', { n: event.day ?? 0 }), ' · ', t('turn_n', { n: event.turn })]], [t('place'), event.place == null ? null : nameLink(event.place)],
			[t('kind'), event.kind], [t('id'), h('code', event.id)], [t('rule'), event.rule ? rule(event) : null],
			[t('call'), event.c == null ? null : callLink(event.c)]]),
		section(t('who_learned'), event.who?.length ? chips(event.who, (who) => nameLink(who)) : event.rule ? h('p.muted', t('no_one')) : null),
		section(t('masked'), (event.masked || []).map(([who, text]) => h('p', nameLink(who), ' ', h('q', text)))),
		listPart(t('who_did_not'), missed, ({ who, why, at }) => [nameLink(who), h('span.end.small', word('why', why), at == null ? null : [' ', nameLink(at)])]),
		section(t('taught'), (event.facts || []).map(([fact, who]) => h('p', factLink(fact), ' → ', commas(who, (one) => nameLink(one))))),
		section(t('guard'), (event.notes || []).map((note) => h('p', note))),
		event.data && Object.keys(event.data).length ? section(t('data'), h('details', h('summary', t('as_written')), code(pretty(event.data)))) : null);
}

const TABS = ['overview', 'request', 'changes', 'answer'];

export async function seeCall(pane, c, tab = 'overview') {
	const call = await get(`call/${c}`);
	const usage = call.usage || {};
	const head = [h('h2', t('call_n', { n: c })),
		h('p.small', nameLink(call.who), ' · ', word('purpose', call.purpose), ' · ', t('turn_n', { n: call.turn })),
		h('nav.tabs', { 'aria-label': t('call_n', { n: c }) }, TABS.map((name) => h('a', { href: address({ see: `call/${c}${name === 'overview' ? '' : `/${name}`}` }), 'aria-current': name === tab ? 'page' : undefined }, t(name))))];
	const detail = !isReport || call.request != null;
	const bodies = { overview: () => overview(call, usage), request: () => request(call), changes: () => changes(call), answer: () => answer(call) };
	replace(pane, head, !detail && tab !== 'overview' ? emptyState(t('not_in_report'), t('not_in_report_hint')) : (bodies[tab] || bodies.overview)());
	if (call.state !== 'done') {
		const off = on('calls', ({ added }) => { if (added?.some((one) => one.c === Number(c) && one.state === 'done')) { off(); if (pane.isConnected) seeCall(pane, c, tab).catch(() => {}); } });
		return off;
	}
	return undefined;
}

function phases(call) {
	const end = call.end ?? storyTime();
	const first = call.first ?? end;
	const list = [['waiting', first - call.start, 'k-wait'], ['writing', end - first, 'k-write']];
	return list.filter(([, length]) => length > 0);
}

const askAgain = ({ c, turn }) => button(t('ask_again'), () => steer({ do: 'retry', c }, t('retry_sure', { n: turn })));

function overview(call, usage) {
	const parts = phases(call);
	const isOpen = call.state !== 'done' && call.state !== 'dropped';
	return [
		parts.length && call.end != null ? h('div.phases', { 'aria-hidden': 'true' }, parts.map(([name, length, style]) => h('span', { class: style, vars: { '--length': length }, title: `${t(name)} ${duration(length)}` }))) : null,
		h('p', { class: 'actions' },
			can('retry') && !isOpen && call.turn <= state.story.turn ? [askAgain(call), button(t('edit_answer'), () => askForText(t('edit_answer'), t('edit_hint'), call.answer || '', (text) => steer({ do: 'edit', c: call.c, text })), button(t('undo_to_call'), () => steer({ do: 'undo', c: call.c }))] : null,
			isReport ? null : action({ see: `context/${call.who}/${call.c}` }, 'context_then')),
		pairs([[t('state'), word('state', call.state)], [t('answered_by'), call.by ? word('by', call.by) : null], [t('reason'), call.reason],
			[t('model'), modelOf(call)], [t('place'), call.place == null ? null : nameLink(call.place)],
			[t('time'), call.end == null ? null : duration(call.end - call.start)],
			[t('prompt_tokens'), number(usage.prompt || 0)], [t('cached_tokens'), usage.prompt ? `${number(usage.cached || 0)} (${number(((usage.cached || 0) / usage.prompt) * 100)} %)` : null],
			[t('answer_tokens'), number(usage.completion || 0)], [t('reasoning_tokens'), usage.reasoning ? number(usage.reasoning) : null], [t('cost'), money(call.cost)], [t('finish'), call.finish]]),
		section(t('question'), call.asked ? h('div.prose', call.asked) : null),
		section(t('answer'), call.answer ?? call.text ? h('div.prose.raw', call.answer ?? call.text) : null),
		section(t('followed'), (call.events || []).length ? chips(call.events, (n) => eventLink(n)) : null)];
}

function answer(call) {
	return [
		section(t('thinking_is'), call.thinking ? h('details', h('summary', t('show')), h('div.prose', call.thinking)) : null),
		section(t('answer'), call.answer == null ? emptyState(t('no_answer_yet')) : code(call.answer)),
		section(t('refusals'), (call.refusals || []).map((refusal) => h('div.refusal', code(refusal.answer), h('p.complaint', refusal.complaint)))),
		section(t('tools'), (call.rounds || []).map((round) => h('div.round-of-tools', round.said ? h('p', round.said) : null,
			(round.calls || []).map((one) => h('details', { class: one.is_error ? 'is-error' : '' }, h('summary', h('code', one.tool)), code(pretty(one.arguments)), code(typeof one.result === 'string' ? one.result : pretty(one.result))))))),
	];
}

// The messages of a request, whatever its provider calls them; null if they aren't found.
function messagesOf(text) {
	try {
		const body = JSON.parse(text);
		const list = body.messages || body.input || body.contents;
		if (!Array.isArray(list)) return null;
		const words = (content) => (typeof content === 'string' ? content : Array.isArray(content) ? content.map((part) => (typeof part === 'string' ? part : part.text ?? pretty(part))).join('\n') : content === null || content == null ? '' : pretty(content));
		const { messages: _, input: _input, contents: _contents, ...settings } = body;
		return { messages: list.map((message) => ({ role: message.role || '', text: words(message.content ?? message.parts), calls: message.tool_calls })), settings };
	} catch {
		return null;
	}
}

function request(call) {
	if (call.request == null || call.request === null) return emptyState(t('no_request'));
	const parsed = messagesOf(call.request);
	const bytes = new TextEncoder().encode(call.request).length;
	const body = h('div');
	const asMessages = () => replace(body, Object.keys(parsed.settings).length ? h('details', h('summary', t('settings_sent')), code(pretty(parsed.settings))) : null,
		h('ol.messages', parsed.messages.map((message) => h('li', { class: message.role }, h('p.part-head', message.role, h('span.num.end', number([...message.text].length))), h('div.part-text', message.text), message.calls ? code(pretty(message.calls)) : null))));
	const asBytes = () => replace(body, code(call.request));
	if (parsed) asMessages(); else asBytes();
	return [h('p.actions', h('span.small', word('request', call.request_is), ' · ', t('bytes', { count: bytes })),
		parsed ? [button(t('messages'), asMessages), button(t('as_bytes'), asBytes)] : null), body];
}

function changes(call) {
	if (!call.diff) return emptyState(t(call.request && call.previous == null ? 'first_request' : 'no_request'));
	return differences(call.diff, h('p.small', call.previous == null ? t('first_request') : rich('changed_since', { call: callLink(call.previous) })));
}

// Lines that only one of two texts has, under a heading that gets their number.
export function differences(diff, head) {
	const lines = diff.map((line) => {
		if (line.op === '=') return h('li.same', t('lines_same', { count: line.lines }));
		return h('li', { class: line.op === '+' ? 'added' : 'cut' }, h('span.op', h('span.sr', t(line.op === '+' ? 'added' : 'cut')), h('span', { 'aria-hidden': 'true' }, line.op === '+' ? '+' : '−')), h('span.line', line.text || ' '), line.n == null ? null : eventLink(line.n));
	});
	const count = (op) => diff.filter((line) => line.op === op).length;
	head.append(` · +${number(count('+'))} −${number(count('-'))}`);
	return [head, h('ol.diff', lines)];
}

