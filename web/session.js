// SPDX-License-Identifier: Apache-2.0

// One session: the verdict with its reason, its actions, its limits, and the messages to it.
import { html, useEffect, useState } from './preact.js';
import { get, post, query, sessionPath } from './api.js';
import { Ago, Bar, Beat, Card, cls, Empty, hot, Icon, Labels, ListCard, REASON, Sending, sessionLink, Status, tone, Trouble, Unread, useFresh,
  useGet, useLoad, Visible } from './ui.js';
import { ALARMS, amount, clock, cost, count, date, lasted, line, money, ms, parts, percent, plural, reveal, span, text, until, used } from './format.js';
import { refusal, useKeys, useMe, useOffers } from './page.js';
import { Events, Timeline, useJournal } from './journal.js';
import { BudgetCard } from './budget.js';
import { ApprovalList, usePending } from './approvals.js';
import { Grants } from './grants.js';
import { Call, commandOf, Shell } from './call.js';
import { Pulse, quietOf } from './pulse.js';
import { rate } from './rank.js';
import { answer } from './answers.js';
import { Acting, ACTS } from './needs.js';

// -- what a person can tell a session; every button shows what it will send before it does

const LIMITS = { max_steps: 'Steps', timeout_seconds: 'Seconds', max_tokens: 'Tokens', max_cost_usd: 'US dollars' };
// Beside those for several sessions: [label, what it does, what is said afterwards].
const ACTIONS = {
  ...ACTS,
  pause: ['Pause', 'The agent is asked to pause; it reads that with its next report.', 'Asked to pause'],
  resume: ['Resume', 'The agent gets a directive to go on.', 'Asked to go on'],
  budget: ['Extend budget', 'Adds to what is limited now.', 'Budget extended'],
};

function Telling({ kind, doc, close, done }) {
  if (ACTS[kind]) return html`<${Acting} act=${kind} items=${[{ session: doc.id }]} close=${close} done=${done} />`;
  const [title, what, said] = ACTIONS[kind];
  const limits = kind === 'budget' ? Object.keys(LIMITS).filter((name) => doc.budget[name] != null) : [];
  const body = ({ reason, ...values }) => {
    const extend = Object.fromEntries(limits.filter((name) => values[name]).map((name) => [name, Number(values[name])]));
    return limits.length && !Object.keys(extend).length ? null : { ...(limits.length && { extend }), ...(reason && { reason }) };
  };
  return html`<${Sending} title=${title} what=${what} path=${sessionPath(doc.id, '/' + kind)} body=${body}
    fields=${[...limits.map((name) => [name, LIMITS[name], 'number']), REASON]} close=${close} done=${(reply) => {
      const undo = kind === 'pause' && ['Undo', () => post(sessionPath(doc.id, '/resume'), {}).then(done, () => {})];
      answer({ text: said, session: doc.id, undo });
      done(reply);
    }} />`;
}

function Actions({ doc, done }) {
  const [open, set] = useState(null);
  const no = refusal(useMe(), 'control');
  const silent = doc.verdict.status === 'silent' && !doc.ended_at;
  useKeys({ e: () => (silent && !no ? set('end') : false) });
  const paused = doc.directives.some((d) => d.type === 'pause');
  const kinds = doc.ended_at || doc.recorded ? [] : ['nudge', paused || doc.stopped ? 'resume' : 'pause', ...(doc.budget ? ['budget'] : []), 'stop', ...(silent ? ['end'] : [])];
  useOffers(no ? [] : kinds.map((kind) => [`${ACTIONS[kind][0]} this session`, () => set(kind)]));
  if (!kinds.length) return null;
  const shown = kinds.filter((kind) => kind !== 'stop' || !doc.alarms?.length); // an alarm has it, as its strong button
  return html`<div class="actions">${shown.map((kind) => html`<button key=${kind} class=${/stop|end/.test(kind) && 'danger'} disabled=${!!no}
      title=${no || ACTIONS[kind][1]} onClick=${() => set(kind)}>${ACTIONS[kind][0]}…</button>`)}<small class="muted">${no}</small></div>
    ${open && html`<${Telling} kind=${open} doc=${doc} close=${() => set(null)} done=${done} />`}`;
}

// -- the agent's states, in one line

