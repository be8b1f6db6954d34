// SPDX-License-Identifier: Apache-2.0

// The fleet and the history: a row a session, newest first, read page by page and drawn only where the screen is.
import { html, Component, useEffect, useLayoutEffect, useRef, useState } from './preact.js';
import { get, query } from './api.js';
import { Ago, Bar, Beat, cls, Empty, ENDED, hot, Icon, Labels, Loading, OPEN, Search, Select, sessionLink, Spark, Status, Trouble, useFresh,
  useGet } from './ui.js';
import { ALARMS, amount, count, money, parts, plural, span, until, used } from './format.js';
import { go, listen, setQuery, state, tell, useKeys, useLive } from './page.js';

const PAGE = 200;
const RUNS_READ = 2000; // sessions, of which most are runs of jobs, before one has to ask for more
const ROW = 46; // height in CSS pixels, as in pages.css
const COLUMNS = ['State', 'Session', 'Last action, and why', '', 'Beat', 'Progress', 'Budget, used', 'Labels'];
const SORTS = { cost: (row) => row.used?.cost_usd, tokens: (row) => row.used?.tokens, budget: (row) => row.budget?.pressure };
// What a broken channel of hooks means to a person who reads the list.
const CHANNELS = { mute: 'hooks mute', degraded: 'hooks partial' };

// The id and the agent say these already, and there is room for two.
const inRow = (labels = {}) => Object.fromEntries(Object.entries(labels).filter(([key]) => key !== 'adapter' && key !== 'agent_version'));

class Row extends Component {
  shouldComponentUpdate(next) { return ['row', 'here', 'index', 'behind'].some((name) => next[name] !== this.props[name]); }
  render({ row, here, index, behind }) {
    const { agent = {}, budget, last_action: action } = row;
    return html`<tr class=${cls(here && 'here', row.alarm && 'alarmed')} aria-rowindex=${index + 2} data-id=${row.id}
      onClick=${(event) => event.target.closest('a') || go(sessionLink(row.id))}>
      <td><${Status} status=${row.status} /><small>${row.alarm ? html`<b class="bad" title=${ALARMS[row.alarm]}>alarm</b>`
        : html`${row.needs_somebody && row.status !== 'blocked' && html`<b class="bad">needs you</b> `}${until(row.retry_at) && html`<b>${until(row.retry_at)}</b> · `}${CHANNELS[row.adapter?.channel] && html`<b class="bad"
          title=${`the newest hook of ${row.adapter.name} came at ${row.adapter.last_hook_at}`}>${CHANNELS[row.adapter.channel]}</b> `}<${Ago} at=${row.since} />`}</small></td>
      <td><a href=${sessionLink(row.id)}>${row.goal || row.id}</a><small>
          <code>${row.id}</code>${behind && html` · <a href=${'#/history' + query({ q: agent.name })}
            title="completed runs of this job before it">${plural(behind + 1, 'run')}</a>`}${[...new Set([agent.type, agent.name, agent.model])].map((part) => part && html` · ${part}`)}</small></td>
      <td><code>${action ? action.text : html`<span class="faint">nothing yet</span>`}</code>
        <small>${row.reason || row.phase}</small></td>
          <td>${action && html`<${Ago} at=${action.at} />`}</td>
      <td><${Beat} row=${row} /></td><td><${Spark} activity=${row.activity} />${row.estimate && html`<small class="of"
        title=${row.estimate.next_milestone && 'next: ' + row.estimate.next_milestone}><${Bar} percent=${row.estimate.percent} />
          ${Math.round(row.estimate.percent)}%</small>`}</td>
      <td>${budget && html`<span class="of" title=${`${budget.level}: ${Math.round(budget.pressure)} % of its ${budget.dimension}`}>
          <${Bar} percent=${budget.pressure} level=${hot(budget.pressure)} /> ${Math.round(budget.pressure)}%</span>`}
        <small title=${'tokens and cost so far ' + parts(row.used?.token_parts)}>${used(row.used)}</small></td>
      <td><${Labels} labels=${inRow(row.labels)} max=${2} /></td></tr>`;
  }
}

