// SPDX-License-Identifier: Apache-2.0
// Actions of careless and hostile users.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { Denied, Stop, run, session } from '../src/index.js';
import { tools } from '../src/ai-sdk.js';
import { startHeadway } from '../src/testing.js';
import { stand, until } from './stand.mjs';

let hw;
const SLOW = Number(process.env.HEADWAY_TEST_SLOW) || 1;
const rejections = [];
before(async () => {
  process.on('unhandledRejection', (error) => rejections.push(error));
  process.on('warning', (warning) => { if (warning.name !== 'HeadwayWarning') rejections.push(warning); });
  hw = await startHeadway({ url: '', settings: { 'approvals.require_tools': 'deploy' } });
});
after(async () => {
  await hw.stop();
  assert.deepEqual(rejections, []);
});

const index = new URL('../src/index.js', import.meta.url).href;
// A program of a user to its end: how it ended, and how long that took.
const program = (text, options = {}) => {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEADWAY_')));
  const began = performance.now();
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', `import * as headway from '${index}';\n${text}`],
    { encoding: 'utf8', env: { ...environment, HEADWAY_URL: hw.url }, timeout: 60_000, ...options });
  return { ...done, ms: performance.now() - began };
};

test('a program whose session is never ended ends by itself', async () => {
  const { status, stdout, stderr, ms } = program(`const s = await headway.session({ goal: 'forgotten' }); await s.tool('bash', () => 'x')(); s.usage({ tokens: 1 });
    console.log(s.id);`);
  assert.deepEqual([status, stderr], [0, '']);
  assert.ok(ms < 10_000);
  await until(async () => (await hw.session(stdout.trim())).outcome, 'the daemon sees that the process is gone');
});

test('a program ends by itself, also where no daemon is, or one that hangs', async (t) => {
  const fake = await stand(() => null);
  t.after(fake.close);
  for (const url of ['http://127.0.0.1:9', fake.url]) {
    const { status, stdout, ms } = program(`const s = await headway.session({ goal: 'x', url: '${url}', silenceMs: 500 }); console.log(await s.tool('bash', () => 'x')()); await s.end();`,
      { env: process.env });
    assert.deepEqual([status, stdout], [0, 'x\n']);
    assert.ok(ms < 15_000, `${ms} ms`);
  }
});

test('process.exit() in a held call', () => {
  const { status, ms } = program(`const s = await headway.session(); s.tool('deploy', () => console.log('ran'))(); setTimeout(() => process.exit(7), 500);`);
  assert.equal(status, 7);
  assert.ok(ms < 10_000);
});

test('a call that is not awaited is made all the same', async () => {
  const { status, stdout } = program(`const s = await headway.session({ id: 'unawaited' }); s.tool('bash', async () => { console.log('ran'); })();`);
  assert.deepEqual([status, stdout], [0, 'ran\n']);
});

test('an exception that is not caught is that of the tool', () => {
  const { status, stderr } = program(`await headway.run({}, (s) => s.tool('bash', () => { throw new RangeError('mine'); })());`);
  assert.equal(status, 1);
  assert.match(stderr, /RangeError: mine/);
});

test('sessions in workers', () => {
  const { status, stdout, stderr } = program(`import { Worker, isMainThread } from 'node:worker_threads';
    const text = \`import('${index}').then(async (h) => { const s = await h.session({ goal: 'w' }); console.log(await s.tool('bash', (n) => n + 1)(1)); await s.end(); })\`;
    await Promise.all([1, 2, 3].map(() => new Promise((resolve, reject) => new Worker(text, { eval: true }).on('exit', resolve).on('error', reject))));`);
  assert.deepEqual([status, stdout, stderr], [0, '2\n2\n2\n', '']);
});

