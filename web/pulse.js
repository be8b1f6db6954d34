// SPDX-License-Identifier: Apache-2.0

// The pulse: a cell a round. High where a file or a test changed, low where there was something new, flat for nothing, with a bracket
// over the flat end and how many rounds it has lasted. A healthy agent is a skyline, a loop a line.
import { html, useEffect } from './preact.js';
import { cls, Icon, Loading, Empty, sessionLink, Status, tone } from './ui.js';
import { ALARMS, cost, line, plural } from './format.js';
import { forest } from './rank.js';
import { needs, useRows } from './rows.js';
import { state, tell, useLive } from './page.js';

const HEIGHT = { '.': 2, x: 5, i: 8, v: 14, s: 20 };
const TIER = { '.': 'nothing new', x: 'something outside moved', i: 'information', v: 'a test', s: 'a file changed' };
const CELLS = 16, W = 6, FLOOR = 33;
const LONG = 3; // rounds with nothing new that are worth a bracket

// Rounds with nothing new at the end, the one under way included.
export const quietOf = (activity = '', quiet = 0) => Math.max(quiet, activity.length - activity.replace(/\.+$/, '').length);

export function Pulse({ row: { activity = '', quiet_rounds: quiet = 0, status } }) {
  const bars = { hard: '', soft: '', none: '' };
  const left = CELLS - activity.length;
  [...activity].forEach((c, i) => {
    const high = HEIGHT[c] || 2;
    bars[c === '.' ? 'none' : /[sv]/.test(c) ? 'hard' : 'soft'] += `M${(left + i) * W} ${FLOOR}v-${high}h${W - 1}v${high}z`;
  });
  const flat = quietOf(activity), times = quietOf(activity, quiet), begin = (CELLS - flat) * W;
  const bracket = flat >= LONG && times >= LONG;
  return html`<svg class=${cls('pulse', /stuck|suspect/.test(status) && 'loops')} viewBox="0 0 96 34" role="img" aria-label=${activity
    ? `of the last ${plural(activity.length, 'round')}, the newest: ${TIER[activity.at(-1)]}${bracket ? `; ${times} rounds with nothing new` : ''}`
    : 'no round yet'}>
      <path class="floor" d=${`M0 ${FLOOR}H95`} />${Object.entries(bars).map(([name, d]) => d && html`<path key=${name} class=${name} d=${d} />`)}
      ${bracket && html`<path class="bracket" d=${`M${begin + 0.5} 20v-5H95.5v5`} /><text x=${(begin + 96) / 2} y="11" text-anchor="middle">×${times}</text>`}</svg>`;
}

const WATCHED = 300;
const Tile = ({ node: { row } }) => html`<li class=${cls('tile', tone(row.status), row.alarm && 'alarmed')}><a href=${sessionLink(row.id)}>
    <${Pulse} row=${row} />
    ${row.alarm && html`<strong>${ALARMS[row.alarm] || 'alarm'}</strong>`}<b dir="auto">${line(row.goal || row.id)}</b><span><${Status} status=${row.status} small /> ${cost(row.used)}</span></a></li>`;

// Pulses only, for a large screen.
export function Wall() {
  const list = useRows({ open: 'true' });
  useLive((message) => message.overview);
  const rows = (list.order || []).map((id) => list.rows.get(id)).filter((row) => !row.ended_at);
  const nodes = [];
  for (const stack = forest(rows, needs(), 'worst', Date.now()).reverse(); stack.length;) {
    const node = stack.pop();
    nodes.push(node);
    stack.push(...node.kids);
  }
  nodes.sort((a, b) => !a.row.alarm - !b.row.alarm || a.own - b.own);
  const watched = nodes.slice(0, WATCHED).map(({ row }) => row);
  useEffect(() => tell({ watch: watched }), [watched.map((row) => row.id).join()]);
  useEffect(() => () => tell({ watch: [] }), []);
  useEffect(() => { if (list.next && !list.error) list.read(list.next); });
  if (!list.loaded) return html`<${Loading} />`;
  return html`<div class="head"><h1>Wall</h1><p class="legend muted"><i class="hard" /> a file or a test changed <i class="soft" /> something new
      <i class="none" /> nothing new</p><span class="muted total">${plural(state.overview?.open ?? 0, 'session')}</span></div>
    ${nodes.length ? html`<ul class="wall">${nodes.slice(0, WATCHED).map((node) => html`<${Tile} key=${node.row.id} node=${node} />`)}</ul>
      ${nodes.length > WATCHED && html`<p class="more muted">and ${plural(nodes.length - WATCHED, 'session')} that are less urgent: <a href="#/">the fleet</a></p>`}`
      : html`<${Empty} title="No agent is running"><${Icon} name="silent" /> Nothing has a pulse.<//>`}`;
}
