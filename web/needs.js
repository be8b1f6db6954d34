// SPDX-License-Identifier: Apache-2.0

// Needs of people: a line a cause, the worst first, with its actions in place. On the fleet at most six lines, elsewhere one.
import { html, useEffect, useRef, useState } from './preact.js';
import { get, query, sessionPath } from './api.js';
import { Ago, cls, Icon, REASON, Sending, sessionLink } from './ui.js';
import { line, money, plural, unmark, until } from './format.js';
import { causes, keyOf } from './rank.js';
import { putAside, SEEN, sorted, takeBack } from './snooze.js';
import { go, refusal, showCount, state, useKeys, useLive, useMe } from './page.js';
import { Pulse } from './pulse.js';
import { answer } from './answers.js';

const LINES = 6;
const READ_MS = 5000; // between two readings of the rows of what needs a person: their cost and pulse
const HOUR_MS = 3600e3;

export const where = (item) => (item.approval && item.kind !== 'alarm' ? '#/approvals?id=' + encodeURIComponent(item.approval) : sessionLink(item.session));

// [one, several]
const WORDS = { approval: ['decision', 'decisions'], question: ['question', 'questions'], stuck: ['stuck', 'stuck'], over_budget: ['near its budget', 'near their budget'],
  blocked: ['blocked', 'blocked'], silent: ['silent', 'silent'], alarm: ['alarm', 'alarms'], waiting: ['waits in vain', 'wait in vain'], fan_out: ['too many sub-agents', 'too many sub-agents'] };
const known = (kind) => (WORDS[kind] ? kind : '');
export function nameOf({ items, kinds }) {
  const [first] = items, { kind } = first, at = items.length > 1 ? 1 : 0;
  const same = items.every((item) => item.risk === first.risk);
  const risky = same ? 0 : items.filter((item) => item.kind === 'approval' && /high|critical/.test(item.risk)).length;
  return ((kind === 'approval' && same && { critical: 'critical ', high: 'high-risk ' }[first.risk]) || '')
    + [...kinds].filter((name) => name !== 'question' || kinds.size === 1).map((name) => WORDS[name]?.[at] ?? name).join(' or ') + (risky > 0 ? `, ${risky} risky` : '');
}
const title = (text) => text[0].toUpperCase() + text.slice(1);
export const said = (item) => line(item.approval ? unmark(item.reason || '') : item.reason);
const goalOf = (item) => line(item.goal || item.session);

// [key, label, what it does, path behind the session, fields, body]
export const ACTS = {
  nudge: ['Nudge', 'Each agent gets your words as advice with its next report.', '/nudge', [['text', 'Your hint']], ({ text }) => (text ? { text } : null)],
  stop: ['Stop', 'Each agent gets a directive to stop; a session ends when its agent ends it.', '/cancel', [REASON], ({ reason }) => (reason ? { reason } : {})],
  end: ['End', 'The sessions end at once; reports of an agent that comes back are refused.', '/end',
    [['outcome', 'How it ended', [['failed', 'failed'], ['cancelled', 'cancelled']]], REASON],
    ({ outcome, reason }) => ({ outcome: outcome || 'failed', ...(reason && { reason }) })],
  acknowledge: ['Acknowledge', 'They ask for attention no more; the journal keeps them and who saw them.', '/alarms/acknowledge',
    [['reason', 'Your note for the journal']], ({ reason }, last) => ({ ...(last && { up_to: last }), ...(reason && { reason }) })],
};
const ACTS_OF = { alarm: ['stop', 'acknowledge'], fan_out: ['acknowledge', 'stop'], stuck: ['nudge', 'stop'], over_budget: ['stop'], waiting: ['stop'], blocked: ['stop'], silent: ['end'] };
const DONE = { nudge: 'Nudged', stop: 'Asked to stop:', end: 'Ended', acknowledge: 'Acknowledged:' };

// For the items as they were when a person chose them: an alarm since then has not been seen.
export function Acting({ act, items, close, done }) {
  const [label, what, rest, fields, body] = ACTS[act];
  const [seen] = useState(() => new Map(items.map((item) => [sessionPath(item.session, rest), item])));
  const paths = [...seen.keys()], first = items[0].session, many = paths.length > 1, whom = many ? paths.length + ' sessions' : first;
  const each = (values, path = paths[0]) => body(values, seen.get(path).up_to);
  return html`<${Sending} title=${`${label} ${whom}`} what=${what} fields=${fields} body=${each} close=${close}
    path=${paths} done=${(reply) => {
      answer({ text: `${DONE[act]} ${whom}`, session: !many && first });
      done?.(reply);
    }} />`;
}

function aside(items, till, words) {
  putAside(items, till);
  changed();
  answer({ text: `${words} ${plural(items.length, 'thing')}`, undo: ['Undo', () => { takeBack(items); changed(); }] });
}
const listeners = new Set();
function changed() { for (const listener of listeners) listener(); }

