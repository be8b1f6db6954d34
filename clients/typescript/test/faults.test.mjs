// SPDX-License-Identifier: Apache-2.0
// Behaviour of an agent when the daemon is unreachable, slow, wrong or full, and that nothing is counted twice: the table of the README.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { addressOf } from '../src/address.js';
import { Denied, session } from '../src/index.js';
import { startHeadway } from '../src/testing.js';
import { lossy, stand, until, vacant } from './stand.mjs';

const SLOW = Number(process.env.HEADWAY_TEST_SLOW) || 1;
const BINARY = process.env.HEADWAY_BINARY || 'headway';
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEADWAY_')));
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

// A daemon whose port and files stay when it is killed.
const lasting = async (t, settings = {}) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-test-'));
  const { port } = await vacant();
  let child;
  const self = { url: `http://127.0.0.1:${port}`, port,
    start: () => new Promise((resolve, reject) => {
      const given = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
      child = spawn(BINARY, ['serve', '--listen', `127.0.0.1:${port}`, '--state-dir', folder, ...given], { stdio: ['ignore', 'pipe', 'ignore'], env: clean });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the daemon ended: ${code}`)));
      child.stdout.once('data', resolve);
    }),
    end: (signal) => new Promise((resolve) => { child.once('exit', resolve); child.kill(signal); }),
    get: (target) => fetch(self.url + target).then((reply) => reply.json()),
    decide: async (id, decision) => {
      const token = fs.readFileSync(path.join(folder, 'operator.token'), 'utf8').trim();
      const reply = await fetch(`${self.url}/v1/approvals/${id}/decision`, { method: 'POST', body: JSON.stringify(decision),
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` } });
      assert.equal(reply.status, 200, await reply.text());
    } };
  await self.start();
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) await self.end('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return self;
};

const pending = (daemon, s, count = 1) => until(async () => (await daemon.get(`/v1/approvals?session=${s.id}`)).approvals[count - 1],
  'a request for approval');

test('away: calls run, and a call costs less than a millisecond', async () => {
  const s = await session({ url: (await vacant()).url, goal: 'alone' });
  const tool = s.tool('bash', async (args) => args.n);
  const times = [];
  for (let n = 0; n < 300; ++n) {
    const began = performance.now();
    assert.equal(await tool({ n, text: 'x'.repeat(100_000) }), n);
    times.push(performance.now() - began);
  }
  assert.ok(median(times) < SLOW, `median ${median(times)} ms`);
  assert.ok(s.away && s.pending <= 512);
  const began = performance.now();
  await s.end();
  assert.ok(performance.now() - began < 100 * SLOW);
});

test('away: what must not run unsupervised is refused, where its author says so', async () => {
  const s = await session({ url: (await vacant()).url });
  await assert.rejects(s.tool('deploy', () => assert.fail('it ran'), { require: true })(), Denied);
  assert.equal(await s.tool('read', () => 'x')(), 'x');
  const strict = await session({ url: s.url, require: true });
  await assert.rejects(strict.tool('deploy', () => assert.fail('it ran'))(), /must not run unsupervised/);
  assert.equal(await strict.tool('read', () => 'x', { require: false })(), 'x');
});

test('away at first: what was done meanwhile is reported when it is there', async (t) => {
  const daemon = await lasting(t);
  await daemon.end('SIGKILL');
  const s = await session({ url: daemon.url, goal: 'patience' });
  const tool = s.tool('bash', async (n) => n);
  for (let n = 0; n < 5; ++n) await tool(n);
  s.usage({ tokens: 7 });
  await daemon.start();
  await until(() => s.pending === 0, 'the reports go out');
  await tool(5);
  await s.end();
  const state = await daemon.get(`/v1/sessions/${s.id}`);
  assert.deepEqual([state.goal, state.tools.calls, state.used.tokens, state.outcome], ['patience', 6, 7, 'completed']);
});

test('killed in a call: the result passes, and the call is counted once when it is back', async (t) => {
  const daemon = await lasting(t);
  const s = await session({ url: daemon.url });
  const tool = s.tool('bash', async () => { await daemon.end('SIGKILL'); return 'done'; });
  assert.equal(await tool(), 'done');
  await daemon.start();
  await until(() => s.pending === 0, 'the reports go out');
  await s.end();
  const state = await daemon.get(`/v1/sessions/${s.id}`);
  assert.deepEqual([state.tools.calls, state.in_flight, state.outcome], [1, [], 'completed']);
});

