// SPDX-License-Identifier: Apache-2.0

// One event of the journal applied to one row of the fleet. Pure: the same in the worker, the page and the tests.
// Fields of a row that no event has (rounds, pressure, the reason of a loop that goes on) are read again by the hub; see hub.js.
import { action } from './format.js';

// All types of events, by what a person looks for.
export const KINDS = {
  calls: ['tool.started', 'tool.finished', 'test.result', 'error.reported'],
  words: ['message', 'reflection', 'plan.updated', 'compacted', 'fact.learned', 'progress.estimated'],
  verdicts: ['verdict.changed', 'directive.issued', 'directive.acknowledged', 'directive.delivered', 'check.requested', 'check.completed', 'run.conflict', 'session.amended'],
  people: ['approval.requested', 'approval.decided', 'approval.redeemed', 'approval.expired', 'approval.revoked', 'approval.closed', 'approval.alarm',
    'alarm.acknowledged', 'session.cancel_requested', 'budget.extended', 'budget.set'],
  state: ['session.started', 'session.ended', 'state.changed', 'phase.started', 'phase.completed', 'budget.level', 'budget.updated', 'child.progress',
    'progress.stats'],
  beats: ['heartbeat'],
};
export const TYPES = Object.values(KINDS).flat();
// Written by Headway, not by the agent: no beat.
const OWN = /^(verdict|budget|child|check|run|alarm)|stats|issued|amended|cancel|approval.[^r]|redeemed|revoked/;

// Events that may change who needs a person.
export const NEEDS = /^(approval|verdict|budget|session|alarm)/;

// The end of a call need not repeat what its start has said.
function act(row, d, { at }) {
  const text = action(d), old = row.last_action?.text;
  row.last_action = { text: text === d.tool && old?.startsWith(text + ': ') ? old : text, at };
}

const appliers = {
  heartbeat: (row, d) => { row.phase = d.phase ?? row.phase; row.iteration = d.iteration ?? row.iteration; },
  'tool.started': act,
  'tool.finished': act,
  'phase.started': (row, d) => { row.phase = d.name ?? row.phase; },
  'verdict.changed': (row, d, e) => { row.status = d.to; row.since = e.at; row.reason = d.reason; row.alive = d.to !== 'silent';
    for (const name of ['needs_somebody', 'cause', 'retry_at']) if (d[name]) row[name] = d[name]; else delete row[name]; },
  'session.started': (row, d) => { row.goal = d.goal ?? row.goal; row.agent = d.agent ?? row.agent;
    row.labels = d.labels ?? row.labels; },
  'session.ended': (row, d, e) => { row.ended_at = e.at; row.outcome = d.outcome; row.alive = false; },
  'approval.requested': (row) => { row.approvals_pending++; },
  'approval.decided': (row) => { row.approvals_pending = Math.max(0, row.approvals_pending - 1); },
  'budget.level': (row, d) => { row.budget = { level: d.to, pressure: d.pressure, dimension: d.dimension }; },
};

// Returns the new row, `row` itself when the event is known already, or null when the row has to be read again.
export function fold(row, e) {
  if (e.n <= row.n) return row;
  if (e.n > row.n + 1 || /alarm/.test(e.type)) return null; // which alarms are left no event says
  const next = { ...row, n: e.n };
  if (!OWN.test(e.type)) { next.last_beat_at = e.at; if (!next.ended_at) next.alive = true; }
  if (e.state) next.state = e.state;
  if (e.next_heartbeat_ms) next.next_heartbeat_ms = e.next_heartbeat_ms;
  appliers[e.type]?.(next, e.data || {}, e);
  return next;
}