const STATES_SHOWN = 6;
function States({ journal, now }) {
  const runs = [];
  for (const { state, at } of [...journal.sorted].reverse()) {
    if (!state) continue;
    const last = runs.at(-1);
    if (last?.state === state) continue;
    if (last) last.to = ms(at);
    runs.push({ state, from: ms(at) });
  }
  const shown = runs.slice(-STATES_SHOWN);
  return now && html`<${Card} title="States" note=${now.replace(/_/g, ' ')}><p class="states">${shown.map(({ state, from, to }, i) => html`${i > 0 && ' › '}<span
    class=${i === shown.length - 1 && 'now'}>${state.replace(/_/g, ' ')} <small>${to ? span(to - from) : html`<${Ago} at=${from} />`}</small></span>`)}</p><//>`;
}

// -- parts of the page

const At = ({ id, n }) => html`<a class="at" href=${sessionLink(id, n)}>#${n}</a> `;

// The events of the evidence, read for themselves: the list below keeps its own.
const EVIDENCE_SHOWN = 3;
async function evidence(id, numbers, signal) {
  const found = await Promise.all(numbers.slice(-EVIDENCE_SHOWN).map((n) => get(sessionPath(id, '/events') + query({ after: n - 1, limit: 1 }), { signal })));
  return found.map((reply) => reply.events[0]).filter(Boolean);
}
const Proof = ({ id, event }) => html`<li><${At} id=${id} n=${event.n} />${event.type === 'test.result'
  ? html`<b>${event.data.passed ?? 0} passed</b>, ${event.data.failed ?? 0} failed` : html`<code>${event.data.tool ? actionOf(event.data) : event.type}</code>
    <span class="muted">${event.data.mutated ? plural(event.data.mutated.length, 'file') + ' changed' : ''}</span>`}</li>`;
const actionOf = (d) => reveal(d.tool + (commandOf(d.args) ? ': ' + commandOf(d.args).slice(0, 160) : d.args?.path ? ': ' + d.args.path : ''));

// The verdict with what it rests on: what repeats, what failed, or what was proven.
function Verdict({ doc }) {
  const { id, verdict: v, progress } = doc, numbers = v.evidence || [];
  const { data = [] } = useLoad((signal) => evidence(id, numbers, signal), id + numbers.join());
  const told = /stuck|suspect|blocked/.test(v.status) ? doc.directives.filter((d) => d.type !== 'pause').length : 0;
  const last = data.filter((event) => /^tool\./.test(event.type)).at(-1);
  const open = !doc.ended_at;
  const quiet = quietOf(progress.activity, progress.quiet_rounds);
  const facts = [open && quiet >= 2 && `${quiet} rounds with nothing new, up to now`, until(v.retry_at) && 'lifts' + until(v.retry_at),
    told > 0 && `advised ${told > 1 ? told + ' times' : 'once'}, not confirmed`].filter(Boolean);
  return html`<section class=${cls('card verdict', tone(v.status))} aria-label="Verdict"><p>
      <${Status} status=${v.status} /> ${v.needs_somebody && html`<b class="bad">needs you</b> `}<span class="muted">for <${Ago} at=${v.since} /></span></p>
      <p class="reason" dir="auto"><${Visible} text=${v.reason || 'Nothing has been judged yet.'} /></p>
      ${facts.length > 0 && html`<p class="facts-line"><b>${facts.join(' · ')}</b></p>`}
    ${/stuck|suspect|blocked|slow/.test(v.status) && last ? html`<${Call} data=${last.data} label=${`#${last.n}:`} />`
      : data.length > 0 && html`<ul class="list">${data.map((event) => html`<${Proof} key=${event.n} id=${id} event=${event} />`)}</ul>`}
    <p class="line muted">
      ${numbers.length > 0 && html`<span>Evidence ${numbers.map((n) => html`<${At} id=${id} n=${n} />`)}</span>`}
      ${(v.detectors || [v.detector]).map((name) => name && html`<code title="the rule">${name}</code>`)}
      ${v.confidence > 0 && html`<span title=${percent(v.confidence * 100)}>${v.confidence >= 0.95 ? 'sure' : 'likely'}</span>`}
        ${v.loop && html`<span>loop <code>${v.loop.slice(0, 8)}</code></span>`}</p></section>`;
}

// The request, and the person who rejected it with the reason.
function Against({ alarm }) {
  const { data: a } = useGet('/v1/approvals/' + encodeURIComponent(alarm.approval_id), true);
  const no = a?.decision;
  return a && html`${commandOf(a.args) && html`<${Shell} command=${commandOf(a.args)} />`}
    ${no && html`<p>${no.by || 'a person'} had said <b>${no.decision === 'reject' ? 'no' : no.decision}</b>${no.reason && html`: <q><${Visible} text=${text(no.reason)} /></q>`}
      ${' '}<span class="muted"><${Ago} at=${no.at} /> ago</span></p>`}`;
}