// Rows of one list of the daemon, page by page, kept up to date by the hub.
class List {
  constructor(filters, draw) {
    Object.assign(this, { filters, draw, rows: new Map(), order: [], next: null, total: 0, abort: new AbortController() });
  }
  take(row) {
    const old = this.rows.get(row.id);
    if (!old || row.n >= old.n) this.rows.set(row.id, row);
  }
  async read(cursor) {
    if (this.busy) {
      this.again ||= !cursor;
      return;
    }
    this.busy = true;
    try {
      const reply = await get('/v1/sessions' + query({ ...this.filters, view: 'row', limit: PAGE, cursor }),
          { signal: this.abort.signal });
      const ids = reply.sessions.map((row) => row.id), known = new Set(ids);
      const others = this.order.filter((id) => !known.has(id));
      // The first page again: what came after its last row still does.
      const tail = cursor || !reply.next ? [] : this.order.slice(this.order.indexOf(ids.at(-1)) + 1).filter((id) => !known.has(id));
      reply.sessions.forEach((row) => this.take(row));
      this.order = cursor ? [...others, ...ids] : [...ids, ...tail];
      if (cursor || !tail.length) this.next = reply.next;
      Object.assign(this, { total: reply.total, error: null, loaded: true });
    } catch (error) { if (error.name !== 'AbortError') this.error = error; }
    this.busy = false;
    this.draw();
    if (this.again) { this.again = false; this.read(); }
  }
}

