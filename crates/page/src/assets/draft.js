// Another answer to a call, by the form that a person at its seat would get.

import { button, h, replace, t } from './dom.js';
import { post } from './data.js';
import { act, openDialog } from './steer.js';
import { askedAbout, questionForm, turnForm } from './seat.js';

export function writeAnswer({ call, answer }) {
	const box = h('div.ask', h('p.status', h('span.dot'), t('draft_begins')));
	const wrong = h('p.complaint', { role: 'alert', hidden: true });
	const attempt = async (work) => {
		wrong.hidden = true;
		try {
			await work();
		} catch (error) {
			replace(wrong, error.message, error.help && h('span.small', ' ', error.help));
			wrong.hidden = false;
		}
	};
	const edit = (text) => act({ do: 'edit', call, text });
	const ask = (body) => attempt(async () => {
		const { open, answer: whole } = await post('draft', { call, ...body });
		if (whole) await edit(whole);
		else if (open) draw(open);
	});
	function draw(open) {
		const send = (body) => ask({ number: open.number, ...body });
		const { form, control } = open.fields ? turnForm(open, send) : questionForm(open, send);
		replace(box, askedAbout(open), form);
		control?.focus({ preventScroll: true });
	}
	const words = h('textarea', { name: 'raw', rows: 6, 'aria-label': t('answer') }, answer || '');
	const raw = h('details', h('summary.small', t('as_raw')), words, h('p.actions.end', button(t('do_it'), () => attempt(() => edit(words.value)))));
	const dialog = openDialog(t('edit_answer'), h('p.small', t('edit_hint')), box, wrong, raw);
	dialog.addEventListener('close', () => post('draft', { call, leave: true }).catch(() => {}));
	ask({});
}