// Calls against a decision, until a person has seen them.
function Alarms({ doc, done }) {
  const [open, set] = useState('');
  const me = useMe(), all = doc.alarms || [], more = all.length + (doc.alarms_more || 0) - 1;
  const words = (a) => [a.tool, ALARMS[a.kind] || a.kind].filter(Boolean).join(' ') + (a.detail ? ': ' + a.detail : '') + (a.times > 1 ? `, ${a.times} times` : '');
  const button = (act, label, kind, no) => html`<button class=${kind} disabled=${!!no} title=${no} onClick=${() => set(act)}>${label}</button>`;
  return all.length > 0 && html`<section class="card alarms" role="alert" aria-label="Alarms"><header><h2><${Icon} name="alarm" />
      ${words(all[0])}</h2>${more > 0 && html`<b class="bad">and ${plural(more, 'more alarm')}</b>`}<span class="acts">${!doc.ended_at && button('stop', 'Stop…', /^(exec|start)/.test(all[0].kind) ? 'primary sure' : 'danger', refusal(me, 'control'))}
      ${button('acknowledge', 'Acknowledge…', 'quiet', refusal(me, 'approve'))}</span></header>
    <ul class="list">${all.map((a, i) => html`<li key=${a.n}><${At} id=${doc.id} n=${a.n} />${i > 0 && html`<b>${words(a)}</b>`}
      ${a.approval_id && html`<code>${a.approval_id}</code>`}<small><${Ago} at=${a.at} /></small>
      ${a.approval_id && i < EVIDENCE_SHOWN && html`<div class="against"><${Against} alarm=${a} /></div>`}</li>`)}</ul>
    ${open && html`<${Acting} act=${open} items=${[{ session: doc.id, up_to: doc.n }]} close=${() => set('')} done=${done} />`}</section>`;
}

// How far it has come, in the words of the agent or of a judge.
const Estimate = ({ id, e }) => e && html`<${Card} title="Progress" note=${e.fallback ? 'no estimate yet' : 'says the ' + e.source}>
    <p class="of"><${Bar} percent=${e.percent} /><b>${percent(e.percent)}</b>${e.is_stuck && html`<span class="bad">stalled</span>`}</p>
    ${e.next_milestone && html`<p><span class="muted">Next</span> ${e.next_milestone}</p>`}
    ${e.blockers?.length > 0 && html`<p class="muted">Blocked by</p><ul class="list">${e.blockers.map((one) => html`<li>${one}</li>`)}</ul>`}
    <p class="words muted"><${At} id=${id} n=${e.n} />${e.reasoning}</p><//>`;

function Figures({ doc }) {
  const figures = [
    ['Phase', doc.phase || '–', doc.iteration != null && 'iteration ' + doc.iteration],
    ['Calls', count(doc.tools.calls), doc.tools.failures + ' failed'], ['Files changed', count(doc.tools.files_modified)], ['Opened', date(doc.opened_at)],
    ['Rounds', count(doc.progress.rounds), doc.progress.quiet_rounds + ' quiet'],
    ...(doc.fan_out ? [['Sub-agents', count(doc.fan_out.at_once) + ' open',
      [`${count(doc.fan_out.in_all)} in all`, used(doc.fan_out)].filter(Boolean).join(' · ')]] : []),
  ];
  return html`<dl class="figures">${figures.map(([name, value, more]) => html`
    <div key=${name}><dt>${name}</dt><dd>${value} <small>${more}</small></dd></div>`)}</dl>`;
}

function Phases({ phases: { history, current, total, completed } }) {
  const all = current && !current.ended_at ? [...history, current] : history;
  return html`<${ListCard} title="Phases" note=${total ? `${completed} of ${total}` : ''} items=${all} line=${(p) => html`
    <${Status} small status=${!p.ended_at ? 'progressing' : p.ok === false ? 'failed' : 'completed'} /><b>${p.name}</b>
    <span class="muted">${span((ms(p.ended_at) || Date.now()) - ms(p.started_at))}</span>
    <span class="muted">${plural(p.tool_calls, 'call')}, ${p.failures} failed</span>
    <small>${p.blockers?.join('; ')}</small>`} />`;
}

