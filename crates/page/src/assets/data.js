// All that the page knows of a story, from a server (fetch and a stream) or from the file it is in.

const root = document.documentElement;
export const isReport = root.dataset.report === '1';
const slot = root.dataset.slot || '';
const language = root.lang.startsWith('zh') ? 'zh' : 'en';

const subscribers = new Map();

// Listens to what is named, with a space between names; returns how to end that.
export function on(names, listener) {
	const sets = names.split(' ').map((name) => {
		if (!subscribers.has(name)) subscribers.set(name, new Set());
		return subscribers.get(name).add(listener);
	});
	return () => sets.forEach((set) => set.delete(listener));
}

export function emit(name, value) {
	for (const listener of subscribers.get(name) || []) listener(value);
}

class Refused extends Error {
	constructor(status, message, help) {
		super(message);
		this.status = status;
		this.help = help;
	}
}

async function fetched(path, query, body) {
	const search = new URLSearchParams();
	for (const [key, value] of Object.entries({ lang: language, ...query })) {
		if (value != null && value !== '') search.set(key, value);
	}
	const options = body && {
		method: 'POST', body: JSON.stringify(body),
		headers: { 'Content-Type': 'application/json', 'X-Playhouse': '1' },
	};
	const answer = await fetch(`${path}?${search}`, options);
	const value = await answer.json().catch(() => null);
	if (!answer.ok) throw new Refused(answer.status, value?.error || answer.statusText, value?.help);
	return value;
}

export const storyPath = (name) => `/story/${encodeURIComponent(name)}?lang=${language}`;
export const bookPath = (chapter) => `/story/${encodeURIComponent(slot)}/book${chapter == null ? '' : `/${chapter}`}?lang=${language}`;
const own = `/api/${encodeURIComponent(slot)}/`;
const served = {
	get: (path, query) => fetched(path === 'labels' ? '/api/labels' : own + path.replace(/(?<=\/).*/, encodeURIComponent), query),
	post: (path, body) => fetched(own + path, {}, body),
};

const CHUNK_IN_FILE = 2000;
const parsed = new Map();

// A chunk's rows: a table has what many share, and the names of the values of each.
function unpacked({ shared, rows: list }, kind, start) {
	let row = {};
	return list.map(([place, ...values], i) => {
		const [common, names] = shared[place];
		const { turn, day } = row;
		row = { turn, day, ...common, [kind[0] === 'e' ? 'number' : 'call']: Number(start) + i };
		names.forEach((name, at) => {
			const [key, part] = name.split('.');
			if (part) row[key] = { ...row[key], [part]: values[at] };
			else row[key] = values[at];
		});
		if (Array.isArray(row.text)) row.text = row.text.join(row.said);
		return row;
	});
}

function embedded(id) {
	if (!parsed.has(id)) {
		const element = document.getElementById(id);
		if (parsed.size > 60) for (const key of parsed.keys()) if (key.includes('/')) { parsed.delete(key); break; }
		const value = element ? JSON.parse(element.textContent) : undefined;
		parsed.set(id, value?.shared ? unpacked(value, ...id.split('/')) : value);
	}
	return parsed.get(id);
}