function useRows(filters) {
  const [, set] = useState(0);
  const draw = () => set((n) => n + 1);
  const now = useRef(), shown = useRef();
  useEffect(() => {
    const list = now.current = new List(filters, draw);
    list.read();
    return () => list.abort.abort();
  }, [query(filters)]);
  useEffect(() => listen(({ rows = [] }) => {
    const mine = rows.filter((row) => now.current.rows.has(row.id));
    mine.forEach((row) => now.current.take(row));
    if (mine.length) draw();
  }), []);
  useFresh(() => now.current.read(), 800);
  // Until a new list is there the old one stays: filters do not flash.
  if (now.current?.loaded || now.current?.error || !shown.current) shown.current = now.current;
  return shown.current || {};
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

// The rows; when grouped, a heading before those of each value of the label.
function grouped(all, key, closed, sort) {
  const by = SORTS[sort];
  if (by) all.sort((a, b) => (by(b) ?? -1) - (by(a) ?? -1));
  const rows = [...all.filter((row) => row.alarm), ...all.filter((row) => !row.alarm)]; // alarms on top
  if (!key) return rows;
  const groups = new Map();
  for (const row of rows) {
    const group = row.labels?.[key] ?? '';
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(row);
  }
  return [...groups].sort(([a], [b]) => (a === '') - (b === '') || a.localeCompare(b))
    .flatMap(([group, members]) => [{ group, members }, ...(closed.has(group) ? [] : members)]);
}

// Which items are on the screen, with some before and behind.
function useWindow(table, size) {
  const [[from, to], set] = useState([0, 40]);
  useLayoutEffect(() => {
    const look = () => {
      const { top } = table.current.getBoundingClientRect();
      const next = [Math.max(0, Math.floor(-top / ROW) - 8), Math.ceil((innerHeight - top) / ROW) + 8];
      set((old) => (String(old) === String(next) ? old : next));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => { removeEventListener('scroll', look); removeEventListener('resize', look); };
  }, [size]);
  return [Math.min(from, size), Math.min(to, size)];
}

function Rows({ list, group, sort, whole }) {
  const table = useRef();
  const [here, setHere] = useState(null);
  const [closed, setClosed] = useState(new Set());
  const { rows, behind } = whole ? { rows: list.order.map((id) => list.rows.get(id)), behind: new Map() } : withoutRuns(list);
  const items = grouped([...rows], group, closed, sort);
  const enough = list.order.length > RUNS_READ && items.length * 2 < list.order.length; // runs of jobs: further ones are asked for
  const [from, to] = useWindow(table, items.length);
  const shown = items.slice(from, to);
  useEffect(() => tell({ watch: shown.filter((item) => item.id) }), [shown.map((item) => item.id).join()]);
  useEffect(() => () => tell({ watch: [] }), []);
  // Asked after every drawing: while another page is being read the wish is dropped.
  useEffect(() => { if (list.next && !list.error && !enough && to > items.length - 30) list.read(list.next); });
  const move = (step) => {
    let next = items.findIndex((item) => item.id === here) + step;
    while (items[next]?.members) next += step;
    if (!items[next]) return;
    setHere(items[next].id);
    const y = table.current.getBoundingClientRect().top + next * ROW;
    scrollBy(0, y < 120 ? y - 160 : Math.max(0, y - innerHeight + 2 * ROW));
  };
  const open = () => (here ? go(sessionLink(here)) : false);
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: open });
  const fold = (value) => { const next = new Set(closed); if (!next.delete(value)) next.add(value); setClosed(next); };
  const gap = (key, size) => size > 0 && html`<tr key=${key} aria-hidden="true">
      <td class="gap" style=${{ height: size * ROW + 'px' }} /></tr>`;
  return html`<div class="table"><table class="fleet" aria-rowcount=${list.total + 1} aria-label="Sessions"><thead>
      <tr>${COLUMNS.map((name) => html`<th scope="col" key=${name}>${name || html`<span class="sr">When</span>`}</th>`)}</tr></thead>
    <tbody ref=${table}>${gap('before', from)}${shown.map((item, i) => (item.members
      ? html`<tr key=${'group ' + item.group} class="group"><th scope="rowgroup">
          <button class="quiet" aria-expanded=${String(!closed.has(item.group))} onClick=${() => fold(item.group)}>
            <${Icon} name="chevron" />
          <b>${item.group || `no ${group}`}</b>
          <span class="muted">${plural(item.members.length, 'session')}</span></button></th>
          ${COLUMNS.slice(1).map(() => html`<td />`)}</tr>`
      : html`<${Row} key=${item.id} row=${item} index=${from + i} here=${item.id === here}
          behind=${behind.get(item.id)} />`))}${gap('behind', items.length - to)}
        </tbody></table>
    ${list.next && html`<p class="more muted">${count(list.order.length)} of ${count(list.total)} read; ${enough
      ? html`<button class="quiet" onClick=${() => list.read(list.next)}>read more</button>` : 'more as you scroll'}</p>`}</div>`;
}

// Tokens and cost of the rows that were read.
function totals(list) {
  const sum = { tokens: 0, cost_usd: 0, estimated: 0, unpriced: 0 };
  for (const id of list.order) {
    const row = list.rows.get(id);
    sum.tokens += row.used?.tokens || 0;
    sum.cost_usd += row.used?.cost_usd || 0;
    sum.estimated += row.used?.cost_estimated_usd || 0;
    sum.unpriced += row.used?.unpriced_tokens || 0;
  }
  const text = [sum.tokens > 0 && amount(sum.tokens) + ' tokens', sum.cost_usd > 0 && (sum.estimated > 0 ? '~' : '') + money(sum.cost_usd) + (sum.unpriced > 0 ? '+' : '')].filter(Boolean).join(' · ');
  return text && list.next ? text + ' in those read' : text;
}