const SAID = 'fact.learned,progress.estimated,check.completed';
function Said({ id, journal }) {
  const newest = journal.sorted.find((event) => SAID.includes(event.type))?.n;
  const { data } = useLoad((signal) => get(sessionPath(id, '/events') + query({ types: SAID, order: 'newest', limit: 60 }), { signal }),
      id + newest);
  const card = (title, type, line) => html`<${ListCard} title=${title} items=${data?.events.filter((event) => event.type === type)}
      line=${(event) => html`<${At} id=${id} n=${event.n} />${line(event.data)}`} />`;
  return html`${card('Facts', 'fact.learned', (d) => html`<span>${reveal(text(d.text))}</span><small>${reveal(d.source || '')}</small>`)}
    ${card('Estimates', 'progress.estimated', (d) => html`<b>${Math.round(d.percent)} %</b>
        <span>${reveal(text(d.reasoning) || d.next_milestone || '')}</span>
        <small>${reveal(d.source || 'agent')}</small>`)}
    ${card('Judge', 'check.completed', (d) => html`<b>${reveal(d.answer || d.outcome || '')}</b><span>${reveal(d.reason || d.error || '')}</span>`)}`;
}

// Above it its ancestors, below it its children.
async function family(doc, signal) {
  const rows = (filter) => get('/v1/sessions' + query({ ...filter, view: 'row', limit: 100 }), { signal });
  const above = [];
  for (let id = doc.parent; id && above.length < 8;) {
    const [row = { id }] = (await rows({ ids: id })).sessions;
    above.unshift(row);
    id = row.parent;
  }
  const below = await rows({ parent: doc.id });
  const all = [...above, { id: doc.id, goal: doc.goal, status: doc.verdict.status }, ...below.sessions];
  return all.map((row, i) => [row, Math.min(i, above.length + 1)]);
}
function Tree({ doc }) {
  const { data, again } = useLoad((signal) => family(doc, signal), doc.id + doc.verdict.status);
  useFresh(again, 2000);
  return data?.length > 1 && html`<${ListCard} title="Tree of sessions" note="" items=${data}
      line=${([row, depth]) => html`<span class="tree" style=${{ paddingLeft: depth * 18 + 'px' }}>
        <${Status} small status=${row.status} />${' '}
        ${row.id === doc.id ? html`<b>${row.goal || row.id}</b>`
          : html`<a href=${sessionLink(row.id)}>${row.goal || row.id}</a>`}</span>`} />`;
}

// Each kill that a timer would have made: by which, when, and what it would have thrown away.
function Timers({ doc }) {
  const { data, again } = useGet(sessionPath(doc.id, '/comparison'));
  useFresh(again, 2000, (message) => message.events);
  if (!data || data.mode === 'off') return null;
  const end = ms(doc.ended_at) || Date.now();
  return html`<${Card} title="Old timers" note=${data.mode}><p>${data.summary}</p>
    <ul class="list">${data.legacy.kills.map((kill) => html`<li key=${kill.timer}><span><${At} id=${doc.id} n=${kill.n} />
      <b>${kill.timer} timer</b> would have ended ${kill.tool ? html`<code>${kill.tool}</code>` : 'it'} at ${clock(kill.at)},
      ${' when it was '}<${Status} small status=${kill.verdict} /></span>
      <small>${span(end - ms(kill.at))} and ${plural(doc.n - kill.n, 'event')} came after that</small>
      </li>`)}</ul><//>`;
}

// How long calls of that tool usually take, from ended sessions of the agent type.
function expected({ tool, since, expected: usual }) {
  if (!usual) return '';
  const age = Date.now() - ms(since);
  return age > usual.p95_ms ? `; p95 of ${tool} here is ${span(usual.p95_ms)}, this one is at ${span(age)}`
    : `; usually ${span(usual.p50_ms)}, p95 ${span(usual.p95_ms)}`;
}

function Pending({ id }) {
  const list = usePending(id);
  return list.items.length > 0 && html`<section aria-label="Waits for you"><${ApprovalList} list=${list} /></section>`;
}

// When the worst of its limits is reached, if it goes on as so far.
function Limit({ doc }) {
  const { budget } = doc;
  if (!budget) return null;
  const [pressure, name] = ['time', 'step', 'token', 'cost'].map((one) => [budget[one + '_pressure'] ?? -1, one]).reduce((a, b) => (b[0] > a[0] ? b : a));
  if (pressure < 0) return null;
  const age = lasted(doc), left = age * (100 / pressure - 1);
  const words = pressure >= 100 ? `at its limit of ${name}` : !doc.ended_at && pressure >= 5 && age > 60000 ? `limit of ${name} in about ${span(left)}` : name;
  return html`<span class="of limit" title="the limit that is nearest, if it goes on as so far"><${Bar} percent=${pressure} level=${hot(pressure)} /> ${Math.round(pressure)}% <small>${words}</small></span>`;
}

