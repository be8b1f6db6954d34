// SPDX-License-Identifier: Apache-2.0

// The files of web/: vendored ones are what they say, and all of it together weighs little.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { Daemon } from './support.mjs';

const WEB = new URL('../../web/', import.meta.url);
const RAW_MAX = 210 * 1024, GZIP_MAX = 84 * 1024;

let daemon;
before(async () => { daemon = await new Daemon().start(); });
after(() => daemon.close());

test('vendored files have the checksums of VENDOR.md, and licences', () => {
  const rows = [...fs.readFileSync(new URL('VENDOR.md', WEB), 'utf8').matchAll(/^\| `(\S+)` \|.*\| ([^|]*) \| `([0-9a-f]{64})` \|$/gm)];
  assert.deepEqual(rows.map(([, name]) => name), ['preact.js', 'uplot.js']);
  for (const [, name, licences, sum] of rows) {
    assert.equal(createHash('sha256').update(fs.readFileSync(new URL(name, WEB))).digest('hex'), sum, name);
    for (const [, licence] of licences.matchAll(/`(\S+)`/g)) assert.ok(fs.existsSync(new URL(licence, WEB)), licence);
  }
});

test('the page with everything weighs at most 210 KB, 84 KB compressed', async () => {
  const fetchRaw = async (path, encoding) => {
    const reply = await fetch(daemon.url + path, { headers: { 'Accept-Encoding': encoding } });
    return { status: reply.status, size: Number(reply.headers.get('content-length')), encoding: reply.headers.get('content-encoding'), text: await reply.text() };
  };
  const page = await fetchRaw('/', 'identity');
  const folder = page.text.match(/\/assets\/[0-9a-f]+\//)[0];
  const weights = { raw: page.size, gzip: (await fetchRaw('/', 'gzip')).size };
  // Files that are read, followed from the page through every import.
  const names = new Set([...page.text.matchAll(/\/assets\/[0-9a-f]+\/([\w.]+)/g)].map((match) => match[1]));
  for (const name of names) {
    const whole = await fetchRaw(folder + name, 'identity');
    assert.equal(whole.status, 200, name);
    const packed = await fetchRaw(folder + name, 'gzip');
    assert.equal(packed.text, whole.text, name);
    weights.raw += whole.size;
    weights.gzip += packed.size;
    if (name.endsWith('.js') && name !== 'uplot.js') for (const [, next] of whole.text.matchAll(/['"]\.\/([\w.]+)['"]/g)) names.add(next);
  }
  console.log(`${names.size} files: ${weights.raw} bytes, ${weights.gzip} compressed`);
  assert.ok(['uplot.js', 'worker.js', 'style.css'].every((name) => names.has(name)), [...names].join(' '));
  assert.ok(weights.raw <= RAW_MAX, `${weights.raw} > ${RAW_MAX}`);
  assert.ok(weights.gzip <= GZIP_MAX, `${weights.gzip} > ${GZIP_MAX}`);
});

test('no script or style stands in the page itself, and nothing comes from elsewhere', () => {
  const page = fs.readFileSync(new URL('index.html', WEB), 'utf8');
  assert.doesNotMatch(page, /<script(?![^>]*src=)|<style|style=|\son\w+=|https?:/);
});