// The list with what filters it; everything that is chosen stands in the address.
function Listing({ route, open, statuses, children }) {
  const { q, status = '', label, group, sort } = route.query;
  const list = useRows({ open, q, verdict: status, label });
  useLive((message) => message.overview);
  const counts = state.overview?.counts || {};
  const chosen = status.split(',').filter(Boolean);
  const without = (name) => chosen.filter((one) => one !== name);
  const toggle = (name) => setQuery({ status: (chosen.includes(name) ? without(name) : [...chosen, name]).join() });
  const labels = new Set([...(group ? [group] : []),
      ...(list.order || []).slice(0, PAGE).flatMap((id) => Object.keys(list.rows.get(id).labels || {}))]);
  return html`<div class="head"><div class="counts" role="group" aria-label="Filter by state">
      ${statuses.filter((name) => !open || open === 'false' || counts[name] || chosen.includes(name)).map((name) => html`
      <button key=${name} class="pill" aria-pressed=${String(chosen.includes(name))} onClick=${() => toggle(name)}>
          <${Status} status=${name} small />${open === 'true' && html` <b>${count(counts[name] || 0)}</b>`}</button>`)}</div>
    <span class="tools"><${Search} value=${q} label="Filter by id, goal, agent or label" onChange=${(text) => setQuery({ q: text })} />
      ${label && html`<button class="pill" onClick=${() => setQuery({ label: '' })} title="Remove this filter">${label} ×</button>`}
      ${labels.size > 0 && html`<${Select} label="Group by" value=${group || ''} onChange=${(value) => setQuery({ group: value })}
        options=${[['', 'not grouped'], ...[...labels].sort().map((key) => [key, 'by ' + key])]} />`}
      <${Select} label="Sort by" value=${sort || ''} onChange=${(value) => setQuery({ sort: value })}
        options=${[['', 'newest first'], ['cost', 'by cost'], ['tokens', 'by tokens'], ['budget', 'by budget used']]} />
      <span class="muted total">${list.loaded && [plural(list.total, 'session'), totals(list)].filter(Boolean).join(' · ')}</span></span></div>
    <${Trouble} error=${list.error} again=${() => list.read()} />
    ${!list.loaded ? !list.error && html`<${Loading} />` : list.order.length ? html`<${Rows} list=${list} group=${group} sort=${sort} whole=${Boolean(q || status || label)} />`
      : q || status || label ? html`<${Empty} title="Nothing matches">No session is like that.${' '}
          <a href=${location.hash.split('?')[0]}>Show all</a><//>` : children}`;
}

// The caps of the day, where there are any; one that is reached holds its sessions.
function Day() {
  const { data, again } = useGet('/v1/budget/day');
  useFresh(again, 5000);
  if (!data?.caps?.length) return null;
  return html`<section class="saved" aria-label="Caps of the day">${data.caps.map((cap) => html`<p key=${cap.label} role=${cap.level === 'reached' ? 'alert' : undefined}>
      <b>${cap.level === 'reached' ? 'Paused: ' : cap.level === 'warned' ? 'Nearly used up: ' : ''}</b>${cap.summary}${cap.lifted ? ' (lifted until tomorrow)' : ''}</p>`)}</section>`;
}

export const Fleet = ({ route }) => html`<h1 class="sr">Fleet</h1><${Day} /><${Listing} route=${route} open="true" statuses=${OPEN}>
    <${Empty} title="No agent is running">The first report of an agent shows up here by itself.${' '}
  <a href="#/connect">Connect an agent</a> with <code>headway install</code>, supervise any command with <code>headway run -- CMD</code>, or see${' '}
  <a href="#/history">what has ended</a>.<//><//>`;

// What the timers that status replaces would have done.
function Saved() {
  const { data } = useGet('/v1/analytics/timeouts');
  if (!data) return null;
  const figure = (value, words) => html`<p><b>${value}</b> ${words}</p>`;
  return data.sessions ? html`<section class="saved" aria-label="Saved by status">
      ${figure(data.saved, `of ${plural(data.sessions, 'session')} completed although an old timer would have ended them`)}
      ${figure(span(data.saved_ms), 'of work after the moment of the timer')}
        ${figure(data.would_have_killed, 'would have been ended in all')}</section>`
    : html`<p class="calm">Coming from timeouts? <code>[legacy_timeouts] mode = "observe"</code> notes what they would have ended.</p>`;
}

export const History = ({ route }) => html`<h1 class="sr">History</h1><${Saved} />
  <${Listing} route=${route} open="false" statuses=${ENDED}>
  <${Empty} title="Nothing has ended yet">Sessions move here when they end, and stay as long as <code>storage.retention</code> says.<//><//>`;
