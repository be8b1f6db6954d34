// SPDX-License-Identifier: Apache-2.0

// The fleet, and the list that it shares with the history: trees of sessions, the worst first, read page by page and drawn only where the screen is.
import { html, Component, useEffect, useLayoutEffect, useMemo, useRef, useState } from './preact.js';
import { query } from './api.js';
import { Ago, Bar, Beat, cls, Empty, hot, Icon, Loading, OPEN, Search, Select, sessionLink, Status, Trouble, useFresh,
  useGet } from './ui.js';
import { ALARMS, amount, cost, count, lasted, line, minute, money, ms, parts, plural, span, until } from './format.js';
import { forest, isOpen, ORDERS, rate, seen } from './rank.js';
import { needs, PAGE, useRows } from './rows.js';
import { go, setQuery, state, tell, useKeys, useLive, useOffers } from './page.js';
import { Needs, useNeeds } from './needs.js';
import { Pulse } from './pulse.js';
import { Hour } from './hour.js';
import { useSpent } from './spent.js';

const EAGER = 2000; // sessions that are read without being asked for, so that the worst of them stand first
const RUNS_READ = 2000; // sessions, of which most are runs of jobs, before one has to ask for more
const ROW = 46, PHONE_ROW = 74; // heights in CSS pixels, as in style.css
const phone = matchMedia('(max-width: 700px)');
// [head, order, of ended ones]
const COLUMNS = [['State', 'worst'], ['Session', 'goal'], ['Why'], ['Pulse', 'pulse'], ['Cost', 'cost'], ['Budget', 'budget'], ['Age', 'age', 'Ended']];
// Words for a broken channel of hooks in a list.
const CHANNELS = { mute: 'hooks mute', degraded: 'hooks partial' };

function StateCell({ row, spent, marked, mark }) {
  return html`<td>${mark && html`<label class="pick"><input type="checkbox" checked=${marked} onChange=${mark} aria-label=${`Mark ${line(row.goal || row.id)} to compare it`} /></label>`}<${Status} status=${row.status} /><small>${row.alarm ? html`<b class="bad" title=${ALARMS[row.alarm]}>alarm</b>`
    : html`${row.needs_somebody && row.status !== 'blocked' && html`<b class="bad">needs you</b> `}
      ${until(row.retry_at) ? html`<b>${until(row.retry_at)}</b>` : CHANNELS[row.adapter?.channel] ? html`<b class="bad"
        title=${`the newest hook of ${row.adapter.name} came at ${row.adapter.last_hook_at}`}>${CHANNELS[row.adapter.channel]}</b>`
      : row.approvals_pending > 0 ? html`<b>${plural(row.approvals_pending, 'request')}</b>` : row.ended_at ? spent?.words && html`<span title=${spent.all}>was ${spent.words}</span>` : html`<${Ago} at=${row.since} />`}`}</small></td>`;
}

// Sessions below a row, the worst first.
function Below({ node }) {
  const { below, worstRow, row } = node;
  return below > 0 && html`<span class="below">${plural(below, 'sub-agent')}${worstRow !== row && html`, worst <b class=${'s-' + (OPEN.includes(worstRow.status) ? worstRow.status : '')}>
    ${worstRow.alarm ? 'alarm' : worstRow.status}</b>`} · </span>`;
}