test('tools that give streams, promises of promises, proxies, themselves', async () => {
  const s = await session({ url: hw.url });
  const stream = new ReadableStream({ start(controller) { controller.enqueue('x'); controller.close(); } });
  const response = new Response('body');
  const self = {};
  self.self = self;
  const trap = new Proxy({}, { get() { throw new Error('trap'); }, ownKeys() { throw new Error('trap'); }, getPrototypeOf() { throw new Error('trap'); } });
  for (const value of [stream, response, self, null, undefined, 0, '', NaN, 10n, Symbol('x'), () => 1, new Map([[self, self]]), Buffer.alloc(5e6), 'x'.repeat(3e6)])
    assert.equal(await s.tool('odd', () => value)(value, self), value === trap ? undefined : value);
  assert.equal(await response.text(), 'body');
  assert.equal((await stream.getReader().read()).value, 'x');
  await s.tool('trap', () => 1)({ trap });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  await s.tool('revoked', () => 1)(revoked.proxy, [revoked.proxy]);
  for (const thrown of [null, undefined, 0, 'text', { message: 1n }, trap, revoked.proxy, Object.freeze(new Error('x')), new AggregateError([1], 'many')]) {
    let seen = 'nothing';
    try { await s.tool('throws', () => { throw thrown; })(); } catch (error) { seen = error; }
    assert.ok(Object.is(seen, thrown));
  }
  await s.end();
});

test('names, ids and options of any kind', async () => {
  for (const options of [{ goal: 5 }, { goal: 'x'.repeat(1e6) }, { labels: { '': 'x' } }, { labels: 7 }, { budget: { max_steps: 1e9 } }, { budget: 'all' }, { policy: { nonsense: 1 } },
    { id: '../../../etc' }, { id: '' }, { id: 7 }, { agent: { type: 'x'.repeat(9999) } }, { agent: 7 }, { parent: 'no such one' }, { token: 'a\r\nX: y' }, { url: '' }, { url: 5 }]) {
    const s = await session({ url: hw.url, ...options });
    assert.equal(await s.tool('x', () => 1)(), 1, JSON.stringify(options).slice(0, 80));
    await s.end();
  }
  const s = await session({ url: hw.url });
  for (const name of ['', 'x'.repeat(5000), '\0', '\ud800', '__proto__', 7, null, Symbol('x')]) assert.equal(await s.call(name, {}, () => 1), 1);
  for (const [type, data] of [['nonsense', {}], ['heartbeat', { nonsense: 1 }], ['message', null], ['heartbeat', { usage: { tokens: -1 } }], ['tool.finished', undefined]]) s.report(type, data);
  s.usage(null);
  s.usage({ tokens: 11 });
  s.usage({ tokens: NaN });
  s.said(undefined);
  await s.flush();
  assert.equal((await hw.session(s.id)).used.tokens, 11, 'what is wrong takes nothing else with it');
  await s.end();
  await s.end();
  s.report('heartbeat');
  assert.equal(await s.tool('late', () => 1)().catch((error) => (error instanceof Stop ? 'stop' : error)), 1);
});

test('ten thousand reports in a row: a bounded queue, and those that are taken count once', async () => {
  const s = await session({ url: hw.url });
  for (let i = 0; i < 10_000; ++i) s.usage({ tokens: 1 });
  assert.ok(s.pending <= 512);
  await s.flush(20_000);
  assert.equal((await hw.session(s.id)).used.tokens + s.lost, 10_000);
  await s.end();
});

test('a thousand sessions without a daemon leave nothing behind', async () => {
  for (let i = 0; i < 1000; ++i) await run({ url: 'http://127.0.0.1:9' }, (s) => s.tool('x', () => i)());
  const timers = process.getActiveResourcesInfo?.().filter((name) => name === 'Timeout').length ?? 0;
  assert.ok(timers < 10, `${timers} timers keep it alive`);
});

