// SPDX-License-Identifier: Apache-2.0

// Two runs side by side: their figures, then the calls of each round in a line, and where they part.
import { html, useState } from './preact.js';
import { get, query, sessionPath } from './api.js';
import { Card, cls, Empty, Loading, sessionLink, Status, tone, Trouble, useFresh, useLoad, Visible } from './ui.js';
import { action, amount, cost, count, date, lasted, line, plural, span, text } from './format.js';
import { Pulse } from './pulse.js';
import { readSpent } from './spent.js';

const TYPES = 'tool.finished,test.result,verdict.changed';
const PAGES_MAX = 5; // of 1,000 events, of each run
const DRAWN = 100; // rounds, until more are asked for

// Events, the oldest first, by round: {calls: which ones, lines, status at its end}. A call without a number is a round of its own. Pure.
export function rounds(events) {
  const all = new Map();
  let at = 0, status = '';
  for (const event of events) {
    const { type, data: d } = event;
    if (type === 'tool.finished') at = d.round ?? at + 1;
    if (type === 'verdict.changed') status = d.to;
    if (!all.has(at)) all.set(at, { calls: '', lines: [] });
    const round = all.get(at), last = round.lines.at(-1);
    round.status = status;
    const key = type === 'tool.finished' ? JSON.stringify([d.tool, d.args ?? d.target]) : '';
    round.calls += key;
    if (key && last?.key === key && last.event.data.ok === d.ok) last.times++;
    else round.lines.push({ key, event, times: 1 });
  }
  return all;
}

// Numbers of the rounds of both, and the first whose calls differ.
export function aligned(a, b) {
  const numbers = [...new Set([...a.keys(), ...b.keys()])].sort((one, other) => one - other);
  return { numbers, parts: numbers.find((n) => a.get(n)?.calls !== b.get(n)?.calls && (a.get(n)?.calls || b.get(n)?.calls)) };
}

async function read(id, signal) {
  const doc = await get(sessionPath(id), { signal });
  const events = [];
  let after = 0;
  for (let pages = 0; after != null && pages < PAGES_MAX; pages++) {
    const reply = await get(sessionPath(id, '/events') + query({ types: TYPES, after, limit: 1000 }), { signal });
    events.push(...reply.events);
    after = reply.next;
  }
  return { doc, rounds: rounds(events), more: after != null, spent: await readSpent(id, doc.ended_at, signal) };
}

const FIGURES = {
  State: ({ doc }) => html`<${Status} status=${doc.verdict.status} />`,
  Reason: ({ doc }) => html`<span dir="auto"><${Visible} text=${doc.verdict.reason || ''} /></span>`,
  Pulse: ({ doc: { progress, verdict } }) => html`<${Pulse} row=${{ ...progress, status: verdict.status }} />`,
  Opened: ({ doc }) => date(doc.opened_at),
  Ran: ({ doc }) => span(lasted(doc)),
  Verdicts: ({ spent }) => spent.all || '–',
  Rounds: ({ doc: { progress } }) => count(progress.rounds),
  Calls: ({ doc: { tools } }) => `${count(tools.calls)}, ${count(tools.failures)} failed`,
  Files: ({ doc: { tools } }) => `${count(tools.files_modified)} changed`,
  Tokens: ({ doc: { used } }) => amount(used.tokens),
  Cost: ({ doc: { used } }) => cost(used) || '–',
};

function Line({ event: { type, data: d }, times }) {
  if (type === 'verdict.changed') return html`<p><${Status} status=${d.to} small /></p>`;
  if (type === 'test.result') return html`<p><b>${count(d.passed ?? 0)} passed</b>, ${count(d.failed ?? 0)} failed</p>`;
  const failed = d.ok === false && (text(d.error?.message) || d.error?.class || 'failed');
  return html`<p><code><${Visible} text=${action(d).slice(0, 240)} /></code>${times > 1 && html` <b class="times">×${times}</b>`}
    ${failed && html`<small class="bad"> <${Visible} text=${failed.split('\n', 1)[0].slice(0, 160)} /></small>`}</p>`;
}
const Cell = ({ round, other }) => html`<td class=${cls(tone(round?.status), other && 'other')}>${round ? round.lines.map((one) => html`<${Line} ...${one} />`)
  : html`<span class="faint">–</span>`}</td>`;

function Sides({ both }) {
  const [drawn, more] = useState(DRAWN);
  const [a, b] = both.map((side) => side.rounds), { numbers, parts } = aligned(a, b);
  const before = numbers.filter((n) => n > 0 && n < parts).at(-1);
  const cut = both.some((side) => side.more);
  const heads = both.map(({ doc }) => html`<th scope="col" key=${doc.id}><a href=${sessionLink(doc.id)} dir="auto">${line(doc.goal || doc.id)}</a><br /><code>${doc.id}</code></th>`);
  return html`<${Card} title="Figures"><table class="plain compare"><thead><tr><td />${heads}</tr></thead><tbody>
      ${Object.entries(FIGURES).map(([name, value]) => html`<tr key=${name}><th scope="row">${name}</th>${both.map((side) => html`<td>${value(side)}</td>`)}</tr>`)}</tbody></table><//>
    <${Card} title="Rounds" note=${parts == null ? (numbers.length ? 'the same calls in each round' : '') : before ? `the same calls up to round ${before}` : 'different calls from the start'}>
      ${numbers.length ? html`<table class="plain compare"><thead><tr><td />${heads}</tr></thead><tbody>
        ${numbers.slice(0, drawn).map((n) => { const other = a.get(n)?.calls !== b.get(n)?.calls; return html`<tr key=${n}><th scope="row">${n > 0 ? n : 'start'}${n === parts && html`<br /><b class="bad">differ</b>`}</th>
          ${[a, b].map((side) => html`<${Cell} round=${side.get(n)} other=${other} />`)}</tr>`; })}</tbody></table>`
      : html`<${Empty} title="No call in either">Nothing to align.<//>`}
      ${numbers.length > drawn && html`<p><button onClick=${() => more(drawn + DRAWN)}>${plural(numbers.length - drawn, 'more round')}</button></p>`}
      ${cut && html`<p class="muted">The first ${count(PAGES_MAX * 1000)} calls, tests and verdicts of a run are compared.</p>`}<//>`;
}

export function Compare({ route }) {
  const { a, b } = route.query;
  const { data, error, again } = useLoad((signal) => (a && b ? Promise.all([read(a, signal), read(b, signal)]) : Promise.resolve()), a + ' ' + b);
  useFresh(() => { if (data?.some(({ doc }) => !doc.ended_at)) again(); }, 2000);
  return html`<div class="head"><h1>Compare</h1><a href=${'#/history' + (a && b ? query({ mark: `${a},${b}` }) : '')}>History</a></div>
    ${!a || !b ? html`<${Card} title="Two runs are compared"><p>Mark two in the history with <kbd>x</kbd> or their boxes, then press <kbd>c</kbd>.</p><//>`
      : html`<${Trouble} error=${error} again=${again} />${data ? html`<${Sides} both=${data} />` : !error && html`<${Loading} />`}`}`;
}