const NOTED = ['row', 'here', 'index', 'behind', 'open', 'sign', 'child', 'spent', 'marked'];
class Row extends Component {
  shouldComponentUpdate(next) { return NOTED.some((name) => next[name] !== this.props[name]); }
  render({ node, row, here, index, behind, open, toggle, label, child, ...picking }) {
    const { agent = {}, budget, last_action: action } = row;
    const sum = node.below > 0 && node.cost > (row.used?.cost_usd || 0);
    const shown = sum ? { ...row.used, cost_usd: node.cost, cost_estimated_usd: node.estimated, unpriced_tokens: node.unpriced } : row.used;
    return html`<tr class=${cls(here && 'here', row.alarm && 'alarmed', node.depth > 0 && 'child')} aria-rowindex=${index + 2} data-id=${row.id}
      onClick=${(event) => event.target.closest('a, button, label') || go(sessionLink(row.id))}>
      <${StateCell} row=${row} ...${picking} />
      <td style=${node.depth > 0 && { paddingLeft: 10 + node.depth * 18 + 'px' }}><span class="goal">${node.kids.length > 0 && html`<button class="quiet fold" aria-expanded=${String(open)}
          aria-label=${`Sub-agents of ${line(row.goal || row.id)}`} onClick=${toggle}><${Icon} name="chevron" /></button>`}
        <a href=${sessionLink(row.id)} dir="auto" title=${line(row.goal || row.id)}>${line(row.goal || row.id)}</a></span><small><${Below} node=${node} />${row.ended_at && html`<span class="narrow">ran ${span(lasted(row))}${cost(shown) && ` · ${cost(shown)}`} · </span>`}${row.estimate && !row.estimate.fallback && html`<b
            title=${row.estimate.next_milestone && 'next: ' + line(row.estimate.next_milestone)}>${Math.round(row.estimate.percent)}%</b> · `}
          ${!node.depth && row.parent && html`<a href=${sessionLink(row.parent)} title="the session that opened it">↑ ${row.parent}</a> · `}
          <code>${row.id}</code>${row.recorded && ' · recorded'}${behind && html` · <a href=${'#/history' + query({ q: agent.name })}
            title="completed runs of this job before it">${plural(behind + 1, 'run')}</a>`}${[...new Set([agent.type, agent.name, agent.model])].map((part) => part && html` · ${line(part)}`)}
          ${label && row.labels?.[label] && html` · ${line(label)} ${line(row.labels[label])}`}</small></td>
      <td><div class="two-lines"><span class="reason" dir="auto" title=${line(row.reason)}>${line(row.reason || row.phase) || html`<span class="faint">nothing yet</span>`}</span>
        <small>${action && html`<${Ago} at=${action.at} /> `}<code dir="auto">${line(action?.text)}</code></small></div></td>
      <td class="pulses"><${Pulse} row=${row} /></td>
      <td class="money" title=${[sum && 'with its sub-agents', amount(row.used?.tokens || 0) + ' tokens', parts(row.used?.token_parts)].filter(Boolean).join(' · ')}>
        <span>${sum ? 'Σ ' : ''}${cost(shown)}</span><small>${!row.ended_at && node.rate >= 0.005 ? `${money(node.rate)}/h` : row.used?.tokens > 0 && !shown.cost_usd ? amount(row.used.tokens) + ' tok' : ''}</small></td>
      <td>${budget && html`<span class="of" title=${`${budget.level}: ${Math.round(budget.pressure)} % of its ${budget.dimension}`}>
          <${Bar} percent=${budget.pressure} level=${hot(budget.pressure)} /> ${Math.round(budget.pressure)}%</span><small>${budget.dimension}</small>`}</td>
      <td class="age">${row.ended_at ? html`<${Ago} at=${row.ended_at} /><small>ran ${span(lasted(row))}</small>`
        : html`<${Ago} at=${row.opened_at} /><small><${Beat} row=${row} /></small>`}</td></tr>`;
  }
}

// A job that pings has a session for each run. Runs that were completed stand behind the newest completed one of their job, with their
// number; any other is a row of its own. Search and filters show each.
// An agent may say that it is such a job, so the id has to be as the daemon names its runs too: JOB, JOB~2, JOB.RID.
function jobOf(row) {
  const job = row.agent?.name;
  if (!job || row.agent.type !== 'job' || row.labels?.adapter !== 'ping' || !row.id.startsWith(job)) return undefined;
  const rest = row.id.slice(job.length);
  const named = rest === '' || /^~[0-9]+$/.test(rest) || (!!row.labels.rid && rest === `.${row.labels.rid}`);
  return named ? job : undefined;
}
function withoutRuns(list) {
  const newest = new Map(), behind = new Map();
  const rows = list.order.map((id) => list.rows.get(id)).filter((row) => {
    const job = jobOf(row);
    if (job === undefined || row.alarm || row.status !== 'completed') return true;
    if (!newest.has(job)) return newest.set(job, row.id);
    behind.set(newest.get(job), (behind.get(newest.get(job)) ?? 0) + 1);
    return false;
  });
  return { rows, behind };
}

