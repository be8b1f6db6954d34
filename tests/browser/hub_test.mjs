// SPDX-License-Identifier: Apache-2.0

// The hub of the page and a stream that names where it goes on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

let folder, Hub, asked;
before(async () => {
  // The modules of web/ have no package around them that tells node what they are.
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-hub-'));
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['hub.js', 'api.js', 'fold.js', 'format.js', 'stream.js'])
    fs.copyFileSync(new URL(`../../web/${name}`, import.meta.url), path.join(folder, name));
  globalThis.setInterval = () => 0; // flush() is called here
  ({ Hub } = await import(path.join(folder, 'hub.js')));
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
  return { made, told };
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
