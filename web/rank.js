// SPDX-License-Identifier: Apache-2.0

// Which session wants a person first, sessions as trees, and what needs a person as lines of one cause each. Pure.
import { ms } from './format.js';

// The less, the sooner: the same order in which the daemon lists what needs a person.
const OF_NEED = { alarm: 0, fan_out: 0, approval: 3, question: 3, stuck: 4, over_budget: 5, waiting: 6, blocked: 6, silent: 7 };
export const urgency = ({ kind, risk }) => (kind !== 'approval' ? OF_NEED[kind] ?? 7 : risk === 'critical' ? 1 : risk === 'high' ? 2 : 3);

const OF_STATUS = { stuck: 4, blocked: 6, silent: 7, suspect: 8, slow: 9, waiting: 10, starting: 11, exploring: 12, progressing: 13 };
export function rank(row, need) {
  return Math.min(need ? urgency(need) : 20, row.alarm ? 0 : 20, row.approvals_pending > 0 ? 3 : 20, row.needs_somebody ? 6 : 20,
      /critical|exhausted/.test(row.budget?.level) && !row.ended_at ? 5 : 20, OF_STATUS[row.status] ?? 19);
}

// Dollars an hour since it was opened; 0 where that says nothing yet.
export function rate({ used, opened_at: opened, ended_at: ended }, now) {
  const hours = ((ms(ended) || now) - ms(opened)) / 3600e3;
  return used?.cost_usd > 0 && hours > 1 / 60 ? used.cost_usd / hours : 0;
}

// -- trees

const opened = (node) => ms(node.row.opened_at) || 0;
const by = (value) => (a, b) => value(b) - value(a) || opened(b) - opened(a);
export const ORDERS = {
  worst: (a, b) => a.worst - b.worst || opened(b) - opened(a),
  age: (a, b) => opened(b) - opened(a),
  goal: (a, b) => (a.row.goal || a.row.id).localeCompare(b.row.goal || b.row.id),
  pulse: by((node) => node.row.quiet_rounds || 0),
  cost: by((node) => node.cost),
  tokens: by((node) => node.row.used?.tokens || 0),
  ran: by(({ row }) => ms(row.ended_at) - ms(row.opened_at) || 0),
  budget: by((node) => node.row.budget?.pressure ?? -1),
};

// From the roots down, parents before children; no recursion: agents say who their parent is.
function preorder(roots) {
  const out = [], stack = [...roots].reverse();
  while (stack.length) {
    const node = stack.pop();
    out.push(node);
    for (let i = node.kids.length; i--;) stack.push(node.kids[i]);
  }
  return out;
}

// Roots in `order`, each {row, kids, depth, below, worst, worstRow, cost, rate}: figures of a node are those of it and of all below it.
export function forest(rows, needs, order, now) {
  const nodes = new Map(rows.map((row) => {
    const worst = rank(row, needs.get(row.id));
    return [row.id, { row, kids: [], depth: 0, below: 0, own: worst, worst, worstRow: row, cost: row.used?.cost_usd || 0, estimated: row.used?.cost_estimated_usd || 0,
      unpriced: row.used?.unpriced_tokens || 0, rate: rate(row, now) }];
  }));
  const roots = [];
  for (const node of nodes.values()) {
    const above = node.row.parent !== node.row.id && nodes.get(node.row.parent);
    // Sessions that name each other as parents in a ring have no root; the first of them becomes one.
    let up = above;
    for (let steps = 0; up && up !== node && steps < 64; steps++) up = up.above;
    if (!above || up) { roots.push(node); continue; }
    node.above = above;
    above.kids.push(node);
  }
  const all = preorder(roots);
  for (const node of all) node.depth = node.above ? Math.min(8, node.above.depth + 1) : 0;
  for (const node of all.reverse()) {
    const { above } = node;
    if (!above) continue;
    above.below += node.below + 1;
    for (const sum of ['cost', 'estimated', 'unpriced']) above[sum] += node[sum];
    above.rate += node.rate;
    if (node.worst < above.worst) { above.worst = node.worst; above.worstRow = node.worstRow; }
  }
  const compare = ORDERS[order] || ORDERS.worst;
  for (const node of all) if (node.kids.length > 1) node.kids.sort(compare);
  const alarmed = (node) => (node.worst === 0 ? 0 : 1); // alarms on top, whatever the order
  return roots.sort((a, b) => alarmed(a) - alarmed(b) || compare(a, b));
}

const SMALL = 5;
// Trees with few sessions below their root are open until a person closes them; large ones the other way round.
export const isOpen = (node, turned) => (node.below <= SMALL) !== turned.has(node.row.id);
// The nodes that are seen.
export function seen(roots, turned) {
  const out = [], stack = [...roots].reverse();
  while (stack.length) {
    const node = stack.pop();
    out.push(node);
    if (isOpen(node, turned)) for (let i = node.kids.length; i--;) stack.push(node.kids[i]);
  }
  return out;
}

// -- needs of one cause

// Another alarm of the session (`up_to` is the newest) is another thing than the one that a person has seen.
export const keyOf = (item) => [item.kind, item.session, item.approval || '', item.since, ...(item.up_to ? [item.up_to] : [])].join(' ');

// Numbers and ids differ between sessions that do the same.
const pattern = (text = '') => text.replace(/#?\d+/g, '#').slice(0, 160);
const STANDS = { waiting: 'blocked', blocked: 'blocked', silent: 'silent' };
// How fine causes are told apart: the finest of these that gives few enough lines.
const GRAINS = [
  (item) => ({ approval: `approval ${/high|critical/.test(item.risk) ? item.risk : ''}`, alarm: `alarm ${item.reason_code}`,
    stuck: 'stuck ' + pattern(item.reason), blocked: `blocked ${item.cause || ''}` }[item.kind] || item.kind),
  (item) => (item.kind === 'approval' ? GRAINS[0](item) : item.kind),
  (item) => (/^(approval|question)$/.test(item.kind) ? `approval ${item.risk === 'critical' ? 'critical' : ''}` : STANDS[item.kind] || item.kind),
  (item) => (STANDS[item.kind] ? 'blocked' : item.kind === 'fan_out' ? 'alarm' : GRAINS[2](item)),
];

function grouped(items, rows, now, grain) {
  const groups = new Map();
  for (const item of items) {
    const key = grain(item);
    if (!groups.has(key)) groups.set(key, { key, kinds: new Set(), items: [], sessions: new Set(), urgency: 9, since: item.since, rate: 0 });
    const group = groups.get(key), row = rows.get(item.session);
    if (ms(item.since) < ms(group.since)) group.since = item.since;
    if (row && !group.sessions.has(item.session)) group.rate += rate(row, now);
    group.urgency = Math.min(group.urgency, urgency(item));
    group.sessions.add(item.session);
    group.kinds.add(item.kind);
    group.items.push(item);
  }
  return [...groups.values()].sort((a, b) => a.urgency - b.urgency || b.rate - a.rate || ms(a.since) - ms(b.since));
}

// `items` as at most `max` lines of a cause: {key, kinds, items, urgency, since, rate}, the most urgent first, then what costs most, then
// the oldest.
export function causes(items, rows, now, max) {
  let groups = [];
  for (const grain of GRAINS) {
    groups = grouped(items, rows, now, grain);
    if (groups.length <= max) break;
  }
  return groups;
}