function Head({ doc, done }) {
  const { id } = doc, spent = cost(doc.used), hour = rate(doc, Date.now());
  const [whole, set] = useState(false);
  const long = (doc.goal || '').length > 160;
  return html`<div class="title"><div><h1 dir="auto" class=${!whole && 'clamp'} title=${line(doc.goal)}><${Visible} text=${doc.goal || id} /></h1>${long && html`<button class="quiet more-goal" aria-expanded=${String(whole)}
      onClick=${() => set(!whole)}>${whole ? 'less' : 'more…'}</button>`}
    <p class="line muted">${doc.parent && html`<a href=${sessionLink(doc.parent)} title="the session that opened it">↑ ${doc.parent}</a>`}
      <code class="id">${id}</code>${doc.recorded && html`<span title="read from what its agent had stored">recorded</span>`}${[...new Set(Object.values(doc.agent || {}))].map((part) => html`<span>${part}</span>`)}
      ${doc.adapter && html`<span class=${doc.adapter.channel !== 'ok' && 'bad'} title=${'newest at ' + doc.adapter.last_hook_at}>
        ${'hooks ' + doc.adapter.channel}${doc.adapter.missing.map((name) => ` · no ${name}`)}</span>`}
        <${Labels} labels=${doc.labels} max=${16} /></p>
    <p class="line now"><${Status} status=${doc.verdict.status} small /><${Beat} row=${doc} /><span title=${'since ' + date(doc.opened_at)}>${doc.ended_at ? 'ran' : doc.recorded ? 'since' : 'open for'} ${span(lasted(doc))}</span>
      ${(spent || doc.used?.tokens > 0) && html`<span title=${'so far: ' + parts(doc.used.token_parts)}><b>${spent}</b> ${doc.used.tokens > 0 && amount(doc.used.tokens) + ' tokens'}${!doc.ended_at && hour >= 0.005 && ` · ${money(hour)}/h`}</span>`}
      <${Limit} doc=${doc} /></p></div>
    <${Pulse} row=${{ ...doc.progress, status: doc.verdict.status }} /><${Actions} doc=${doc} done=${done} /></div>`;
}

export function Session({ route }) {
  const { id, query: { n, view } } = route;
  const { data: doc, error, again } = useGet(sessionPath(id));
  const journal = useJournal(id);
  useFresh(again, 500, (message) => message.events || message.gap);
  useEffect(() => { if (doc?.goal) document.title = document.title.replace(id, doc.goal); });
  if (error?.status === 404) return html`<${Empty} title="No such session">
      <code>${id}</code> was never here, or has gone with the retention. <a href="#/">To the fleet</a><//>`;
  if (!doc) return html`<${Unread} error=${error} again=${again} />`;
  return html`<${Alarms} doc=${doc} done=${again} /><${Head} doc=${doc} done=${again} />
    <${Trouble} error=${error} again=${again} /><${Pending} id=${id} /><div class="two"><${Verdict} doc=${doc} /><${Figures} doc=${doc} /></div>
        <${Timeline} journal=${journal} doc=${doc} />
    <div class="columns"><${Events} journal=${journal} marked=${Number(n) || 0} view=${view} /><div>
      <${Estimate} id=${id} e=${doc.estimate} />
      ${doc.budget && html`<${BudgetCard} doc=${doc} journal=${journal} />`}
      ${!doc.ended_at && html`<${Grants} id=${id} journal=${journal} />`}
      <${ListCard} title="Advice, not yet confirmed" items=${doc.directives}
        line=${(d) => html`<code>${d.type}</code><span>${d.reason}</span>`} />
      <${ListCard} title="In flight" items=${doc.in_flight} line=${(c) => html`<b>${c.tool}</b><code>${c.call_id}</code>
          <span class="muted">since ${clock(c.since)}${expected(c)}</span>`} />
      <${States} journal=${journal} now=${doc.state} />
          <${Phases} phases=${doc.phases} /><${Said} id=${id} journal=${journal} /><${Tree} doc=${doc} /><${Timers} doc=${doc} />
      ${doc.result != null && html`<${Card} title="Result"><pre class="json" tabindex="0"><${Visible} text=${text(doc.result)} /></pre><//>`}</div></div>`;
}
