// SPDX-License-Identifier: Apache-2.0

// Rows folded from events by the page are equal to those of the daemon: one event at a time, and as read.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fill } from './example.mjs';
import { Daemon } from './support.mjs';

const READ_AGAIN = ['activity', 'quiet_rounds', 'budget', 'next_heartbeat_ms', 'alive', 'estimate', 'used']; // no event says these; the hub reads them again

let daemon, fold, summary, TYPES;
before(async () => {
  daemon = await new Daemon().start();
  await fill(daemon);
  await daemon.report('a-run', { type: 'tool.started', data: { call_id: 'c1', tool: 'make', args: { argv: ['make', '-j2', 'all'] } } });
  // The modules of web/ have no package around them that tells node what they are.
  const folder = path.join(daemon.root, 'modules');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['fold.js', 'format.js']) fs.copyFileSync(new URL(`../../web/${name}`, import.meta.url), path.join(folder, name));
  ({ fold, TYPES } = await import(path.join(folder, 'fold.js')));
  ({ summary } = await import(path.join(folder, 'format.js')));
});
after(() => daemon.close());

test('a row that is folded is the row that is read', async () => {
  const { sessions } = await daemon.get('/v1/sessions?view=row&limit=200');
  assert.ok(sessions.length > 10);
  assert.equal(sessions.find((one) => one.id === 'a-run').last_action.text, 'make: -j2 all');
  for (const wanted of sessions) {
    const { events } = await daemon.get(`/v1/sessions/${wanted.id}/events?limit=1000`);
    let row = { id: wanted.id, n: 0, status: 'starting', since: wanted.opened_at, reason: '', state: null, phase: null, iteration: null, opened_at: wanted.opened_at, ended_at: null, outcome: null, last_beat_at: wanted.opened_at,
      last_action: null, goal: null, agent: {}, parent: wanted.parent, labels: {}, approvals_pending: 0, alarm: null };
    for (const event of events.filter((one) => one.n <= wanted.n)) row = fold(row, event);
    const live = ['suspect', 'stuck'].includes(wanted.status) ? ['reason'] : []; // it counts on with each call
    const rest = (value) => Object.fromEntries(Object.entries(value).filter(([key]) => ![...READ_AGAIN, ...live].includes(key)));
    assert.deepEqual(rest(row), rest(wanted), wanted.id);
  }
});

test('an event that is known changes nothing, one too many is a gap', () => {
  const row = { n: 4, status: 'exploring' };
  assert.equal(fold(row, { n: 4, type: 'heartbeat', data: {} }), row);
  assert.equal(fold(row, { n: 6, type: 'heartbeat', data: {} }), null);
  assert.equal(fold(row, { n: 5, type: 'verdict.changed', at: 'x', data: { to: 'stuck', reason: 'r' } }).status, 'stuck');
  assert.deepEqual(row, { n: 4, status: 'exploring' });
});

test('the page listens to every type of event', async () => {
  const documented = fs.readFileSync(new URL('../../api/API.md', import.meta.url), 'utf8').split('## Events')[1].split('### What to send')[0];
  const types = new Set([...documented.matchAll(/^\| `([a-z]+\.?[a-z_]*)` \|/gm)].map((match) => match[1]));
  assert.ok(types.size > 30, `${types.size}`);
  assert.deepEqual([...types].filter((type) => !TYPES.includes(type)), []);
});

test('a step of a budget, and how a session does, are a line of words', async () => {
  const step = { type: 'budget.updated', data: { elapsed_seconds: 75, remaining_seconds: 225, current_step: 2, max_steps: 10, time_pressure: 25, step_pressure: 20, level: 'nominal' } };
  assert.equal(summary(step), 'step 2/10 · 1 min 15 s · 3 min 45 s left');
  assert.equal(summary({ type: 'budget.updated', data: { elapsed_seconds: 4, current_step: 2, time_pressure: 0, step_pressure: 0, level: 'nominal' } }), 'step 2 · 4 s');
  assert.equal(summary({ type: 'progress.stats', data: { tool_calls: 10, successes: 9, failures: 1, files_modified: 3 } }),
    '10 calls · 9 well, 1 failed · 3 files changed');
  const { sessions } = await daemon.get('/v1/sessions?view=row&limit=200');
  const mute = new Set(); // an opening may have only its policy
  for (const { id } of sessions) {
    const { events } = await daemon.get(`/v1/sessions/${id}/events?limit=1000`);
    for (const event of events) if (!summary(event) && Object.keys(event.data).length > 0) mute.add(event.type);
  }
  mute.delete('session.started');
  assert.deepEqual([...mute], []);
});