// Trees under headings of a label's values, or as they are.
function items(roots, key, closed, turned) {
  if (!key) return seen(roots, turned);
  const groups = new Map();
  for (const node of roots) {
    const group = node.row.labels?.[key] ?? '';
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(node);
  }
  return [...groups].sort(([a], [b]) => (a === '') - (b === '') || a.localeCompare(b))
    .flatMap(([group, members]) => [{ group, members }, ...(closed.has(group) ? [] : seen(members, turned))]);
}

// Which items are on the screen, with some before and behind.
function useWindow(table, size, high) {
  const [[from, to], set] = useState([0, 40]);
  useLayoutEffect(() => {
    const look = () => {
      const { top } = table.current.getBoundingClientRect();
      const next = [Math.max(0, Math.floor(-top / high) - 8), Math.max(12, Math.ceil((innerHeight - top) / high) + 8)];
      set((old) => (String(old) === String(next) ? old : next));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => { removeEventListener('scroll', look); removeEventListener('resize', look); };
  }, [size, high]);
  return [Math.min(from, size), Math.min(to, size)];
}

const remember = (sort) => { localStorage.setItem('sort', sort); setQuery({ sort }); };

function Heads({ columns, sort, ended }) {
  return html`<tr>${columns.map(([name, order, other]) => html`<th scope="col" key=${name} aria-sort=${order === sort ? (order === 'goal' || order === 'worst' ? 'ascending' : 'descending') : null}>
    ${order ? html`<button class="quiet" title=${order === 'worst' ? 'The worst first' : `Sort by ${name.toLowerCase()}; again: the worst first`}
      onClick=${() => remember(sort === order ? '' : order)}>${(ended && other) || name}${order === sort && html`<${Icon} name="down" />`}</button>` : name}</th>`)}</tr>`;
}

function Rows({ list, group, sort, whole, ended, need, at, label, marks }) {
  const table = useRef();
  const [here, setHere] = useState(null);
  const [closed, setClosed] = useState(new Set());
  const [turned, setTurned] = useState(new Set());
  const [narrow, setNarrow] = useState(phone.matches);
  useEffect(() => {
    const look = () => setNarrow(phone.matches);
    phone.addEventListener('change', look);
    return () => phone.removeEventListener('change', look);
  }, []);
  const high = narrow ? PHONE_ROW : ROW;
  const known = list.version + ' ' + list.order.length;
  const { roots, behind } = useMemo(() => {
    const wanted = needs();
    const made = whole ? { rows: list.order.map((id) => list.rows.get(id)), behind: new Map() } : withoutRuns(list);
    let { rows } = made;
    if (!ended) rows = rows.filter((row) => !row.ended_at);
    if (at) rows = rows.filter((row) => ms(row.since) <= at);
    if (need) rows = rows.filter((row) => wanted.get(row.id)?.kind === need);
    return { behind: made.behind, roots: forest(rows, wanted, sort, Date.now()) };
  }, [list, known, sort, whole, need, at, state.overview?.needs_you]);
  const all = useMemo(() => items(roots, group, closed, turned), [roots, group, closed, turned]);
  const enough = list.order.length > RUNS_READ && all.length * 2 < list.order.length; // runs of jobs: further ones are asked for
  const [from, to] = useWindow(table, all.length, high);
  const shown = all.slice(from, to);
  const spent = useSpent(shown.flatMap((item) => item.row || []));
  useEffect(() => tell({ watch: shown.filter((item) => item.row).map((item) => item.row) }), [shown.map((item) => item.row?.id).join()]);
  useEffect(() => () => tell({ watch: [] }), []);
  // Asked after every drawing: while another page is being read the wish is dropped.
  useEffect(() => { if (list.next && !list.error && (to > all.length - 30 ? !enough : !ended && list.order.length < EAGER)) list.read(list.next); });
  const move = (step) => {
    let next = all.findIndex((item) => item.row && item.row.id === here) + step;
    while (all[next]?.members) next += step;
    if (!all[next]) return;
    setHere(all[next].row.id);
    const y = table.current.getBoundingClientRect().top + next * high;
    scrollBy(0, y < 120 ? y - 160 : Math.max(0, y - innerHeight + 2 * high));
  };
  const open = () => (here ? go(sessionLink(here)) : false);
  // Rows that are not drawn again keep an older `mark` and `turn`, so these take what is marked and turned as it is then.
  const marked = useRef();
  marked.current = marks;
  const mark = (id) => { const { current: old } = marked; setQuery({ mark: (old.includes(id) ? old.filter((one) => one !== id) : [...old, id]).slice(-2).join() }); };
  const compare = () => go('#/compare' + query({ a: marks[0], b: marks[1] }));
  const flip = (keep) => (value) => keep((old) => { const next = new Set(old); if (!next.delete(value)) next.add(value); return next; });
  const fold = flip(setClosed), turn = flip(setTurned);
  const turnHere = (opens) => () => {
    const node = all.find((item) => item.row && item.row.id === here);
    if (!node?.kids.length || isOpen(node, turned) === opens) return false;
    turn(here);
    return true;
  };
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: open,
    l: turnHere(true), h: turnHere(false), ArrowRight: turnHere(true), ArrowLeft: turnHere(false), x: () => (ended && here ? mark(here) : false), c: () => (ended && marks.length > 1 ? compare() : false) });
  const gap = (key, size) => size > 0 && html`<tr key=${key} aria-hidden="true">
      <td class="gap" style=${{ height: size * high + 'px' }} /></tr>`;
  const rowCount = Math.max(list.total, all.length) + 1;
  return html`<div class="table"><table class="fleet" aria-rowcount=${rowCount} aria-label="Sessions"><thead>
      <${Heads} columns=${COLUMNS} sort=${sort} ended=${ended} /></thead>
    <tbody ref=${table}>${gap('before', from)}${shown.map((item, i) => (item.members
      ? html`<tr key=${'group ' + item.group} class="group"><th scope="rowgroup" colspan="2">
          <button class="quiet" aria-expanded=${String(!closed.has(item.group))} onClick=${() => fold(item.group)}>
            <${Icon} name="chevron" />
          <b>${line(item.group) || `no ${group}`}</b>
          <span class="muted">${plural(item.members.length, 'session')}</span></button></th>
          ${COLUMNS.slice(2).map(() => html`<td />`)}</tr>`
      : html`<${Row} key=${item.row.id} node=${item} row=${item.row} index=${from + i} here=${item.row.id === here} label=${label}
          open=${isOpen(item, turned)} sign=${`${item.below} ${item.depth} ${item.cost} ${item.worstRow.status}`} toggle=${() => turn(item.row.id)}
          behind=${behind.get(item.row.id)} spent=${spent(item.row)}
          marked=${marks.includes(item.row.id)} mark=${ended && (() => mark(item.row.id))} />`))}${gap('behind', all.length - to)}
        </tbody></table>${!all.length && html`<p class="more muted">No session is like that.</p>`}
    ${list.next && html`<p class="more muted">${count(list.order.length)} of ${count(list.total)} read; ${enough
      ? html`<button class="quiet" onClick=${() => list.read(list.next)}>read more</button>` : 'more as you scroll'}</p>`}</div>
    ${marks.length > 0 && html`<p class="marks line" role="status"><b>${plural(marks.length, 'run')} marked</b>${marks.length > 1
      ? html`<button class="primary" onClick=${compare}>Compare <kbd>c</kbd></button>` : html`<span>mark another one to compare</span>`}
      <button class="quiet" onClick=${() => setQuery({ mark: '' })}>Clear</button></p>`}`;
}

