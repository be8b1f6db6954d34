// SPDX-License-Identifier: Apache-2.0
// The core against a real daemon: HEADWAY_BINARY names it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import util from 'node:util';
import { Denied, Stop, run, session } from '../src/index.js';
import { settings } from '../src/claude.js';
import { newId } from '../src/ids.js';
import { errorOf, safe, textOf } from '../src/json.js';
import { startHeadway } from '../src/testing.js';
import { stand, until } from './stand.mjs';

let hw;
before(async () => { hw = await startHeadway({ url: '', settings: { 'approvals.require_tools': 'deploy' } }); });
after(() => hw.stop());

const open = (options) => session({ url: hw.url, token: '', ...options });
const finished = async (s) => (await hw.events(s.id)).filter(({ type }) => type === 'tool.finished').map(({ data }) => data);
const decide = async (s, decision, meanwhile = () => {}) => {
  const { approvals } = await until(async () => {
    const inbox = await hw.request('GET', `/v1/approvals?session=${s.id}`);
    return inbox.approvals.length ? inbox : null;
  }, 'a request for approval');
  meanwhile();
  return hw.operator('POST', `/v1/approvals/${approvals[0].id}/decision`, decision);
};

test('ids are in the order of time, also when the clock is set back', (t) => {
  const ids = Array.from({ length: 9_000 }, newId);
  t.mock?.method(Date, 'now', () => 5);
  ids.push(newId(), newId());
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  assert.match(ids[0], /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('any value is JSON, and of a bounded size', () => {
  const circle = { a: 1 };
  circle.self = circle;
  const twice = { x: 1 };
  class Odd { get boom() { throw new Error('no'); } toString() { throw new Error('no'); } }
  const odd = {};
  Object.defineProperty(odd, 'boom', { enumerable: true, get() { throw new Error('no'); } });
  assert.deepEqual(safe({ circle, big: 10n, twice: [twice, twice], none: undefined, nan: NaN, date: new Date(0), map: new Map([['k', 1n]]) }), {
    circle: { a: 1, self: '[circular]' }, big: '10', twice: [{ x: 1 }, { x: 1 }], nan: 'NaN', date: '1970-01-01T00:00:00.000Z', map: { map: [['k', '1']] } });
  assert.deepEqual(safe({ odd, fn() {}, odder: new Odd(), json: { toJSON() { throw new Error('no'); } } }),
    { odd: { boom: '[unreadable]' }, fn: '[function fn]', odder: {}, json: '[unreadable]' });
  assert.deepEqual(safe(JSON.parse('{"__proto__":{"x":1}}')), JSON.parse('{"__proto__":{"x":1}}'));
  assert.equal(safe(new Proxy({}, { ownKeys() { throw new Error('no'); } })), '[unreadable]');
  let deep = {};
  for (let i = 0; i < 5_000; ++i) deep = { deep };
  assert.ok(JSON.stringify(safe(deep)).length < 1e6);
  assert.ok(JSON.stringify(safe('x'.repeat(20 << 20))).length < 300_000);
  assert.notEqual(safe(`${'x'.repeat(20 << 20)}a`), safe(`${'x'.repeat(20 << 20)}b`), 'the digest tells them apart');
  assert.ok(JSON.stringify(safe(Array.from({ length: 3e6 }, (_, i) => i))).length < 8 << 20);
  assert.ok(JSON.stringify(safe(Array.from({ length: 3e6 }, (_, i) => `${i}`), 8192)).length < 20_000);
  const chain = () => ({ toJSON: () => ({ next: chain() }) });
  assert.ok(JSON.stringify(safe(chain())).length < 10_000);
  let wide = { end: Array.from({ length: 1e6 }, () => 'x'.repeat(50)) };
  for (let i = 0; i < 60; ++i) wide = { wide };
  assert.ok(JSON.stringify(safe(wide)).length < 8 << 20);
  const gone = Proxy.revocable(function gone() {}, {});
  gone.revoke();
  assert.equal(safe([gone.proxy])[0], '[function]');
  assert.equal(textOf('as it is'), 'as it is');
  assert.equal(textOf(undefined), undefined);
  assert.equal(textOf((async function* values() {})()), '[AsyncGenerator]');
  for (const thrown of [undefined, null, 'words', { a: 1 }, 7n, Object.create(null), odd]) assert.equal(typeof errorOf(thrown).error, 'string');
});

test('what a tool gives and throws passes unchanged, and stands in the journal', async () => {
  const s = await open({ goal: 'try it', agent: 'coder', labels: { team: 'night' } });
  const value = { a: new Map() };
  const boom = Object.assign(new TypeError('boom'), { code: 'ENOENT' });
  const good = s.tool('good', function ({ x }) { return this === undefined || x ? value : null; });
  const bad = s.tool('bad', async () => { throw boom; });
  assert.equal(await good({ x: 1 }), value);
  await assert.rejects(bad('a', 2), (error) => error === boom);
  assert.equal(good.length, 1);
  await s.end();
  const [one, two] = await finished(s);
  assert.deepEqual([one.tool, one.args, one.ok, two.tool, two.args, two.ok, two.error], ['good', { x: 1 }, true, 'bad', { args: ['a', 2] }, false,
    { class: 'not_found', message: 'TypeError: boom' }]);
  const state = await hw.session(s.id);
  assert.deepEqual([state.outcome, state.goal, state.labels.team, state.agent.type, state.in_flight], ['completed', 'try it', 'night', 'coder', []]);
});

test('an interrupt() of LangGraph is no failure', async () => {
  class GraphInterrupt extends Error {
    constructor() {
      super('[{"value":"deploy?"}]');
      this.name = 'GraphInterrupt';
    }
    get is_bubble_up() { return true; }
  }
  const s = await open({ goal: 'send it' });
  const asks = s.tool('send', async () => { throw new GraphInterrupt(); });
  for (let i = 0; i < 4; ++i) await assert.rejects(asks({ to: 'production' }), GraphInterrupt);
  await assert.rejects(s.call('send', {}, () => { throw new GraphInterrupt(); }), GraphInterrupt);
  const call = await s.begin('send', {});
  await call.failed(new GraphInterrupt());
  await s.end();
  const calls = await finished(s);
  assert.deepEqual(new Set(calls.map(({ error }) => error.class)), new Set(['cancelled']));
  assert.equal(calls.length, 6);
  const { verdict } = await hw.session(s.id);
  assert.notEqual(verdict.status, 'stuck');
  assert.notEqual(verdict.status, 'failed');
});

test('a loop: advice once for each step', async () => {
  const s = await open({ goal: 'loop' });
  const same = s.tool('bash', async () => { throw new Error('no rule'); });
  const said = [];
  for (let i = 0; i < 6; ++i) {
    await assert.rejects(same({ command: 'make' }));
    said.push(s.advice());
  }
  assert.match(said.join(''), /Headway supervises this session/);
  assert.equal(said.filter(Boolean).length, 2, JSON.stringify(said));
  assert.equal(s.advice(), '');
  await s.end();
});

test('a person rejects, approves and edits a call', async () => {
  const s = await open({});
  const ran = [];
  const deploy = s.tool('deploy', async (args) => { ran.push(args); return 'done'; });
  const rejected = deploy({ to: 'a' });
  await decide(s, { decision: 'reject', reason: 'use the other one instead' });
  await assert.rejects(rejected, (error) => error instanceof Denied && /use the other one/.test(error.reason) && error.tool === 'deploy');
  const approved = deploy({ to: 'b' });
  await decide(s, { decision: 'approve' });
  assert.equal(await approved, 'done');
  const edited = deploy({ to: 'c' });
  await decide(s, { decision: 'edit', edited_args: { to: 'd' } });
  assert.equal(await edited, 'done');
  assert.deepEqual(ran, [{ to: 'b' }, { to: 'd' }]);
  await s.end();
  const state = await hw.session(s.id);
  assert.deepEqual([state.alarms, state.in_flight], [[], []]);
});

test('arguments that change while a person decides do not run', async () => {
  const s = await open({});
  const ran = [];
  const deploy = s.tool('deploy', async ({ to }) => ran.push([...to]));
  const to = ['staging'];
  const changed = deploy({ to });
  await decide(s, { decision: 'approve' }, () => to.push('production'));
  await assert.rejects(changed, (error) => error instanceof Denied && /have changed since a person was asked/.test(error.reason));
  const same = deploy({ to });
  await decide(s, { decision: 'approve' });
  await same;
  assert.deepEqual(ran, [['staging', 'production']]);
  await s.end();
});

test('a decision of approve() covers no arguments that have changed since', async () => {
  const s = await open({});
  const to = ['staging'];
  const asked = s.approve('deploy', { to });
  await decide(s, { decision: 'approve' }, () => to.push('production'));
  const { allowed, decided, reason } = await asked;
  assert.deepEqual([allowed, decided], [false, true]);
  assert.match(reason, /have changed since a person was asked/);
  const edited = s.approve('deploy', { to });
  await decide(s, { decision: 'edit', edited_args: { to: ['canary'] } }, () => to.push('everywhere'));
  const { allowed: may, args } = await edited;
  assert.deepEqual([may, args], [true, { to: ['canary'] }]);
  await s.end();
});

test('a call is reported with the arguments that were asked about', async () => {
  const s = await open({});
  const to = ['staging'];
  const refused = s.call('deploy', { to }, () => assert.fail('it ran'));
  await decide(s, { decision: 'approve' }, () => to.push('production'));
  await assert.rejects(refused, Denied);
  const own = s.call('deploy', { to: ['a'] }, (args) => { args.to.push('changed by the tool itself'); });
  await decide(s, { decision: 'approve' });
  await own;
  const edited = s.call('deploy', { to: ['b'] }, (args) => { args.to.push('too'); });
  await decide(s, { decision: 'edit', edited_args: { to: ['c'] } });
  await edited;
  await s.end();
  assert.deepEqual((await finished(s)).map(({ args, ok }) => [args.to, ok]), [[['staging'], false], [['a'], true], [['c'], true]]);
  const { alarms } = await hw.session(s.id);
  assert.ok(alarms.every(({ kind }) => kind !== 'executed_unapproved'), JSON.stringify(alarms));
});

test('a grant covers no arguments that change in a pause', async () => {
  const s = await open({});
  const ran = [];
  const deploy = s.tool('deploy', async ({ to }) => ran.push([...to]));
  const to = ['staging'];
  const first = deploy({ to });
  await decide(s, { decision: 'approve', scope: 'session' });
  await first;
  await hw.operator('POST', `/v1/sessions/${s.id}/pause`, {});
  const held = deploy({ to });
  await until(async () => (await hw.events(s.id)).filter(({ type }) => type === 'tool.started').length === 2, 'the second call is held');
  to.push('production');
  await hw.operator('POST', `/v1/sessions/${s.id}/resume`, {});
  await assert.rejects(held, Denied);
  assert.deepEqual(ran, [['staging']]);
  await s.end();
});

test('an edit takes the place of arguments of any kind, or the call is refused', async () => {
  const s = await open({});
  for (const [args, edit] of [['rm -rf /', ''], [5, 0], [[1, 2], [3]]]) {
    const asked = s.approve('deploy', args);
    await decide(s, { decision: 'edit', edited_args: edit });
    const { allowed, args: used } = await asked;
    assert.deepEqual([allowed, used], [true, edit]);
  }
  const ran = [];
  const deploy = s.tool('deploy', (...list) => { ran.push(list); return 'done'; });
  const edited = deploy('rm -rf /', 'x');
  await decide(s, { decision: 'edit', edited_args: { args: ['ls'] } });
  assert.equal(await edited, 'done');
  const other = deploy('rm -rf /', 'y');
  await decide(s, { decision: 'edit', edited_args: {} });
  await assert.rejects(other, (error) => error instanceof Denied);
  assert.deepEqual(ran, [['ls']]);
  await s.end();
});

test('a call that must be approved does not run when the request is refused', async () => {
  const s = await open({});
  const note = s.tool('note', async () => assert.fail('it ran'), { approval: true });
  await assert.rejects(note({ pad: 'x'.repeat(70_000) }), (error) => error instanceof Denied);
  await s.end();
});

test('no decision is made about an argument that cannot be shown', async () => {
  const s = await open({});
  class Target { #env; constructor(env) { this.#env = env; } }
  const ran = [];
  const deploy = s.tool('deploy', async ({ to }) => ran.push(to));
  const first = deploy({ to: new Target('staging') });
  await decide(s, { decision: 'approve', scope: 'session' });
  await assert.rejects(first, /the argument "to" has a value that cannot be shown.*toJSON/);
  await assert.rejects(deploy({ to: new Target('production') }), /cannot be shown/, 'the grant is about any value that looks the same');
  let deep = new URLSearchParams('to=production');
  for (let level = 0; level < 60; ++level) deep = [deep];
  const form = new FormData();
  form.set('to', 'production');
  const beside = Object.assign([1], { to: 'production' });
  class Marked extends Map { #env = 'production'; }
  class Row extends Array { #env = 'production'; }
  const failure = Object.assign(new Error('x'), { env: 'production' });
  const asks = s.tool('asks', async ({ to }) => ran.push(to), { approval: true });
  for (const to of [new Headers({ to: 'production' }), form, new Blob(['production']), deep, beside, new Marked(), new Row(), failure,
    { next: () => 1, to: 'production' }, { then: 'x', env: 'production', getReader: () => 1 }]) {
    await assert.rejects(asks({ to }), /cannot be shown/);
  }
  const { allowed, reason } = await s.approve('remove', { all: () => true });
  assert.equal(allowed, false);
  assert.match(reason, /"all"/);
  assert.deepEqual(ran, []);
  const look = s.tool('look', async ({ at }) => at instanceof Target);
  assert.equal(await look({ at: new Target('x') }), true, 'a call that needs no person runs');
  class Shown { constructor(env) { this.env = env; } toJSON() { return { env: this.env }; } }
  const shown = deploy({ to: new Shown('staging'), list: [1, { a: null }], at: new Date(0), query: new URLSearchParams('a=1'), map: new Map([[1, 2]]), set: new Set([1]), why: new TypeError('x') });
  await decide(s, { decision: 'approve' });
  await shown;
  assert.equal(ran.length, 1);
  await s.end();
});

test('a call that its author lets a person approve, and questions', async () => {
  const s = await open({});
  const pay = s.tool('pay', async ({ sum }) => sum, { approval: true, summary: 'a bill' });
  const paid = pay({ sum: 7 });
  await decide(s, { decision: 'approve' });
  assert.equal(await paid, 7);
  const asked = s.ask('Which branch?', { choices: ['main', 'next'] });
  await decide(s, { decision: 'respond', response: 'next' });
  assert.equal(await asked, 'next');
  const approve = s.approve('delete', { all: true }, { summary: 'everything' });
  await decide(s, { decision: 'reject', reason: 'another way instead' });
  const { allowed, decided, reason } = await approve;
  assert.deepEqual([allowed, decided], [false, true]);
  assert.match(reason, /another way/);
  await s.end();
  assert.deepEqual((await hw.session(s.id)).alarms, []);
});

test('a cancel stops the agent, and the session is cancelled', async () => {
  const s = await open({});
  const tool = s.tool('bash', async () => 'x');
  await tool();
  await hw.operator('POST', `/v1/sessions/${s.id}/cancel`, { reason: 'not needed' });
  const result = await s.run(async () => {
    await tool();
    return 'not reached';
  });
  assert.equal(result, undefined);
  assert.match(s.stopped, /not needed/);
  assert.ok(s.signal.aborted && s.signal.reason instanceof Stop);
  await assert.rejects(tool(), Stop);
  assert.equal((await hw.session(s.id)).outcome, 'cancelled');
});

test('a cancel reaches a heartbeat while the model thinks', async () => {
  const s = await open({ policy: { heartbeat_interval_ms: 200 } });
  await hw.operator('POST', `/v1/sessions/${s.id}/cancel`, { reason: 'enough' });
  await new Promise((resolve) => {
    const alive = setInterval(() => {}, 1000);
    s.signal.addEventListener('abort', () => { clearInterval(alive); resolve(); });
  });
  assert.match(s.stopped, /enough/);
  await s.end();
});

test('a pause holds a call until it goes on', async () => {
  const s = await open({});
  const tool = s.tool('bash', async () => 'x');
  await hw.operator('POST', `/v1/sessions/${s.id}/pause`, {});
  const began = performance.now();
  setTimeout(() => hw.operator('POST', `/v1/sessions/${s.id}/resume`, {}), 300);
  assert.equal(await tool(), 'x');
  assert.ok(performance.now() - began > 250);
  await s.end();
});

test('usage counts once, and the budget comes back', async () => {
  const s = await open({ budget: { max_tokens: 1000, max_steps: 20 } });
  s.usage({ input_tokens: 100, output_tokens: 20 });
  s.said('half way', { input_tokens: 1, output_tokens: 1 });
  await s.flush();
  assert.equal(s.budget.tokens_used, 122);
  assert.match(s.budgetBlock(), /\[EXECUTION BUDGET\]/);
  await s.end();
});

test('a child is a session of its own', async () => {
  const s = await open({ agent: 'boss' });
  const child = await s.child({ goal: 'a part', agent: 'helper' });
  await child.tool('bash', async () => 'x')();
  await child.end();
  await s.end();
  const state = await hw.session(child.id);
  assert.deepEqual([state.parent, state.agent.type, state.outcome, state.tools.calls], [s.id, 'helper', 'completed', 1]);
  assert.ok(child.id.startsWith(`${s.id}.`), 'a token for its parent covers it');
});

test('run ends the session as the agent went', async () => {
  let id;
  assert.equal(await run({ url: hw.url, token: '' }, (s) => { id = s.id; return 5; }), 5);
  assert.equal((await hw.session(id)).outcome, 'completed');
  const boom = new Error('boom');
  await assert.rejects(run({ url: hw.url, token: '' }, (s) => { id = s.id; throw boom; }), (error) => error === boom);
  assert.equal((await hw.session(id)).outcome, 'failed');
});

test('a session whose model gave no answer after its last error is not completed', async () => {
  const s = await open({});
  await s.call('bash', {}, () => 1);
  s.error(Object.assign(new Error("You've hit your usage limit"), { status: 429 }));
  await s.end();
  const { outcome, verdict } = await hw.session(s.id);
  assert.deepEqual([outcome, /limit/.test(verdict.reason)], ['failed', true], verdict.reason);
  for (const goesOn of [(one) => one.said('done'), (one) => one.call('bash', {}, () => 1), (one) => one.usage()]) {
    const one = await open({});
    one.error(new Error('overloaded'));
    await goesOn(one);
    await one.end();
    assert.equal((await hw.session(one.id)).outcome, 'completed');
  }
});

test('an id that was used goes on as another session, and what is no id becomes one', async () => {
  const s = await open({ id: 'used before/now' });
  assert.equal(s.id, 'used-before-now');
  await s.end();
  const again = await open({ id: 'used before/now' });
  assert.equal(again.id, 'used-before-now~2');
  await again.end();
});

test('generators give their values, and end their call where they end', async () => {
  const s = await open({});
  let closed = 0;
  const values = s.tool('values', async function* values(n) { try { for (let i = 0; i < n; ++i) yield i; } finally { ++closed; } return 'end'; });
  const seen = [];
  for await (const value of values(3)) seen.push(value);
  for await (const value of values(30)) { seen.push(value); break; }
  const broken = s.tool('broken', async function* broken() { yield 1; throw new Error('boom'); });
  await assert.rejects(async () => { for await (const value of broken()) seen.push(value); }, /boom/);
  assert.deepEqual([seen, closed], [[0, 1, 2, 0, 1], 2]);
  await s.end();
  assert.deepEqual((await finished(s)).map(({ tool, ok }) => [tool, ok]), [['values', true], ['values', true], ['broken', false]]);
});

test('an abort ends the wait for a person, and the tool hears it', async () => {
  const s = await open({});
  const controller = new AbortController();
  const held = s.call('deploy', {}, () => assert.fail('it ran'), { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 200);
  await assert.rejects(held, /enough/);
  const [ended] = (await finished(s)).filter(({ args }) => args); // as the client reports it
  const [started] = (await hw.events(s.id)).filter(({ type }) => type === 'tool.started');
  assert.deepEqual([ended.call_id, ended.tool, ended.args, ended.ok, ended.error.class], [started.data.call_id, 'deploy', {}, false, 'cancelled']);
  assert.deepEqual((await hw.session(s.id)).alarms, []);
  const second = new AbortController();
  const running = s.call('wait', {}, (args, { signal }) => new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    setTimeout(() => second.abort(), 50);
  }), { signal: second.signal });
  await assert.rejects(running, { name: 'AbortError' });
  await s.end();
  const last = (await finished(s)).at(-1);
  assert.deepEqual([last.tool, last.ok, last.error.class], ['wait', false, 'cancelled']);
});

test('many calls at once', async () => {
  const s = await open({});
  const tool = s.tool('bash', async (n) => n);
  const all = await Promise.all(Array.from({ length: 300 }, (_, i) => tool(i)));
  assert.deepEqual(all, Array.from({ length: 300 }, (_, i) => i));
  await s.end();
  assert.equal((await hw.session(s.id)).tools.calls, 300);
});

test('the token is sent, and shown nowhere', async (t) => {
  const fake = await stand(() => ({ status: 401, json: { code: 'unauthorized' } }));
  t.after(() => fake.close());
  const warnings = [];
  const listen = (warning) => warnings.push(util.inspect(warning));
  process.on('warning', listen);
  const s = await session({ url: fake.url, token: 'hw_secret_token' });
  await s.tool('bash', () => 1)();
  await until(() => warnings.length, 'a warning');
  process.off('warning', listen);
  assert.equal(fake.got[0].headers.authorization, 'Bearer hw_secret_token');
  const shown = [JSON.stringify(s), util.inspect(s, { depth: 9, showHidden: true }), ...warnings].join('\n');
  assert.match(shown, /HEADWAY_TOKEN/);
  assert.doesNotMatch(shown, /secret/);
});

test('a URL with a password in it is of no daemon, and shown nowhere', async (t) => {
  const fake = await stand(() => ({ json: {} }));
  t.after(() => fake.close());
  const warnings = [];
  const listen = (warning) => warnings.push(util.inspect(warning));
  process.on('warning', listen);
  const s = await session({ url: fake.url.replace('//', '//user:pa55@') });
  assert.equal(await s.tool('bash', () => 1)(), 1);
  await until(() => warnings.length, 'a warning');
  process.off('warning', listen);
  assert.equal(fake.got.length, 0);
  assert.doesNotMatch([JSON.stringify(s), util.inspect(s, { depth: 9, showHidden: true }), ...warnings].join('\n'), /pa55/);
});

test('the settings for Claude have the hooks of `headway install`, all by HTTP', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-test-'));
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEADWAY_')));
  const { stdout } = spawnSync(process.env.HEADWAY_BINARY || 'headway', ['install', 'claude', '--print'], { encoding: 'utf8', env: { ...clean, HOME: home } });
  fs.rmSync(home, { recursive: true });
  const { hooks } = JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1));
  const told = (all) => Object.fromEntries(Object.entries(all).map(([name, [{ hooks: [{ type, url, timeout }] }]]) => [name, { type, url, timeout }])
    .filter(([, { type }]) => type === 'http'));
  const ours = told(settings({ url: 'http://127.0.0.1:7717' }).hooks);
  assert.deepEqual([...Object.keys(ours), 'SessionStart'].sort(), Object.keys(hooks).sort(), 'which never comes by HTTP');
  for (const [name, hook] of Object.entries(told(hooks))) assert.deepEqual(ours[name], hook, name);
});

test('texts for the model are bounded, and of another type are no answer', async () => {
  const long = '\u00e9'.repeat(3000);
  const fake = await stand(({ body }) => ({ json: body?.tool === 'bounded' ? { context: long } : { allow: 7, answer: {}, context: ['x'], edit: [1] } }));
  const s = await session({ url: fake.url });
  assert.equal(await s.tool('nonsense', () => 1)(), 1);
  assert.equal(s.advice(), '');
  for (let i = 0; i < 20; ++i) await s.tool('bounded', () => 1)();
  const said = s.advice();
  assert.ok(Buffer.byteLength(said) <= 8000);
  assert.match(said, /^…[^\ufffd]*\u00e9…$/s);
  await s.end();
  fake.close();
});
