// SPDX-License-Identifier: Apache-2.0
// The helper for test suites, with node's own runner.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { session } from '../src/index.js';
import { WaitError, startHeadway, supervised } from '../src/testing.js';
import { until } from './stand.mjs';

let hw;
before(async () => { hw = await startHeadway({ url: '' }); });
after(() => hw.stop());

test('a wait for a session that is not there yet, until it has completed', async () => {
  const waiting = hw.wait('later');
  const s = await session({ url: hw.url, token: '', id: 'later' });
  await s.tool('bash', () => 'x')();
  await s.end();
  assert.equal((await waiting).verdict.status, 'completed');
});

test('a wait that ends otherwise says verdict, reason and the last events', async () => {
  const s = await session({ url: hw.url, token: '', goal: 'fail' });
  await s.tool('bash', () => 'x')({ command: 'make' });
  await s.fail(new Error('no luck'));
  await assert.rejects(hw.wait(s.id), (error) => {
    assert.ok(error instanceof WaitError);
    assert.match(error.message, /should have been completed; it is failed\n {2}verdict: failed: Error: no luck\n[^]*tool\.started +bash \{"command":"make"\}/);
    assert.equal(error.verdict.status, 'failed');
    return error.events.at(-1).type === 'verdict.changed';
  });
  await assert.rejects(hw.wait(s.id, { until: 'stuck' }), /it cannot be any more \(ended\)/);
  for (const until of ['settled,ended', ['settled'], 'ended,stuck']) await assert.rejects(hw.wait(s.id, { until }));
  assert.equal((await hw.wait(s.id, { until: 'failed' })).matched, 'failed');
  assert.equal((await hw.wait(s.id, { until: 'settled,failed' })).matched, 'failed');
});

test('a wait ends by a signal', async () => {
  await assert.rejects(hw.wait('never', { signal: AbortSignal.timeout(200) }));
});

test('a failed test shows what has happened in its sessions, and no others', async () => {
  await (await session({ url: hw.url, token: '', goal: 'of another test' })).end();
  await new Promise((resolve) => { setTimeout(resolve, 20); });
  const body = supervised(async () => {
    const s = await session({ url: hw.url, token: '', goal: 'of this test' });
    await s.tool('bash', () => { throw new Error('boom'); })({ command: 'make' }).catch(() => {});
    assert.equal(1, 2, 'one is not two');
  });
  assert.equal(body.length, 0);
  await assert.rejects(body, (error) => {
    assert.match(error.message, /^one is not two\n[^]*\nHeadway saw:\nsession ts-[^]*"of this test"[^]*FAILED Error: boom/);
    assert.match(error.stack, /Headway saw/);
    assert.doesNotMatch(error.message, /of another test/);
    return error instanceof assert.AssertionError;
  });
  await assert.rejects(supervised(() => { throw Object.freeze(new Error('frozen')); }), /frozen/);
  assert.equal(await supervised((n) => n + 1)(1), 2);
});

test('no program, or one that does not start, is an error with the reason', async () => {
  await assert.rejects(startHeadway({ url: '', binary: '/nowhere/headway' }), /HEADWAY_BINARY/);
  await assert.rejects(startHeadway({ url: '', settings: { nonsense: 1 } }), /did not start[^]*nonsense/);
});

test('HEADWAY_URL is used as it is', async () => {
  const other = await startHeadway({ url: hw.url });
  assert.equal(other.pid, undefined);
  await other.stop();
  assert.equal((await hw.request('GET', '/v1/sessions?limit=1')).sessions.length, 1);
});

const gone = (pid) => until(() => !fs.existsSync(`/proc/${pid}`) || /\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')), 'the daemon is gone');

test('a daemon goes with a process that is killed, and so do its files', async () => {
  const script = `import { startHeadway } from ${JSON.stringify(new URL('../src/testing.js', import.meta.url).href)};
    const hw = await startHeadway({ url: '' }); console.log(JSON.stringify([hw.pid, hw.folder])); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid, folder] = JSON.parse(await new Promise((resolve) => { child.stdout.once('data', (text) => resolve(String(text))); }));
  assert.ok(fs.existsSync(folder));
  child.kill('SIGKILL');
  await gone(pid);
  await until(() => !fs.existsSync(folder), 'its files are gone');
});

test('a daemon goes with its process, and its files with stop()', async () => {
  const script = `import { startHeadway } from ${JSON.stringify(new URL('../src/testing.js', import.meta.url).href)};
    const hw = await startHeadway({ url: '' }); console.log(hw.pid);`;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  await gone(Number(done.stdout));
});