// Visible needs and snoozed ones, kept up to date.
export function useNeeds() {
  useLive((message) => message.overview);
  const [, draw] = useState(0);
  useEffect(() => {
    const again = () => { draw((n) => n + 1); showCount(); };
    listeners.add(again);
    const timer = setInterval(again, 30000); // what was put aside for an hour comes back
    return () => { listeners.delete(again); clearInterval(timer); };
  }, []);
  const { here, aside: away, total } = sorted(state.overview);
  return { items: here, away, total };
}

// Rows of the sessions that need a person.
function useNeedRows(items) {
  const [rows, set] = useState(new Map());
  const ids = [...new Set(items.map((item) => item.session))].sort();
  const latest = useRef();
  latest.current = ids;
  useEffect(() => {
    let gone = false;
    const read = () => {
      if (document.hidden || !latest.current.length) return;
      get('/v1/sessions' + query({ view: 'row', ids: latest.current.slice(0, 200).join(), limit: 200 }))
        .then((reply) => { if (!gone) set(new Map(reply.sessions.map((row) => [row.id, row]))); }, () => {}); // the next time, then
    };
    const first = setTimeout(read, 250), timer = setInterval(read, READ_MS);
    return () => { gone = true; clearTimeout(first); clearInterval(timer); };
  }, [ids.slice(0, 5).join()]);
  return rows;
}

function Member({ item, marked, mark, rows }) {
  const row = rows.get(item.session);
  return html`<li><label><input type="checkbox" checked=${marked} onChange=${mark} aria-label=${'Mark ' + goalOf(item)} /></label>
    <a href=${where(item)} dir="auto">${/high|critical/.test(item.risk) && html`<b class="bad">${item.risk} risk</b> `}${goalOf(item)}</a><span class="why" dir="auto">${said(item)}</span>
    <span class="muted">${row?.used?.cost_usd > 0 && money(row.used.cost_usd)}</span><${Ago} at=${item.since} /></li>`;
}

// Reported or counted grounds are drawn solid, inferred ones dashed.
function Need({ group, rows, no, open, toggle, more }) {
  const [marks, setMarks] = useState(new Set());
  const [act, setAct] = useState('');
  const { items, kinds } = group, [first] = items, many = items.length > 1, { kind } = first;
  const row = rows.get(first.session);
  const acts = [...kinds].map((name) => ACTS_OF[name] || []).reduce((all, some) => all.filter((name) => some.includes(name)))
      .filter((name) => name !== 'stop' || !row?.ended_at);
  const chosen = items.filter((item) => marks.has(keyOf(item)));
  const which = chosen.length ? chosen : items;
  const mark = (item) => { const next = new Set(marks); if (!next.delete(keyOf(item))) next.add(keyOf(item)); setMarks(next); };
  const turn = () => { setMarks(new Set()); toggle(); }; // no mark counts that is not seen
  const look = () => (many ? turn() : go(where(first)));
  const goals = [...new Set(items.map(goalOf))];
  const what = many && kind === 'stuck' ? said(first) : goals[0] + (goals.length > 1 ? `, ${goals[1]}${goals.length > 2 ? ` and ${goals.length - 2} more` : ''}` : '');
  const why = many && kind === 'stuck' ? goals.join(', ') : said(first);
  const of = chosen.length ? ` ${chosen.length}` : many ? (more ? ` ${items.length}` : ' all') : '';
  const forbidden = (name) => no[name === 'acknowledge' ? 'approve' : 'control'];
  return html`<li class=${cls('need', 'k-' + known(kind), 'u-' + group.urgency, first.certain || 'guess')} data-need=${group.key}
      onClick=${(event) => event.target.closest('a, button, input, dialog, .members') || look()}>
    <span class="kind"><${Icon} name=${kind} /><b>${many ? `${items.length}${more ? '+' : ''} ${nameOf(group)}` : title(nameOf(group))}${until(first.retry_at)}</b>
      ${!first.certain && html`<em title="inferred by a rule, not reported">likely</em>`}</span>
    ${many ? html`<button class="what quiet" aria-expanded=${String(open)} onClick=${turn}><${Icon} name="chevron" /><span dir="auto">${what}</span></button>`
      : html`<a class="what" dir="auto" href=${where(first)}>${what}</a>`}
    <span class="why" dir="auto" title=${why}>${why}</span>
    ${row ? html`<${Pulse} row=${row} />` : html`<i />`}
    <span class="when"><${Ago} at=${group.since} />${group.rate >= 0.005 && html` <b>${money(group.rate)}/h</b>`}</span>
    <span class="acts">${acts.map((name) => html`<button key=${name} disabled=${!!forbidden(name)} class=${/stop|end/.test(name) && 'danger'}
        title=${forbidden(name) || ACTS[name][1]} onClick=${() => setAct(name)}>${ACTS[name][0]}${of}…</button>`)}
      ${!acts.length && html`<button onClick=${() => go(where(which[0]))}>${{ approval: 'Decide…', question: 'Answer…' }[which[0].kind] || 'Look'}</button>`}
      <button class="quiet" title="Put aside for an hour, in this browser (z)" onClick=${() => aside(which, Date.now() + HOUR_MS, 'Snoozed for 1 h:')}>Snooze</button>
      <button class="quiet" title="Seen: put aside until it changes, in this browser" onClick=${() => aside(which, SEEN, 'Put aside until it changes:')}>Seen</button></span>
    ${open && many && html`<ul class="members">${items.map((item) => html`<${Member} key=${keyOf(item)} item=${item} rows=${rows} marked=${marks.has(keyOf(item))}
      mark=${() => mark(item)} />`)}</ul>`}
    ${act && html`<${Acting} act=${act} items=${which} close=${() => setAct('')} />`}</li>`;
}