test('aborted before it begins, in parallel with others, and after its end', async () => {
  const s = await session({ url: hw.url });
  const controller = new AbortController();
  controller.abort(new Error('early'));
  let ran = 0;
  await assert.rejects(s.call('bash', {}, () => ++ran, { signal: controller.signal }), /early/);
  assert.equal(ran, 0);
  const late = new AbortController();
  const calls = Array.from({ length: 40 }, (_, i) => s.call('deploy', { i }, () => ++ran, { signal: late.signal }));
  setTimeout(() => late.abort(new Error('all of you')), 300);
  const ended = await Promise.allSettled(calls);
  assert.ok(ended.every(({ reason }) => reason?.message === 'all of you' || reason instanceof Denied), JSON.stringify(ended[0]));
  assert.equal(ran, 0);
  assert.equal(s.away, false, 'an abort of the user says nothing about the daemon');
  const { signal } = late;
  assert.equal(await s.call('bash', {}, () => 1), 1);
  assert.ok(signal.aborted);
  await s.end();
});

test('two hundred held calls hold no others up', async () => {
  const s = await session({ url: hw.url });
  const stop = new AbortController();
  const held = Array.from({ length: 200 }, (_, i) => s.call('deploy', { i }, () => assert.fail('it ran'), { signal: stop.signal }));
  const ended = Promise.allSettled(held);
  await new Promise((resolve) => { setTimeout(resolve, 500); });
  const began = performance.now();
  assert.equal(await s.tool('bash', () => 1)(), 1);
  assert.ok(performance.now() - began < 1_900 * SLOW);
  stop.abort();
  await ended;
  await s.end();
});

test('a connection that was closed while it rested is no daemon that is away', async (t) => {
  const fake = await stand(({ body }) => ({ json: body?.event === 'pre' ? { deny: 'heard' } : {} }));
  t.after(fake.close);
  const used = new WeakSet();
  fake.server.prependListener('request', ({ socket }) => { if (used.has(socket)) socket.destroy(); else used.add(socket); });
  const s = await session({ url: fake.url });
  const tool = s.tool('bash', () => assert.fail('it ran'));
  for (let i = 0; i < 5; ++i) await assert.rejects(tool(), /heard/);
  assert.equal(s.away, false);
  await s.end();
});

test('tools of the AI SDK with preliminary results', async () => {
  const s = await session({ url: hw.url });
  async function* values() { yield 1; yield 2; }
  const wrapped = tools(s, { generator: { execute: values }, plain: { execute: () => values() }, none: { description: 'the provider runs it' } });
  const seen = [];
  for await (const value of wrapped.generator.execute({ a: 1 }, { toolCallId: 'c0', messages: ['private'] })) seen.push(value);
  assert.deepEqual([seen, await wrapped.plain.execute({}, { toolCallId: 'c1' }), wrapped.none.execute], [[1, 2], 2, undefined]);
  await s.end();
  const { events } = await hw.operator('GET', `/v1/sessions/${s.id}/events?types=tool.finished`);
  assert.deepEqual(events.map(({ data }) => [data.call_id, data.args]), [['c0', { a: 1 }], ['c1', {}]]);
});

test('a tool in a tool, and a session in a session', async () => {
  const s = await session({ url: hw.url });
  const inner = s.tool('inner', async (n) => n * 2);
  const outer = s.tool('outer', async (n) => (await inner(n)) + 1);
  assert.equal(await outer(3), 7);
  assert.equal(await s.run((one) => one.child().then((child) => child.run(() => 'both'))), 'both');
});

test('a daemon that lies about its types', async (t) => {
  const lies = { budget: 7, verdict: 'x', directives: [null, 7, { type: 'stop' }, { type: 'stop', id: { a: 1 } }], next_heartbeat_ms: -1, ended_at: 5, code: [], deny: '', stop: '' };
  const fake = await stand(() => ({ json: lies }));
  t.after(fake.close);
  const s = await session({ url: fake.url, goal: 'x', budget: { max_steps: 5 } });
  assert.equal(await s.tool('x', () => 1)(), 1);
  assert.equal(s.budgetBlock(), '');
  s.usage({ tokens: 1 });
  await s.flush();
  await s.end();
});
