// SPDX-License-Identifier: Apache-2.0

// The hub of the page: a stream that names where it goes on, one in which nothing comes, and pages that come back.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

let folder, Hub, openStream, get, post, asked;
before(async () => {
  // The modules of web/ have no package around them that tells node what they are.
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-hub-'));
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['hub.js', 'api.js', 'fold.js', 'format.js', 'stream.js'])
    fs.copyFileSync(new URL(`../../web/${name}`, import.meta.url), path.join(folder, name));
  globalThis.setInterval = () => 0; // flush() is called here
  ({ Hub } = await import(path.join(folder, 'hub.js')));
  ({ get, post } = await import(path.join(folder, 'api.js')));
  ({ openStream } = await import(path.join(folder, 'stream.js')));
});
after(() => fs.rmSync(folder, { recursive: true }));

// A hub with one page, which has a row on its screen and has seen the stream up to 7.
function hub() {
  const made = new Hub(), told = [];
  asked = 0;
  made.askOverview = () => { ++asked; };
  made.start = () => {};
  const port = { send: (message) => told.push(message) };
  made.join(port);
  made.rows.set('a', { id: 'a', n: 3 });
  made.heads.set('a', 3);
  made.ports.get(port).watch.add('a');
  made.last = '7';
  told.length = 0;
  return { made, port, told };
}
const reset = (from) => ({ data: JSON.stringify({ reason: 'why', oldest: 100, from }) });

test('a stream that goes on from where it was drops nothing, and lists are read again', () => {
  const { made, told } = hub();
  made.reset(reset(7));
  made.flush();
  assert.deepEqual(told, [{ fresh: true }]);
  assert.equal(made.rows.size, 1);
  assert.equal(made.heads.get('a'), 3);
  assert.equal(asked, 1);
});

test('after a stream that went back everything is read again', () => {
  const { made, told } = hub();
  made.reset(reset(5));
  assert.deepEqual(told, [{ reset: true }]);
  assert.equal(made.rows.size + made.heads.size, 0);
  assert.equal(asked, 1);
});

const settled = () => new Promise((done) => { setImmediate(done); });

test('a browser without AbortSignal.timeout() and any() still reaches the daemon', async (t) => {
  const { any, timeout } = AbortSignal;
  t.after(() => Object.assign(AbortSignal, { any, timeout }));
  t.mock.method(globalThis, 'fetch', async () => new Response('{"a":1}'));
  for (const known of [{ any: undefined }, { timeout: undefined }]) {
    Object.assign(AbortSignal, { any, timeout }, known);
    assert.deepEqual(await post('/v1/x', {}), { a: 1 });
    assert.deepEqual(await get('/v1/x', { signal: new AbortController().signal }), { a: 1 });
  }
});

test('a stream is over when nothing has come for longer than two comments of the daemon', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let body, ended = 0;
  t.mock.method(globalThis, 'fetch', async (path, { signal }) => new Response(new ReadableStream({
    start(controller) {
      body = controller;
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  })));
  const events = [];
  openStream('/v1/stream', (event) => events.push(event.data), () => { ended++; });
  await settled();
  for (let i = 0; i < 5; i++) {
    body.enqueue(new TextEncoder().encode(i ? ': \n\n' : 'id: 1\ndata: one\n\n'));
    await settled();
    t.mock.timers.tick(30000);
    await settled();
  }
  assert.deepEqual([events, ended], [['one'], 0]);
  t.mock.timers.tick(15000);
  await settled();
  assert.equal(ended, 1);
});

test('a daemon that does not answer at all ends the stream, and a stream that was closed ends once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(globalThis, 'fetch', (path, { signal }) => new Promise((done, fail) => { signal.addEventListener('abort', () => fail(signal.reason)); }));
  let ended = 0;
  openStream('/v1/stream', () => {}, () => { ended++; });
  t.mock.timers.tick(45000);
  await settled();
  assert.equal(ended, 1);
  openStream('/v1/stream', () => {}, () => { ended++; }).close();
  t.mock.timers.tick(45000);
  await settled();
  assert.equal(ended, 1);
});

test('a page that the hub forgot during a sleep is asked what it follows, and nothing is live meanwhile', () => {
  const { made, port, told } = hub();
  made.receive(port, { watch: [], follow: 'a', login: '' });
  made.setLink('live');
  made.ports.get(port).seen -= 300000;
  made.flush();
  assert.equal(made.ports.size, 0);
  assert.equal(made.link.state, 'connecting');
  told.length = 0;
  made.receive(port, {});
  assert.deepEqual([told.at(-1), told[0].link.state], [{ forgot: true }, 'connecting']);
  told.length = 0;
  made.receive(port, { watch: [{ id: 'b', n: 1 }], follow: 'b', login: '' });
  assert.deepEqual(told, []);
  assert.equal(made.ports.get(port).follow, 'b');
});

test('a page that has just come is asked nothing', () => {
  const { made } = hub(), told = [];
  made.receive({ send: (message) => told.push(message) }, { watch: [], follow: null, login: '' });
  assert.ok(told.length > 0 && told.every((message) => !message.forgot));
});

test('a request without an answer fails, also where the answer stops in its middle', async (t) => {
  const limits = [];
  t.mock.method(AbortSignal, 'timeout', () => {
    limits.push(new AbortController());
    return limits.at(-1).signal;
  });
  const silent = (signal) => new Promise((done, fail) => { signal.addEventListener('abort', () => fail(signal.reason)); });
  for (const answer of [(signal) => silent(signal), async (signal) => ({ ok: true, status: 200, text: () => silent(signal) })]) {
    t.mock.method(globalThis, 'fetch', (path, { signal }) => answer(signal));
    const failed = post('/v1/approvals/a.a1/decision', {}).catch((error) => error);
    await settled();
    limits.at(-1).abort(new DOMException('late', 'TimeoutError'));
    const { message, status } = await Promise.race([failed, settled().then(settled).then(() => ({}))]);
    assert.deepEqual([message, status], ['The daemon does not answer.', 0]);
  }
});