test('an answer is lost: nothing is counted twice', async (t) => {
  const way = await lossy();
  t.after(way.close);
  const hw = await startHeadway({ url: '', settings: { 'server.allowed_hosts': way.host } });
  t.after(() => hw.stop());
  way.to = Number(new URL(hw.url).port);
  const s = await session({ url: way.url });
  await s.flush();
  assert.equal(await s.tool('bash', async ({ text }) => { way.lose = true; return text; })({ text: 'y'.repeat(20_000) }), 'y'.repeat(20_000));
  s.usage({ tokens: 100 });
  await new Promise((resolve) => { setTimeout(resolve, 2_500); }); // it is tried, and lost again
  way.lose = false;
  await until(() => s.pending === 0, 'the reports go out');
  const { tools, used } = await hw.session(s.id);
  assert.deepEqual([tools.calls, used.tokens], [1, 100]);
  await s.end();
});

for (const [name, reply, least] of [
  ['503', { status: 503, headers: { 'Retry-After': '1' }, json: { code: 'overloaded' } }, 900],
  ['429 with Retry-After', { status: 429, headers: { 'Retry-After': '2' }, json: {} }, 1900],
  ['507, the disk is full', { status: 507, headers: { 'Retry-After': '1' }, json: { code: 'storage_full' } }, 900],
]) {
  test(`${name}: calls run at once, and it is left alone for so long`, async (t) => {
    const fake = await stand(() => reply);
    t.after(fake.close);
    const s = await session({ url: fake.url });
    const began = performance.now();
    const tool = s.tool('bash', async () => 'x');
    for (let n = 0; n < 20; ++n) assert.equal(await tool(), 'x');
    assert.ok(performance.now() - began < 500 * SLOW);
    assert.equal(fake.got.length, 1);
    fake.answer = () => ({});
    await until(() => fake.hooks('post').length || fake.events('tool.finished').length === 20, 'the reports go out');
    assert.ok(performance.now() - began > least);
    const ids = fake.events().map(({ event_id: id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    await s.end();
  });
}

test('a report that is not answered well goes out again with the same id', async (t) => {
  let refuse = true;
  const fake = await stand(({ path: where }) => (where.endsWith('/events') && refuse ? { status: 503, headers: { 'Retry-After': '1' } } : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  s.usage({ tokens: 5 });
  await until(() => fake.events('heartbeat').length === 1);
  refuse = false;
  await until(() => fake.events('heartbeat').length === 2);
  const [first, second] = fake.events('heartbeat');
  assert.deepEqual(first, second);
  await s.end();
});

for (const status of [200, 403, 404, 405]) {
  test(`another program has the port and replies ${status}: it is left alone, and calls run`, async (t) => {
    const fake = await stand(() => ({ status, other: true }));
    t.after(fake.close);
    const s = await session({ url: fake.url });
    const tool = s.tool('bash', async () => 'x');
    for (let n = 0; n < 5; ++n) assert.equal(await tool(), 'x');
    assert.equal(fake.got.length, 1);
  });
}

test('a session that the token does not cover takes no other one with it', async (t) => {
  const fake = await stand(({ path: where, body }) => (/other/.test(where + (body?.session ?? '')) ? { status: 403, json: { detail: 'scope' } }
    : { json: body?.event === 'pre' ? { deny: 'heard' } : {} }));
  t.after(fake.close);
  const s = await session({ url: fake.url, id: 'night' });
  const other = await session({ url: fake.url, id: 'other' });
  assert.equal(await other.tool('bash', () => 'x')(), 'x');
  await assert.rejects(other.tool('bash', () => assert.fail('it ran'), { require: true })(), Denied);
  for (let n = 0; n < 3; ++n) other.usage({ tokens: 1 });
  await other.flush();
  await assert.rejects(s.tool('bash', () => assert.fail('it ran'))(), /heard/);
  assert.equal(s.away, false);
  await other.end();
  await s.end();
});

test('after the end of a session a call is asked about as any other', async (t) => {
  const fake = await stand(({ body }) => ({ json: body?.event === 'pre' ? { deny: 'heard' } : {} }));
  t.after(fake.close);
  const s = await session({ url: fake.url, require: true });
  await s.end();
  await assert.rejects(s.tool('bash', () => assert.fail('it ran'))(), /heard/);
  fake.close();
  await assert.rejects(s.tool('bash', () => assert.fail('it ran'), { againMs: 100 })(), Denied);
});

test('silent for 30 s: it holds one call until it counts as away, and no second one', async (t) => {
  const fake = await stand(() => null);
  t.after(fake.close);
  const s = await session({ url: fake.url, silenceMs: 300 }); // 15 s by default
  const began = performance.now();
  const tool = s.tool('bash', async () => 'x');
  for (let n = 0; n < 10; ++n) assert.equal(await tool(), 'x');
  assert.ok(performance.now() - began < 3_000 * SLOW);
  assert.equal(fake.got.length, 1);
});

test('slow to take a result: it is waited for two seconds, then reported in the background', async (t) => {
  const fake = await stand(async ({ body }) => { if (body?.event === 'post') await new Promise((resolve) => { setTimeout(resolve, 2_600); }); return { json: {} }; });
  t.after(fake.close);
  const s = await session({ url: fake.url });
  const began = performance.now();
  assert.equal(await s.tool('bash', async () => 'x')(), 'x');
  assert.ok(performance.now() - began < 2_500 * SLOW);
  await s.end();
});

test('a hold is no silence', async (t) => {
  const fake = await stand(({ body }) => (body?.event === 'pre' ? [' ', 200, ' ', 200, ' ', 200, ' ', 200, '{"deny":"no"}'] : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url, silenceMs: 400 * SLOW });
  await assert.rejects(s.tool('bash', async () => 'x')(), Denied);
  await s.end();
});

test('a wrong token: calls run, and a warning says so once', async (t) => {
  const fake = await stand(() => ({ status: 401, json: { code: 'unauthorized' } }));
  t.after(fake.close);
  const s = await session({ url: fake.url, token: 'hw_wrong' });
  const tool = s.tool('bash', async () => 'x');
  for (let n = 0; n < 10; ++n) assert.equal(await tool(), 'x');
  assert.equal(fake.got.length, 1);
});

test('killed and up again in a hold: the call is asked again, and waits for the decision', async (t) => {
  const daemon = await lasting(t, { 'approvals.require_tools': 'deploy' });
  const s = await session({ url: daemon.url });
  let ran = 0;
  const held = s.tool('deploy', async () => { ++ran; return 'done'; })({ to: 'a' });
  const { id } = await pending(daemon, s);
  await daemon.end('SIGKILL');
  await new Promise((resolve) => { setTimeout(resolve, 300); });
  assert.equal(ran, 0);
  await daemon.start();
  await daemon.decide(id, { decision: 'approve' });
  assert.equal(await held, 'done');
  await s.end();
  const state = await daemon.get(`/v1/sessions/${s.id}`);
  assert.deepEqual([ran, state.tools.calls, state.alarms, state.outcome], [1, 1, [], 'completed']);
  const { events } = await daemon.get(`/v1/sessions/${s.id}/events`);
  assert.equal(events.filter(({ type }) => type === 'tool.started').length, 1); // by its event_id
});

test('stopped in a hold: the call is refused, with the words that it may be tried again', async (t) => {
  const daemon = await lasting(t, { 'approvals.require_tools': 'deploy' });
  const s = await session({ url: daemon.url });
  const held = s.tool('deploy', async () => assert.fail('it ran'))({ to: 'a' });
  const refused = assert.rejects(held, (error) => error instanceof Denied && /again later/.test(error.reason));
  await pending(daemon, s);
  await daemon.end('SIGTERM');
  await refused;
  await s.end();
});

test('gone for good in a hold: a call that a person was to decide does not run, and the daemon gets a report of it when it is back', async (t) => {
  const daemon = await lasting(t, { 'approvals.require_tools': 'deploy' });
  const s = await session({ url: daemon.url });
  const call = s.begin('deploy', {}, { againMs: 700 });
  const asked = s.approve('anything', {}, { againMs: 700 });
  await pending(daemon, s, 2);
  await daemon.end('SIGKILL');
  assert.match((await call).denied, /went away while this call waited/);
  assert.deepEqual([(await asked).allowed, (await asked).decided], [false, false]);
  assert.equal((await s.begin('deploy', {})).denied, null); // no person was asked of this one
  await daemon.start();
  await until(() => s.pending === 0, 'the reports go out');
  const { events } = await daemon.get(`/v1/sessions/${s.id}/events`);
  const finished = events.filter(({ type, data }) => type === 'tool.finished' && data.error?.class === 'denied');
  assert.equal(finished.length, 1);
  await s.end();
});

test('of a daemon that broke off nothing is known: it runs at once, unless its author says that it may not', async (t) => {
  const fake = await stand(({ body }) => (body?.event === 'pre' ? ['{', 1, 'cut'] : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  assert.equal(await s.tool('bash', async () => 'x')(), 'x');
  assert.equal(fake.hooks('pre').length, 1);
  await new Promise((resolve) => { setTimeout(resolve, 2_100); });
  const began = performance.now();
  await assert.rejects(s.tool('bash', () => assert.fail('it ran'), { require: true, againMs: 1_200 })(), Denied);
  assert.ok(performance.now() - began > 1_000);
  assert.equal(new Set(fake.hooks('pre').map(({ event_id: id }) => id)).size, 2);
  assert.ok(fake.hooks('pre').length > 2);
  await s.end();
});

test('what answers after a hold but not as the daemon is no answer: a proxy before one that starts again', async (t) => {
  const answers = [[' ', 20, 'cut'], { status: 502 }, { status: 404 }, { json: { deny: 'no' } }];
  const fake = await stand(({ body }) => (body?.event === 'pre' ? answers.shift() : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  assert.equal((await s.begin('deploy', {})).denied, 'no');
  await s.end();
});

test('each time a daemon goes away in a hold the time begins again: held for longer than a call waits, and broken off again', async (t) => {
  const answers = [[' ', 20, 'cut'], [' ', 1_500, 'cut'], [' ', 1_500, 'cut'], { json: { deny: 'no' } }];
  const fake = await stand(({ body }) => (body?.event === 'pre' ? answers.shift() : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  assert.equal((await s.begin('deploy', {}, { againMs: 1_000 })).denied, 'no');
  assert.equal(new Set(fake.hooks('pre').map(({ event_id: id }) => id)).size, 1);
  await s.end();
});

test('another program holds no call: it would be asked again without end', async (t) => {
  const fake = await stand(({ body }) => (body?.event === 'pre' ? { other: true, parts: [' ', 50, 'cut'] } : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  assert.equal((await s.begin('deploy', {}, { againMs: 1_000 })).denied, null);
  assert.equal(fake.hooks('pre').length, 1);
  await s.end();
});

test('a hold that ends well, but without a decision, is none', async (t) => {
  const answers = [[' ', 20, ' '], { json: { deny: 'no' } }];
  const fake = await stand(({ body }) => (body?.event === 'pre' ? answers.shift() : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  assert.equal((await s.begin('deploy', {})).denied, 'no');
  await s.end();
});

test('the clock jumps: a day forth and back, and nothing changes', async (t) => {
  const hw = await startHeadway({ url: '' });
  t.after(() => hw.stop());
  const { now } = Date;
  t.after(() => { Date.now = now; });
  const s = await session({ url: hw.url, policy: { heartbeat_interval_ms: 200 } });
  const tool = s.tool('bash', async (n) => n);
  for (const jump of [0, 86_400_000, -86_400_000]) {
    Date.now = () => now() + jump;
    assert.equal(await tool(jump), jump);
    s.usage({ tokens: 1 });
    const beats = (await hw.session(s.id)).heartbeats;
    await until(async () => (await hw.session(s.id)).heartbeats > beats, 'heartbeats go on');
  }
  await s.end();
  const state = await hw.session(s.id);
  assert.deepEqual([state.tools.calls, state.used.tokens], [3, 3]);
  assert.ok((await hw.events(s.id)).filter(({ type }) => type === 'tool.finished').every(({ data }) => (data.duration_ms ?? 0) < 60_000));
});

for (const [name, reply] of [['half an answer', { text: '{"deny":' }], ['null', { text: 'null' }], ['a list', { text: '[1]' }], ['nothing', { text: '' }],
  ['a page', { text: '<html>', headers: { 'Content-Type': 'text/html' } }], ['400', { status: 400, json: { detail: 'no' } }], ['404', { status: 404 }],
  ['a redirection', { status: 302, headers: { Location: 'http://127.0.0.1:9/' } }]]) {
  test(`nonsense is no answer: ${name}`, async (t) => {
    const fake = await stand(() => reply);
    t.after(fake.close);
    const s = await session({ url: fake.url, goal: 'x' });
    assert.equal(await s.tool('bash', async () => 'x')(), 'x');
    await s.end();
  });
}

for (const text of ['', '{"deny":', 'null', '[]', '<html>']) {
  test(`what must not run unsupervised does not run on nonsense: ${text}`, async (t) => {
    const fake = await stand(() => ({ text }));
    t.after(fake.close);
    const s = await session({ url: fake.url, require: true });
    await assert.rejects(s.tool('bash', () => assert.fail('it ran'), { againMs: 100 })(), Denied);
    await assert.rejects(s.tool('bash', () => assert.fail('it ran'), { approval: true, require: false, againMs: 100 })(), Denied);
    await s.end();
  });
}

for (const json of [{ deny: true }, { deny: { a: 1 } }, { stop: 7 }, { deny: false }]) {
  test(`a refusal is one in any words: ${JSON.stringify(json)}`, async (t) => {
    const fake = await stand(({ body }) => ({ json: body?.event === 'pre' ? json : {} }));
    t.after(fake.close);
    const s = await session({ url: fake.url });
    await assert.rejects(s.tool('bash', () => assert.fail('it ran'))(), (error) => error instanceof Denied && /no text/.test(error.reason));
    assert.equal(s.stopped, null);
    await s.end();
  });
}

test('a person is asked about each call with `approval`: without a decision it does not run', async (t) => {
  const fake = await stand(() => ({ json: {} }));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  await assert.rejects(s.tool('bash', () => assert.fail('it ran'), { approval: true })(), Denied);
  await s.end();
});

test('an answer without end is not read to its end', async (t) => {
  const fake = await stand(({ body }) => (body?.event === 'pre' ? ['{"context":"', ...Array(200).fill('x'.repeat(65_536))] : {}));
  t.after(fake.close);
  const s = await session({ url: fake.url });
  const tool = s.tool('bash', async () => 'x');
  for (let n = 0; n < 3; ++n) assert.equal(await tool(), 'x');
  assert.equal(fake.hooks('pre').length, 1);
  await s.end();
});

const addresses = fs.readFileSync(new URL('../../../tests/support/daemon_urls.txt', import.meta.url), 'utf8').split('\n')
  .filter((line) => line && !line.startsWith('# ')).map((line) => line.split('\t'));

test('HEADWAY_URL is read as everywhere', () => {
  for (const [given, kind, normal = ''] of addresses) {
    const read = addressOf(given);
    const found = read === undefined ? ['wrong', ''] : [read.where.socketPath ? 'unix' : read.tls ? 'https' : 'http', read.shown];
    assert.deepEqual(found, [kind, normal], given);
  }
  const { where, prefix } = addressOf('HTTP://[::1]:7717/base/');
  assert.deepEqual([where, prefix], [{ host: '::1', port: 7717 }, '/base']);
});

test('a HEADWAY_URL that is none is said, without it', async () => {
  const said = new Promise((resolve) => { process.once('warning', resolve); });
  await session({ url: 'http://ana:s3cret@127.0.0.1:7717' });
  const { message } = await said;
  assert.match(message, /is no URL of a daemon; write http:\/\/HOST:PORT/);
  assert.doesNotMatch(message, /s3cret/);
});

for (const url of [...addresses.filter(([, kind]) => kind === 'wrong').map(([given]) => given), 'unix:/nowhere/at/all', 'http://127.0.0.1:1']) {
  test(`no daemon at ${url}`, async () => {
    const s = await session({ url });
    assert.equal(await s.tool('bash', async () => 'x')(), 'x');
    assert.equal(await s.ask('anybody?'), null);
    assert.equal((await s.approve('rm')).decided, false);
    await s.end();
  });
}