// Agents whose hooks have broken go on without being seen.
function broken({ mute = 0, degraded = 0 } = {}) {
  const words = [mute && `${plural(mute, 'agent')} at work, but no hook of ${mute > 1 ? 'theirs' : 'it'} comes`,
      degraded && `hooks of ${plural(degraded, 'agent')} are incomplete`].filter(Boolean).join('; ');
  return words && html`<p class="calm bad">${words}: <code>headway doctor AGENT</code></p>`;
}

function calm({ counts, open }) {
  const working = (counts.progressing || 0) + (counts.exploring || 0);
  if (!open) return 'Nothing needs you right now. No agent is running.';
  return `Nothing needs you right now – ${working ? plural(working, 'agent') + ' working' : plural(open, 'session') + ' open'}.`;
}

function Lines({ items, total }) {
  const [all, setAll] = useState(false);
  const unread = total - items.length;
  const [opened, setOpened] = useState('');
  const me = useMe();
  const rows = useNeedRows(items);
  const groups = causes(items, rows, Date.now(), all ? 100 : LINES);
  const fine = all || causes(items, rows, Date.now(), 100).length > groups.length;
  const focused = () => groups.find((group) => group.key === document.activeElement?.closest('[data-need]')?.dataset.need);
  useKeys({
    z: () => { const group = focused(); if (!group) return false; aside(group.items, Date.now() + HOUR_MS, 'Snoozed for 1 h:'); return true; },
    x: () => { const box = document.activeElement?.closest('.members li')?.querySelector('input'); if (!box) return false; box.click(); return true; },
  });
  const no = { control: refusal(me, 'control'), approve: refusal(me, 'approve') };
  return html`<ul class="lines">${groups.map((group) => html`<${Need} key=${group.key} group=${group} more=${unread > 0 && group.urgency > 3} rows=${rows} no=${no} open=${opened === group.key}
      toggle=${() => setOpened(opened === group.key ? '' : group.key)} />`)}</ul>
    ${(fine || unread > 0) && html`<p class="line">${fine && html`<button class="quiet" aria-expanded=${String(all)}
      onClick=${() => setAll(!all)}>${all ? 'Fewer lines' : 'More lines'}</button>`}
      ${unread > 0 && html`<span class="muted">and ${unread} more that are less urgent or newer</span>`}</p>`}`;
}

// `whole`: with its lines; else a line that leads there.
export function Needs({ whole }) {
  const { items, away, total } = useNeeds();
  const at = useRef(-1);
  useKeys({ n: () => { if (items.length) go(where(items[at.current = (at.current + 1) % items.length])); } });
  const { overview } = state;
  const news = items.slice(0, 3).map((item) => `${nameOf({ items: [item], kinds: new Set([item.kind]) })} ${goalOf(item)}`).join('; ');
  const groups = whole ? [] : causes(items, new Map(), Date.now(), 4);
  return html`<section class=${cls('needs', total && 'some', whole && 'whole')} aria-label="Needs you">
    <p class="sr" role="status" aria-live="polite">${total ? `${plural(total, 'thing')} ${total > 1 ? 'need' : 'needs'} you: ${news}` : ''}</p>
    ${total ? html`<h2>Needs you <b>${total}</b></h2>${whole ? html`<${Lines} items=${items} total=${total} />`
      : html`<p class="brief">${groups.slice(0, 4).map((group, i) => html`${i > 0 && ' · '}<a key=${group.key} href=${group.items.length > 1 ? '#/' : where(group.items[0])}
        class=${`k-${known(group.items[0].kind)} u-${group.urgency}`}>${group.items.length} ${nameOf(group)}</a>`)}${groups.length > 4 && html`<a href="#/"> · more</a>`}</p>`}`
      : overview && html`<p class="calm"><${Icon} name="completed" />${away.length ? 'Nothing else needs you right now.' : calm(overview)}</p>`}
    ${away.length > 0 && html`<p class="calm away">${away.length} put aside <button class="quiet" onClick=${() => { takeBack(away); changed(); }}>Show again</button></p>`}
    ${broken(overview?.hook_channels)}</section>`;
}