// Tokens and cost of the rows that were read.
function totals(list) {
  const sum = { tokens: 0, cost_usd: 0, estimated: 0, unpriced: 0 };
  for (const id of list.order || []) {
    const { used } = list.rows.get(id);
    sum.tokens += used?.tokens || 0;
    sum.cost_usd += used?.cost_usd || 0;
    sum.estimated += used?.cost_estimated_usd || 0;
    sum.unpriced += used?.unpriced_tokens || 0;
  }
  return { ...sum, dollars: sum.cost_usd > 0 ? (sum.estimated > 0 ? '~' : '') + money(sum.cost_usd) + (sum.unpriced > 0 ? '+' : '') : '' };
}

// Values of labels of the rows that were read, those of the most sessions first.
function labelsOf(list) {
  const found = new Map();
  for (const id of list.order || []) {
    for (const [key, value] of Object.entries(list.rows.get(id).labels || {})) {
      if (key !== 'adapter' && key !== 'agent_version') found.set(`${key}:${value}`, (found.get(`${key}:${value}`) || 0) + 1);
    }
  }
  return [...found].filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 60);
}

// The list with what filters it; everything that is chosen stands in the address.
export function Listing({ route, list, open, statuses, tallies, children }) {
  const { q, status = '', label, group, need, mark = '' } = route.query;
  const kept = localStorage.getItem('sort'), ended = open === 'false', at = (!ended && ms(route.query.at)) || 0;
  const sort = [route.query.sort, kept].find((name) => Object.hasOwn(ORDERS, name || '')) || (ended ? 'age' : 'worst');
  useLive((message) => message.overview);
  const chosen = status.split(',').filter(Boolean);
  const toggle = (name) => setQuery({ status: (chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]).join() });
  const { values, sum, found } = useMemo(() => ({ values: labelsOf(list), sum: totals(list),
    found: (list.order || []).slice(0, PAGE).flatMap((id) => Object.keys(list.rows.get(id).labels || {})) }), [list, list.version]);
  const keys = new Set([...(group ? [group] : []), ...found]);
  useOffers([...(ended ? [['Sort by duration', () => remember('ran')]] : []), ...COLUMNS.filter(([, order]) => order).map(([name, order]) => [`Sort by ${name.toLowerCase()}`, () => remember(order)]),
    ...[...keys].sort().map((key) => [`Group by ${key}`, () => setQuery({ group: key })])]);
  const filtered = q || status || label || need || at;
  return html`<div class="head">${ended && html`<div class="counts" role="group" aria-label="Filter by state">${statuses.map((name) => html`
      <button key=${name} class="pill" aria-pressed=${String(chosen.includes(name))} onClick=${() => toggle(name)}>
          <${Status} status=${name} small />${' '}${count(tallies[name])}</button>`)}</div>`}
    <span class="tools"><${Search} value=${q} label="Filter by id, goal, agent or label" onChange=${(text) => setQuery({ q: text })} />
      ${(values.length > 0 || label) && html`<${Select} label="Label" value=${label || ''} onChange=${(value) => setQuery({ label: value })}
        options=${[['', 'any label'], ...(label && !values.some(([name]) => name === label) ? [[label, label]] : []), ...values.map(([name, n]) => [name, `${line(name.replace(':', ': '))} (${n})`])]} />`}
      ${keys.size > 0 && html`<${Select} label="Group by" value=${group || ''} onChange=${(value) => setQuery({ group: value })}
        options=${[['', 'not grouped'], ...[...keys].sort().map((key) => [key, 'by ' + key])]} />`}
      <span class="muted total">${list.loaded && html`<span>${plural(list.total, 'session')}</span>${[sum.tokens > 0 && amount(sum.tokens) + ' tokens', sum.dollars && html`<a href="#/costs" title="by agent, model, label, day">${sum.dollars}</a>`,
        sum.dollars && list.next && 'in those read'].map((part) => part && html` · ${part}`)}`}</span></span></div>
    <${Trouble} error=${list.error} again=${() => list.read()} />
    ${!list.loaded ? !list.error && html`<${Loading} />` : list.order.length ? html`<${Rows} list=${list} group=${group} sort=${sort} ended=${ended} need=${need} at=${at} label=${group} marks=${mark.split(',').filter(Boolean)}
      whole=${Boolean(q || status || label)} />`
      : filtered ? html`<${Empty} title="Nothing matches">No session is like that.${' '}
          <a href=${location.hash.split('?')[0]}>Show all</a><//>` : children}`;
}

