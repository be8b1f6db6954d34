// SPDX-License-Identifier: Apache-2.0

// Where the money went: cost and tokens of the sessions that were read, open and ended, by agent, model, label or day.
import { html, useEffect } from './preact.js';
import { Bar, Empty, Select, Status, Unread, sessionLink } from './ui.js';
import { amount, cost, count, line, plural } from './format.js';
import { useRows } from './rows.js';
import { setQuery } from './page.js';

const READ = 2000, DEAREST = 8;
const day = (at) => new Date(at).toLocaleDateString('sv'); // 2026-11-28, in local time
const BY = { agent: ({ agent = {} }) => agent.type || agent.name, model: ({ agent = {} }) => agent.model, day: (row) => day(row.opened_at) };

// {name, rows, used: {tokens, cost_usd, cost_estimated_usd, unpriced_tokens}} by `of(row)`, the dearest first. Pure.
export function sums(rows, of) {
  const groups = new Map();
  for (const row of rows) {
    const name = of(row) ?? '';
    if (!groups.has(name)) groups.set(name, { name, rows: [], used: { tokens: 0, cost_usd: null, cost_estimated_usd: 0, unpriced_tokens: 0 } });
    const group = groups.get(name), { used } = group;
    group.rows.push(row);
    used.tokens += row.used?.tokens || 0;
    if (row.used?.cost_usd != null) used.cost_usd = (used.cost_usd || 0) + row.used.cost_usd;
    used.cost_estimated_usd += row.used?.cost_estimated_usd || 0;
    used.unpriced_tokens += row.used?.cost_usd == null ? row.used?.tokens || 0 : row.used?.unpriced_tokens || 0;
  }
  return [...groups.values()].sort((a, b) => (b.used.cost_usd || 0) - (a.used.cost_usd || 0) || b.used.tokens - a.used.tokens);
}

export function Costs({ route }) {
  const list = useRows({});
  useEffect(() => { if (list.next && !list.error && list.order.length < READ) list.read(list.next); });
  if (!list.loaded) return html`<${Unread} error=${list.error} again=${() => list.read()} />`;
  const rows = list.order.map((id) => list.rows.get(id));
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row.labels || {})))].sort();
  const { by = 'agent' } = route.query;
  const of = Object.hasOwn(BY, by) ? BY[by] : (row) => row.labels?.[by.replace(/^label /, '')];
  const groups = sums(rows, of), [all] = sums(rows, () => 'all');
  const top = Math.max(...groups.map((group) => group.used.cost_usd || 0), 1e-9);
  const dearest = rows.filter((row) => row.used?.cost_usd > 0).sort((a, b) => b.used.cost_usd - a.used.cost_usd).slice(0, DEAREST);
  return html`<div class="head"><h1>Costs</h1><${Select} label="By" value=${by} onChange=${(value) => setQuery({ by: value })}
      options=${[['agent', 'by agent'], ['model', 'by model'], ['day', 'by day of opening'], ...keys.map((key) => ['label ' + key, 'by label ' + key])]} />
    <span class="muted total">${all && `${cost(all.used) || 'no cost'} · ${amount(all.used.tokens)} tokens · `}${list.next ? `the newest ${count(rows.length)} of ${count(list.total)} sessions` : plural(rows.length, 'session')}</span></div>
    ${!rows.length ? html`<${Empty} title="No session yet">Costs of sessions are summed here.<//>` : html`<div class="table"><table class="plain costs"><thead><tr>
      ${['', 'Cost', '', 'Tokens', 'Sessions'].map((name, i) => html`<th scope="col" key=${i}>${name || html`<span class="sr">${i ? 'Share' : by}</span>`}</th>`)}</tr></thead>
      <tbody>${groups.map((group) => html`<tr key=${group.name}><td dir="auto"><b>${line(group.name) || 'not said'}</b></td><td>${cost(group.used) || '–'}</td>
        <td><${Bar} percent=${((group.used.cost_usd || 0) / top) * 100} /></td><td>${amount(group.used.tokens)}</td><td>${count(group.rows.length)}</td></tr>`)}</tbody></table></div>
    ${dearest.length > 0 && html`<h2 class="below-head">The dearest</h2><div class="table"><table class="plain"><tbody>${dearest.map((row) => html`<tr key=${row.id}>
      <td><${Status} status=${row.status} small /></td><td><a href=${sessionLink(row.id)} dir="auto">${line(row.goal || row.id)}</a></td><td>${cost(row.used)}</td></tr>`)}</tbody></table></div>`}`}`;
}
