// The list of stories: when they were played, finding one, going on with one, and a new one.

const { lang } = document.documentElement;
const find = (id) => document.getElementById(id);

const UNITS = [['minute', 60, 60], ['hour', 3600, 24], ['day', 86400, 7]];

// When something was, as people say it: how long ago, or the date of what is older than a week.
function ago(at) {
	const seconds = (Date.now() - at) / 1000;
	const words = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' });
	if (seconds < 60) return words.format(0, 'second');
	const [unit, size] = UNITS.find(([, size, most]) => seconds < size * most) || [];
	return unit ? words.format(-Math.floor(seconds / size), unit) : new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }).format(at);
}

function tellTimes() {
	for (const time of document.querySelectorAll('time[data-at]')) {
		const at = Number(time.dataset.at);
		time.textContent = ago(at);
		time.dateTime = new Date(at).toISOString();
		time.title = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'short' }).format(at);
	}
}

function filter() {
	const words = (find('find')?.value || '').trim().toLowerCase();
	const rows = [...document.querySelectorAll('#stories > li')];
	for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(words);
	if (find('nothing')) find('nothing').hidden = rows.some((row) => !row.hidden);
}

let known = find('stories')?.outerHTML;

function draw() {
	tellTimes();
	filter();
}

// The list as it is now, unless somebody is in it.
async function refresh() {
	if (document.hidden || document.querySelector('dialog[open]') || find('stories')?.contains(document.activeElement)) return;
	const answer = await fetch(location.href).catch(() => null);
	if (!answer?.ok) return;
	const list = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('stories');
	if (list && list.outerHTML !== known) {
		known = list.outerHTML;
		find('stories')?.replaceWith(document.importNode(list, true));
	}
	draw();
}

async function begin(event) {
	event.preventDefault();
	const form = event.target;
	const data = Object.fromEntries(new FormData(form));
	const alert = form.querySelector('[role=alert]');
	alert.hidden = true;
	const seed = data.seed ? Number(data.seed) : null;
	const answer = await fetch(`/api/stories?lang=${lang.slice(0, 2)}`, { method: 'POST', headers: { 'X-Playhouse': '1' }, body: JSON.stringify({ ...data, name: data.name.trim() || null, seed }) }).catch(() => null);
	const told = await answer?.json().catch(() => null);
	if (answer?.ok) location.assign(`/story/${encodeURIComponent(told.slot)}?lang=${lang.slice(0, 2)}`);
	else {
		alert.textContent = [told?.error, told?.help].filter(Boolean).join(' ') || String(answer?.status ?? '');
		alert.hidden = false;
	}
}

draw();
setInterval(refresh, 5000);
setInterval(tellTimes, 30000);
find('find')?.addEventListener('input', filter);
find('begin')?.addEventListener('click', () => find('new').showModal());
find('cancel')?.addEventListener('click', () => find('new').close());
find('new')?.querySelector('form').addEventListener('submit', begin);
// The page of the story plays on; a link from elsewhere could not make it.
document.addEventListener('click', ({ target }) => {
	const slot = target.closest?.('[data-continue]')?.dataset.continue;
	if (slot) sessionStorage.setItem('playhouse.continue', slot);
});