// The daily caps, where there are any; one that is reached holds its sessions.
function Day() {
  const { data, again } = useGet('/v1/budget/day');
  useFresh(again, 5000);
  if (!data?.caps?.length) return null;
  return html`<section class="saved" aria-label="Daily caps">${data.caps.map((cap) => html`<p key=${cap.label} role=${cap.level === 'reached' ? 'alert' : undefined}>
      <b>${cap.level === 'reached' ? 'Paused: ' : cap.level === 'warned' ? 'Nearly used up: ' : ''}</b>${cap.summary}${cap.lifted ? ' (lifted until tomorrow)' : ''}</p>`)}</section>`;
}

// How it stands in one line, whose parts filter.
const CALM = ['suspect', 'slow', 'waiting', 'starting'];
function Sentence({ route, list }) {
  const { items: pending, total } = useNeeds();
  const { status = '', need } = route.query, at = ms(route.query.at);
  const { counts = {}, approvals_pending: asked = 0 } = state.overview || {};
  const now = Date.now(), rows = [...(list.rows?.values() || [])];
  const burns = (name) => { const sum = rows.filter((row) => row.status === name).reduce((all, row) => all + rate(row, now), 0); return sum >= 0.005 ? `, ${money(sum)} an hour` : ''; };
  const alarms = pending.filter((item) => item.kind === 'alarm').length;
  const critical = pending.filter((item) => item.kind === 'approval' && /high|critical/.test(item.risk)).length;
  const near = pending.filter((item) => item.kind === 'over_budget').length;
  const working = (counts.progressing || 0) + (counts.exploring || 0);
  const by = (names) => ({ on: status === names, change: { status: status === names ? '' : names, need: '' } });
  const of = (name) => ({ on: need === name, change: { need: need === name ? '' : name, status: '' } });
  const inState = (name, words, more = '') => counts[name] > 0 && { words: `${count(counts[name])} ${words}${more}`, kind: name, ...by(name) };
  const all = [
    alarms > 0 && { words: `${alarms} ran against a decision`, kind: 'alarm', ...of('alarm') },
    asked > 0 && { words: plural(asked, 'decision') + (critical > 0 ? `, ${critical} risky` : ''), kind: 'approval', bad: critical > 0, href: '#/approvals' },
    inState('stuck', 'stuck', burns('stuck')),
    near > 0 && { words: `${near}${total > pending.length ? '+' : ''} near the budget`, kind: 'over_budget', ...of('over_budget') },
    inState('blocked', 'blocked'), inState('silent', 'silent'), ...CALM.map((name) => inState(name, name)),
    working > 0 && { words: `${count(working)} working`, kind: 'progressing', ...by('progressing,exploring') },
  ].filter(Boolean);
  const spent = totals(list).dollars;
  const shown = status && !all.some((part) => part.on) && status.split(',').filter((name) => OPEN.includes(name));
  return html`<div class="sentence" role="group" aria-label="How it stands; each part filters">
    ${all.map(({ words, kind, href, bad, on, change }) => (href ? html`<a key=${words} class=${cls('part p-' + kind, bad && 'strong')} href=${href}><${Icon} name=${kind} />${words}</a>`
      : html`<button key=${words} class=${'part p-' + kind} aria-pressed=${String(!!on)} onClick=${() => setQuery(change)}><${Icon} name=${kind} />${words}</button>`))}
    ${(need || shown || at > 0) && html`<button class="part" onClick=${() => setQuery({ status: '', need: '', at: '' })}>${[shown && shown.join(', '), at > 0 && `since ${minute(at)}`].filter(Boolean).join(', ')} × all</button>`}
    ${spent && html`<button class="part" title="of what was read of the open sessions; sorts by cost" onClick=${() => remember('cost')}>${spent} so far</button>`}</div>`;
}

export function Fleet({ route }) {
  const { q, status, label } = route.query;
  const list = useRows({ open: 'true', q, verdict: status, label });
  return html`<h1 class="sr">Fleet</h1><${Sentence} route=${route} list=${list} /><${Hour} at=${ms(route.query.at)} /><${Needs} whole /><${Day} />
    <${Listing} route=${route} list=${list} open="true" statuses=${OPEN}>
    <${Empty} title="No agent is running">The first report of an agent shows up here by itself.${' '}
  <a href="#/connect">Connect an agent</a> with <code>headway install</code>, supervise any command with <code>headway run -- CMD</code>, or see${' '}
  <a href="#/history">what has ended</a>.<//><//>`;
}
