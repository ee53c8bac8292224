// Branches of a story, and two of them side by side.

import { button, emptyState, h, t, tag, commas, replace, section, tableHead, viewHead } from './dom.js';
import { can, get, isReport, on, state } from './data.js';
import { isShown, setEvent } from './book.js';
import { action, factLink, nameLink, storyLink } from './names.js';
import { branchDialog } from './steer.js';
import { select } from './audience.js';
import { differences } from './inspect.js';

export async function showBranches(pane, route) {
	if (route.with) return compare(pane, route.with, route.of);
	const draw = async () => {
		const { tree, this: own } = await get('branches');
		const last = Math.max(1, ...tree.map((branch) => branch.last || 0));
		const rows = tree.map((branch) => {
			const start = (branch.turn || 0) / last;
			const isOwn = branch.slot === own;
			return h('tr', { class: isOwn ? 'is-own' : '' },
				h('th', { scope: 'row' }, h('span.branch-name', { vars: { '--depth': branch.depth } }, isOwn ? h('strong', branch.slot) : isReport ? branch.slot : storyLink(branch.slot), isOwn ? tag(t('this_one')) : null)),
				h('td.branch-line', { 'aria-hidden': 'true' }, h('span', { vars: { '--from': start, '--to': (branch.last || 0) / last } })),
				h('td.small.nowrap', branch.parent ? t('parted', { n: branch.turn || 0, last: branch.last || 0 }) : t('turns_n', { count: branch.last || 0 })),
				h('td.num.small', branch.seed == null ? '' : `${t('seed')} ${branch.seed}`),
				h('td', isOwn || isReport ? null : action({ view: 'branches', with: branch.slot }, 'compare')));
		});
		replace(pane, viewHead('branches', can('branch') ? button(t('branch_new'), () => branchDialog(), {}, 'branches') : null),
			h('table.grid.branches', tableHead(['branch', 'turns', 'parted_head', 'seed', 'compare'], '.sr'), h('tbody', rows)),
			tree.length < 2 ? emptyState('no_branches', can('branch') && t('branch_hint')) : null);
	};
	await draw();
	return on('turn', draw);
}

async function compare(pane, other, of) {
	const { turn, here, there, totals: counts, knows, diff } = await get('compare', { with: other, who: of });
	const titles = Object.fromEntries((await get('facts')).map((fact) => [fact.fact, fact.title]));
	const asked = state.entityList.filter((entity) => entity.kind !== 'stage' || entity.id === Number(of));
	// As many as came at once; a button gets what follows.
	const column = (name, side, list, count) => {
		const book = h('div.book');
		const rest = h('p.small', { role: 'status' });
		let shown = 0;
		const add = (more) => {
			book.append(...more.filter(isShown).map((event) => h('div', { class: `event f-${event.form}` }, setEvent(event))));
			shown += more.length;
			replace(rest, shown < count ? [t('events'), ' ', t('n_of', { count: shown, of: count }), ' ', button(t('more'), next)] : count ? null : t('nothing_yet'));
		};
		const next = async () => add((await get('compare', { with: other, from: shown }))[side]);
		add(list);
		return h('section.side', h('h3', name), book, rest);
	};
	replace(pane, viewHead('side_by_side', action({ with: undefined, of: undefined }, 'all_branches')),
		h('p', t('parted_at', { n: turn })),
		section('knows_differ', knows.length ? h('table.grid', h('thead', h('tr', ['', state.story.slot, other].map((name) => h('th', { scope: 'col' }, name || t('who'))))),
			h('tbody', knows.map((row) => h('tr', h('th', { scope: 'row' }, nameLink(row.who)), [row.here, row.there].map((list) => h('td', commas(list, (fact) => factLink(fact, titles[fact])))))))) : null),
		section('contexts_differ', h('div.filters', select(t('who'), 'of', asked.map(({ id, name }) => [id, name]))),
			diff && differences(diff, h('p.small', nameLink(Number(of)), `: − ${state.story.slot}, + ${other}`))),
		h('div.sides', column(state.story.slot, 'here', here, counts[0]), column(other, 'there', there, counts[1])));
}
