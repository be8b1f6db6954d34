// SPDX-License-Identifier: Apache-2.0

// The budget: bars of what is used, and its course. uPlot is read from the daemon when a budget is first shown.
import { html, useEffect, useRef, useState } from './preact.js';
import { get, query, sessionPath } from './api.js';
import { Bar, Card, Plain, hot } from './ui.js';
import { clock, count, money, ms, parts, span } from './format.js';

const DIMENSIONS = [['time', 'Time', 'elapsed_seconds', 'timeout_seconds', (s) => span(s * 1000)],
    ['step', 'Steps', 'steps_completed', 'max_steps', count],
  ['token', 'Tokens', 'tokens_used', 'max_tokens', count], ['cost', 'Cost', 'cost_used_usd', 'max_cost_usd', money]];

let library;
const load = () => (library ??= new Promise((done, fail) => {
  document.head.append(Object.assign(document.createElement('script'),
    { src: new URL('./uplot.js', import.meta.url), onload: () => done(globalThis.uPlot), onerror: fail }));
}));

const STEPPED = { step: 'steps_completed', token: 'tokens_used', cost: 'cost_used_usd' };

// Seconds, and percent of each limited dimension: at the opening, at every event that says how much is used, and now. A sum holds until the
// next event adds to it. Where `events` are only the newest, what was used before them is what is missing to the figure of now, and
// nothing is drawn for the time before.
export function course(doc, events, used) {
  const { budget } = doc;
  const sum = { step: 0, token: 0, cost: 0 };
  const rows = [];
  for (const { at, data: d } of events) {
    const u = d.usage || {};
    sum.step = Math.max(sum.step, d.steps_completed ?? 0, d.current_step ?? 0, d.iteration ?? 0, d.round ?? 0);
    if (d.usage) {
      const told = (u.input_tokens || 0) + (u.cached_tokens || 0) + (u.cache_write_tokens || 0) + (u.output_tokens || 0) + (u.reasoning_tokens || 0);
      sum.token += u.tokens || told;
      sum.cost += u.cost_usd || 0;
    }
    rows.push([ms(at), { time: d.elapsed_seconds, ...sum }]);
  }
  const part = events.length > 0 && events[0].n > 1 && events.part;
  for (const name of part ? ['token', 'cost'] : []) {
    const before = Math.max(0, (budget[STEPPED[name]] ?? 0) - sum[name]);
    for (const [, values] of rows) values[name] += before;
  }
  rows.unshift([ms(doc.opened_at), { time: 0, step: 0, token: 0, cost: 0 }], ...(part ? [[ms(doc.opened_at) + 1, {}]] : []));
  const percent = ([name, , , limit], values) => (values[name] == null ? null : (values[name] / budget[limit]) * 100);
  return [[...rows.map((row) => row[0] / 1000), (ms(doc.ended_at) || Date.now()) / 1000],
      ...used.map((one) => [...rows.map((row) => percent(one, row[1])), budget[one[0] + '_pressure']])];
}

function Course({ doc, journal, used }) {
  const box = useRef();
  const [events, set] = useState(null);
  const [theme, turn] = useState(0);
  useEffect(() => {
    const redraw = () => turn((n) => n + 1);
    addEventListener('theme', redraw);
    return () => removeEventListener('theme', redraw);
  }, []);
  const whole = journal.loaded && journal.events.size >= journal.head;
  const part = journal.head < 50 ? journal.head : Math.floor(journal.head / 25); // drawn again as often
  useEffect(() => {
    const telling = ({ type, data }) => data.usage || data.iteration != null || data.round != null || /^budget/.test(type);
    if (whole) set([...journal.sorted].reverse().filter(telling));
    if (whole || !journal.loaded) return;
    const types = 'heartbeat,message,tool.finished,budget.level,budget.updated';
    get(sessionPath(doc.id, '/events') + query({ types, order: 'newest', limit: 1000 }))
      .then((reply) => set(Object.assign(reply.events.reverse(), { part: reply.more })), () => {});
  }, [part, whole, journal.loaded]);
  const data = events && course(doc, events, used);
  useEffect(() => {
    if (!data) return undefined;
    let plot, gone;
    load().then((Plot) => {
      if (gone) return;
      // A canvas knows no variables.
      const color = (name) => { box.current.style.color = `var(${name})`; return getComputedStyle(box.current).color; };
      const off = { show: false };
      const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: off, font: '11px sans-serif' };
      plot = new Plot({
        width: box.current.clientWidth, height: 150, legend: off, cursor: off,
        scales: { y: { range: (u, low, high) => [0, Math.max(100, high)] } },
        axes: [{ ...axis, values: (u, at) => at.map((t) => clock(t * 1000)), space: 70, size: 26 },
          { ...axis, size: 42, values: (u, all) => all.map((v) => v + '%') }],
        series: [{}, ...used.map(([name]) => ({ stroke: color('--d-' + name), width: 2, spanGaps: name === 'time', points: off,
          ...(name !== 'time' && { paths: Plot.paths.stepped({ align: 1 }) }) }))],
      }, data, box.current);
    }, () => {});
    return () => { gone = true; plot?.destroy(); };
  }, [events, theme, doc.budget.pressure]);
  if (!data) return null;
  const step = Math.ceil(data[0].length / 24);
  return html`<div class="plot" ref=${box} role="img" aria-label="Course of the budget; its figures are in the table below" /><details>
      <summary>Figures</summary><${Plain} names=${['At', ...used.map((one) => one[1])]}><tbody>${data[0].map((t, i) => (i % step === 0 || i === data[0].length - 1) && html`<tr>
        <td>${clock(t * 1000)}</td>
        ${used.map((_, k) => html`<td>${data[k + 1][i] != null ? Math.round(data[k + 1][i]) + ' %' : html`<span class="faint">–</span>`}</td>`)}</tr>`)}</tbody>
        <//></details>`;
}

export function BudgetCard({ doc, journal }) {
  const { budget } = doc;
  const unknown = budget.max_cost_usd != null && budget.cost_used_usd == null;
  return html`<${Card} title="Budget" note=${budget.level}>
      <ul class="meters">${DIMENSIONS.map(([name, label, used, limit, show]) => budget[used] != null
        && html`<li key=${name} class=${'d-' + name}>
      <span>${label}</span>${budget[limit] == null ? html`<i />` : html`<${Bar} percent=${budget[name + '_pressure']} level=${hot(budget[name + '_pressure'])} />`}
    <b>${name === 'cost' && budget.cost_estimated_usd > 0 ? '~' : ''}${show(budget[used])}${name === 'cost' && budget.unpriced_tokens > 0 ? '+' : ''}${' '}<small>${budget[limit] == null ? 'no limit' : 'of ' + show(budget[limit])}</small></b></li>`)}
    ${unknown && html`<li key="unknown" class="d-cost"><span>Cost</span><b>not known <small>of ${money(budget.max_cost_usd)}</small></b></li>`}</ul>
        ${parts(budget.token_parts) && html`<p class="muted">Tokens: ${parts(budget.token_parts)}</p>`}
        ${budget.cost_warning && html`<p class="warn" role="alert">${budget.cost_warning}</p>`}
        <${Course} doc=${doc} journal=${journal} used=${DIMENSIONS.filter(([name]) => budget[name + '_pressure'] != null)} /><//>`;
}