// What repeats much is compressed.
async function unzipped(id) {
	const element = document.getElementById(id);
	if (element?.type !== 'application/gzip') return undefined;
	const bytes = Uint8Array.from(atob(element.textContent), (char) => char.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

function rows(kind, from, to) {
	const found = [];
	for (let start = from - (from % CHUNK_IN_FILE); start < to; start += CHUNK_IN_FILE) {
		const chunk = embedded(`${kind}/${start}`);
		if (!chunk) break;
		found.push(...chunk.slice(Math.max(0, from - start), to - start));
	}
	return found;
}

// Whether a number is in a span: `3`, `3-7`, `3-`, `-7`.
function isIn(span, value) {
	const [from, to = from] = String(span || '-').split(/[-–—~～]/);
	return value >= Number(from) && value <= Number(to || Infinity);
}

// Whether an event is one of those that a query asks for.
function matches(event, query) {
	const { who, by, place, fact, text, kind, turn, day, told } = query;
	const is = (wanted, value) => !wanted || value === Number(wanted);
	return (!who || event.speaker === Number(who) || event.who?.includes(Number(who))) && is(by, event.speaker) && is(place, event.place) && isIn(turn, event.turn) && isIn(day, event.day)
		&& (!fact || event.facts?.some(([id]) => id === fact)) && (!kind || event.kind === kind) && !(told && event.form === 'own')
		&& (!text || (event.said || event.text).toLowerCase().includes(String(text).toLowerCase()));
}

function filtered(query, total) {
	const limit = Math.min(query.to ?? Infinity, total);
	if (!Object.entries(query).some(([name, value]) => value && !['from', 'to'].includes(name))) {
		const from = Number(query.from ?? Math.max(0, total - 500));
		return { from, to: Math.min(limit, from + 2000), total, events: rows('events', from, Math.min(limit, from + 2000)) };
	}
	const events = [];
	let from = Number(query.from || 0);
	const start = from;
	for (; from < limit && events.length < 500; from += CHUNK_IN_FILE) {
		events.push(...rows('events', from, Math.min(limit, from + CHUNK_IN_FILE)).filter((event) => matches(event, query)));
	}
	return { from: start, to: Math.min(from, limit), total, events, next: from < limit ? from : undefined };
}

// What became of an event for an entity: learned (`y`), masked (`m`), or why not.
function cellOf(event, who) {
	if (event.masked?.some(([id]) => id === who)) return 'm';
	if (event.who?.includes(who)) return 'y';
	if (event.speaker === who || event.teller === who) return 'o';
	if (event.rule === 'private' || event.rule === 'named') return event.rule[0];
	if (event.except?.includes(who)) return 'x';
	const stay = stayOf(who, event.number);
	if (!stay || stay[2]) return stay ? 'd' : 'l';
	const stage = event.stage ?? event.place;
	return event.withheld && (event.rule === 'everywhere' || stage === stay[1] || stage === who) ? 'g' : 'e';
}

// Where somebody was when an event happened: since when, the place, and whether it was dead.
function stayOf(who, n) {
	const stays = embedded('stays')[who] || [];
	let [low, high] = [0, stays.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (stays[middle][0] <= n) low = middle + 1;
		else high = middle;
	}
	return stays[low - 1];
}

const WHY = { e: 'elsewhere', x: 'left_out', n: 'not_named', p: 'private', l: 'later', d: 'dead', g: 'withheld' };

// What one believes of another, from what is known of both.
async function believed({ who, about }) {
	const [of, other] = [Number(who), Number(about)];
	const { name } = entityOf(other);
	const [one, two] = await Promise.all([of, other].map((id) => inFile.get(`person/${id}`).catch(() => ({}))));
	const telling = new Set(embedded('facts').filter((fact) => fact.about.includes(other)).map((fact) => fact.fact));
	const promises = [[one, name], [two, one.name]].flatMap(([by, to]) => (by.promises || []).filter((promise) => promise.name === to).map((promise) => ({ ...promise, by: by.id })));
	const story = embedded('story');
	const heard = [];
	for (let n = story.events - 1; n >= 0 && heard.length < 20; n -= 1) {
		const [event] = rows('events', n, n + 1);
		if (event.form !== 'own' && !event.repeat && event.speaker !== of && (!event.rule || event.who?.includes(of)) && (event.speaker === other || event.text.includes(name))) heard.push(event);
	}
	const found = { knows: (one.knows || []).filter((known) => telling.has(known.fact)), bond: one.bonds?.find((bond) => bond.name === name), promises, heard };
	// What a player at a table wrote down last of everybody.
	for (let c = story.calls - 1; c >= 0 && story.table && found.call == null; c -= 1) {
		const [call] = rows('calls', c, c + 1);
		if (call.who === of && call.purpose === story.table.belief) found.call = c;
	}
	return found;
}

const inFile = {
	async get(path, query = {}) {
		const { events: total = 0, calls: all = 0 } = embedded('story');
		if (path === 'events') return filtered(query, total);
		if (path === 'audience') {
			const part = filtered(query, total);
			const columns = state.entityList.map((entity) => entity.id);
			const found = part.events.map((event) => ({
				...event, text: event.said || event.text, cells: columns.map((who) => cellOf(event, who)),
			}));
			const { counts } = embedded('audience');
			return { ...part, columns, counts: columns.map((who) => counts[who] || 0), rows: found };
		}
		if (path === 'calls') {
			const from = Number(query.from ?? Math.max(0, all - 500));
			const found = rows('calls', from, Math.min(query.to ?? Infinity, from + 2000));
			return { from, to: from + found.length, total: all, calls: found };
		}
		if (path === 'believes') return believed(query);
		const [kind, id] = path.split('/');
		const [row] = kind === 'event' || kind === 'call' ? rows(`${kind}s`, Number(id), Number(id) + 1) : [];
		if (kind === 'event' && row) {
			const missed = row.rule && state.entityList.map(({ id: who }) => ({ who, why: WHY[cellOf(row, who)], at: stayOf(who, row.number)?.[1] }));
			return { ...row, not_told: missed?.filter(({ why }) => why) };
		}
		const [told] = row?.told == null ? [] : rows('events', row.told, row.told + 1);
		if (told) Object.assign(row, { text: told.said || told.text, events: [told.number] });
		const value = (await unzipped(path)) ?? embedded(path) ?? row;
		if (value == null) throw new Refused(404);
		return value;
	},
	post: async () => { throw new Refused(409); },
};

const source = isReport ? inFile : served;
export const get = (path, query) => source.get(path, query);
export const post = (path, body) => source.post(path, body);

export const state = {
	story: null, run: { state: 'saved', thinking: [] }, entityList: [], entities: new Map(), byName: new Map(),
	turns: [], headings: [], isHost: true, seat: null, openAsk: null, offset: 0, lostSince: null,
};

export const entityOf = (id) => state.entities.get(id);
export const ofKind = (kind) => state.entityList.filter((entity) => entity.kind === kind);
export const storyTime = () => performance.now() - state.offset;

// What a call did when: each kind with its beginning and end.
export function segmentsOf(call) {
	const parts = call.segments || [['writing', call.start]];
	return parts.map(([kind, from], i) => [kind, from, parts[i + 1]?.[1] ?? call.end ?? storyTime()]);
}

const CHUNK = isReport ? CHUNK_IN_FILE : 500;

// Rows by number, in chunks that are read when they are wanted.
export class Rows {
	constructor(kind) {
		this.kind = kind;
		this.total = 0;
		this.chunks = new Map();
		this.wanted = new Set();
	}

	get count() { return this.total; }
	indexOf(n) { return n; }

	at(n) {
		const chunk = this.chunks.get(Math.floor(n / CHUNK));
		return chunk && chunk[n % CHUNK];
	}

	put(n, row) {
		const index = Math.floor(n / CHUNK);
		if (!this.chunks.has(index)) this.chunks.set(index, []);
		this.chunks.get(index)[n % CHUNK] = row;
		this.total = Math.max(this.total, n + 1);
	}

	want(from, to) {
		for (let index = Math.floor(Math.max(0, from) / CHUNK); index * CHUNK < Math.min(to, this.total); index += 1) {
			if (!this.isWhole(index) && !this.wanted.has(index)) this.read(index);
		}
	}

	isWhole(index) {
		const chunk = this.chunks.get(index);
		const size = Math.min(CHUNK, this.total - index * CHUNK);
		if (!chunk || chunk.length < size) return false;
		return chunk.checked === size || (!chunk.includes(undefined) && Boolean(chunk.checked = size));
	}

	async read(index) {
		this.wanted.add(index);
		try {
			const answer = await get(this.kind, { from: index * CHUNK, to: (index + 1) * CHUNK });
			const chunk = this.chunks.get(index) || [];
			this.onanswer?.(answer);
			(answer[this.kind] || answer.rows).forEach((row) => { chunk[(this.kind === 'calls' ? row.call : row.number) % CHUNK] = row; });
			this.chunks.delete(index);
			this.chunks.set(index, chunk);
			this.total = Math.max(this.total, answer.total);
			// Of a very long story only what was looked at lately is kept.
			if (this.chunks.size > 60) this.chunks.delete(this.chunks.keys().next().value);
			this.failed = false;
		} catch (error) {
			this.failed = true;
			setTimeout(() => this.wanted.delete(index), 2000);
			emit('problem', error);
			return;
		}
		this.wanted.delete(index);
		emit(this.kind, { loaded: index });
	}
}

export const events = new Rows('events');
export const calls = new Rows('calls');
// The words of open answers so far, by call.
export const deltas = new Map();

// Each is whole: what it has no more, it lacks.
export function setEntities(list) {
	for (const entity of list) {
		state.entities.set(entity.id, entity);
		state.byName.set(entity.name, entity.id);
	}
	state.entityList = [...state.entities.values()];
	emit('entities');
}

export function setRun({ run, ...more }) {
	Object.assign(state.story, more);
	state.offset = performance.now() - more.now;
	const isMoved = run.moved && run.moved !== state.run.moved;
	state.run = run;
	// All there is on opening; later what was read meanwhile.
	if (more.events != null) {
		events.total = more.events;
		calls.total = more.calls || 0;
		emit('events', { added: [] });
	}
	// Somebody went back: the story goes on there. A host may want to look at what was.
	if (run.moved && state.seat != null) location.assign(storyPath(run.moved));
	else if (isMoved) emit('moved', run.moved);
	emit('run');
}

export const can = (what) => !isReport && (state.story?.can || []).includes(what);

export async function open() {
	const story = await get('story');
	state.story = story;
	position = story.position;
	state.isHost = !story.view || story.view.seat == null;
	state.seat = state.isHost ? null : story.view.seat;
	setEntities(story.entities || []);
	setRun(story);
	return story;
}

export async function readTurns() {
	const [turns, headings] = await Promise.all([get('turns').catch(() => []), get('headings').catch(() => [])]);
	state.turns = turns;
	state.headings = headings;
	emit('turns');
}

let server;
// How far the stream was read.
let position;

export function follow() {
	if (isReport) return;
	const stream = new EventSource(`${own}stream?since=${position}&lang=${language}`);
	const listen = (name, listener) => stream.addEventListener(name, (message) => {
		position = message.lastEventId;
		listener(JSON.parse(message.data));
	});
	stream.onopen = () => {
		state.lostSince = null;
		emit('connection');
	};
	stream.onerror = () => {
		state.lostSince ||= new Date();
		emit('connection');
		if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
	};
	listen('events', (list) => {
		for (const event of list) {
			events.put(event.number, event);
			if (event.call != null) deltas.delete(event.call);
			if (['day', 'place', 'ending'].includes(event.form)) {
				state.headings.push({ number: event.number, form: event.form, text: event.title ?? event.text });
			}
		}
		emit('events', { added: list });
	});
	listen('calls', (list) => {
		const changed = new Set(list.map((call) => call.call));
		const thinking = state.run.thinking.filter((open) => !changed.has(open.call));
		for (const call of list) {
			calls.put(call.call, call);
			if (call.state === 'done' || call.state === 'dropped') deltas.delete(call.call);
			else thinking.push({ call: call.call, who: call.who, purpose: call.purpose, since: call.start, held: call.held });
		}
		state.run.thinking = thinking;
		emit('calls', { added: list });
		emit('run');
	});
	listen('delta', (delta) => {
		if (delta.retract) deltas.delete(delta.call);
		else deltas.set(delta.call, (delta.whole ? '' : deltas.get(delta.call) || '') + delta.text);
		emit('deltas');
	});
	// Another server numbers events anew.
	listen('server', (id) => {
		if (server && id !== server) location.reload();
		server = id;
	});
	listen('entities', setEntities);
	listen('run', setRun);
	listen('turn', () => {
		readTurns();
		emit('turn');
	});
	listen('ask', (open) => {
		state.openAsk = open;
		emit('ask');
	});
	listen('gone', async () => {
		stream.close();
		await open();
		follow();
	});
}

export class SomeEvents {
	constructor(query, kind = 'events') {
		this.query = query;
		this.kind = kind;
		this.found = [];
		this.next = 0;
		this.busy = false;
		this.more();
	}

	get count() { return this.found.length; }
	get isWhole() { return this.next == null; }
	at(i) { return this.found[i]; }
	indexOf(n) { return Math.max(0, this.found.findIndex((event) => event.number >= n)); }
	want(from, to) { if (to >= this.found.length) this.more(); }

	async more() {
		if (this.busy || this.isWhole) return;
		this.busy = true;
		try {
			const answer = await get(this.kind, { ...this.query, from: this.next });
			this.onanswer?.(answer);
			this.found.push(...answer[this.kind] || answer.rows);
			this.next = answer.next;
			this.seen = answer.total;
		} catch (error) {
			this.next = undefined;
			emit('problem', error);
		}
		this.busy = false;
		emit(this.kind, { filtered: this });
		if (!this.found.length) this.more();
	}

	// New events of the stream that belong here.
	add(list) {
		if (!this.isWhole) return;
		this.found.push(...list.filter((event) => event.number >= (this.seen || 0) && matches(event, this.query)));
	}
}
