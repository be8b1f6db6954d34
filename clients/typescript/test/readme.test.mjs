// SPDX-License-Identifier: Apache-2.0
// The first example of the README, as it stands there, in a folder that has installed the package.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startHeadway } from '../src/testing.js';

const home = fileURLToPath(new URL('..', import.meta.url));
const readme = fs.readFileSync(path.join(home, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```js ?([\w-]*)\n([^]*?)^```/gm)].map(([, name, text]) => ({ name, text }));
let hw;
let folder;
before(async () => {
  hw = await startHeadway({ url: '' });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-test-'));
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(home, path.join(folder, 'node_modules/headway-agent'));
});
after(async () => {
  fs.rmSync(folder, { recursive: true });
  await hw.stop();
});

const runs = (url) => {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEADWAY_')));
  const began = performance.now();
  const done = spawnSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8', env: { ...environment, HEADWAY_URL: url } });
  return { ...done, ms: performance.now() - began };
};

test('the example has at most 20 lines, and its loop is supervised', async () => {
  const [{ name, text }] = blocks;
  assert.equal(name, '');
  assert.ok(text.trim().split('\n').length <= 20);
  fs.writeFileSync(path.join(folder, 'example.mjs'), text);
  const { status, stdout, stderr, ms } = runs(hw.url);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /turn 1: make test: 2 tests failed\n[^]*turn \d: Headway supervises this session and says:\n[^]*turn 6/);
  const { sessions } = await hw.request('GET', '/v1/sessions');
  assert.deepEqual(sessions.map(({ goal, outcome }) => [goal, outcome]), [['make the tests pass', 'completed']]);
  assert.ok(ms < 20_000);
});

test('without a daemon the example does the same, without advice', () => {
  const { status, stdout, stderr } = runs('http://127.0.0.1:9');
  assert.equal(status, 0, stderr);
  assert.equal(stdout, Array.from({ length: 6 }, (_, i) => `turn ${i + 1}: make test: 2 tests failed\n`).join(''));
});

test('every other example can be parsed, and what it imports is there', async () => {
  for (const { name, text } of blocks.slice(1)) {
    fs.writeFileSync(path.join(folder, 'other.mjs'), text);
    const parsed = spawnSync(process.execPath, ['--check', 'other.mjs'], { cwd: folder, encoding: 'utf8' });
    assert.equal(parsed.status, 0, `${name}: ${parsed.stderr}`);
    const [, names, from] = /import \{ (.*) \} from '(.*)'/.exec(text);
    if (from.endsWith('/langchain') || !from.startsWith('headway-agent')) continue; // which imports LangChain, or is not ours
    const module = await import(path.join(home, 'src', `${path.basename(from)}.js`));
    for (const one of names.split(', ')) assert.equal(typeof module[one], 'function', `${from}: ${one}`);
  }
});

test('types and program have the same names', async () => {
  for (const file of fs.readdirSync(path.join(home, 'src')).filter((one) => one.endsWith('.d.ts') && !one.startsWith('langchain'))) {
    const types = fs.readFileSync(path.join(home, 'src', file), 'utf8');
    const module = await import(path.join(home, 'src', file.replace('.d.ts', '.js')));
    const declared = [...types.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, name]) => name);
    for (const name of declared) assert.equal(typeof module[name], 'function', `${file}: ${name}`);
    for (const name of Object.keys(module)) assert.match(types, new RegExp(`\\b${name}\\b`), `${file}: ${name}`);
  }
  const types = fs.readFileSync(path.join(home, 'src/index.d.ts'), 'utf8');
  const { Session } = await import('../src/index.js');
  const body = /^export class Session [^]*?^}/m.exec(types)[0];
  for (const name of Object.getOwnPropertyNames(Session.prototype).filter((one) => !['hook', 'held', 'there', 'inOrder'].includes(one)))
    assert.match(body, new RegExp(`\\b${name}\\b`), name);
  const s = new Session({ url: 'http://127.0.0.1:9', heartbeats: false });
  for (const [, name] of body.matchAll(/^ {2}(?:readonly )?(\w+)[(<:]/gm)) assert.ok(name === 'constructor' || name in s, name);
});
