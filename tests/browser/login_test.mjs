// SPDX-License-Identifier: Apache-2.0

// Logins: what a page sends in place of a token reaches only the daemon that issued it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Daemon, launch, until, visit } from './support.mjs';

let daemon, browser;
before(async () => {
  daemon = await new Daemon().start();
  await daemon.open('agent', { goal: 'work' });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await daemon?.close();
});

// Another server on 127.0.0.1, as an agent's preview is; what it was sent is in `seen`.
async function preview(port = 0, reply = (request, answer) => answer.end('<!doctype html><title>preview</title>')) {
  const seen = [];
  const server = http.createServer((request, answer) => {
    seen.push({ url: request.url, headers: request.headers });
    answer.setHeader('Content-Type', 'text/html');
    reply(request, answer);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { seen, url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}

const stored = (page) => page.evaluate(() => localStorage.getItem('login'));
const who = (page) => page.locator('.who').textContent();

test('another port of the machine gets no valid secret, and can read nothing', async () => {
  const { context, page } = await visit(browser, daemon);
  const secret = await stored(page);
  assert.match(secret, /^\w{20,}$/);
  assert.deepEqual(await context.cookies(), []);
  const other = await preview();
  await page.goto(other.url + '/x');
  assert.equal(await stored(page), null);
  assert.equal(other.seen.length > 0, true);
  assert.equal(JSON.stringify(other.seen).includes(secret), false);
  other.close();
  await context.close();
});

test('a file or a page of another server may lead to the login link, and logs its reader in', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-link-'));
  const leads = async () => `<!doctype html><meta http-equiv="refresh" content="0; url=${await daemon.loginUrl()}">`;
  fs.writeFileSync(path.join(folder, 'open.html'), await leads());
  const link = await leads();
  const other = await preview(0, (request, answer) => answer.end(link));
  for (const from of [`file://${folder}/open.html`, other.url]) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(from);
    await page.waitForSelector('.live');
    assert.match(await stored(page), /^\w{20,}$/);
    await context.close();
  }
  other.close();
  fs.rmSync(folder, { recursive: true });
});

test('a link that cannot be opened is pasted, whole or its code', async () => {
  for (const part of [(url) => url, (url) => url.replace(/^.*code=/, '')]) {
    const { context, page } = await visit(browser, daemon, { login: false });
    await page.goto(daemon.url + '/#/login');
    const field = page.getByLabel('The URL, or the code at its end');
    await field.fill('nonsense');
    await field.press('Enter');
    await page.locator('form .notice').waitFor();
    await field.fill(part(await daemon.loginUrl()));
    await field.press('Enter');
    await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
    assert.match(await stored(page), /^\w{20,}$/);
    await context.close();
  }
});

test('a logout in one tab logs out the others, and what was let in ends', async () => {
  const { context, page } = await visit(browser, daemon);
  const second = await context.newPage();
  await second.goto(daemon.url + '/#/login');
  await second.getByRole('button', { name: 'Log out' }).waitFor();
  const secret = await stored(second);
  await page.goto(daemon.url + '/#/login');
  await page.getByRole('button', { name: 'Log out' }).click();
  await second.getByText('On the machine where the daemon runs').waitFor();
  assert.equal(await stored(second), null);
  const me = await fetch(daemon.url + '/v1/me', { headers: { 'Headway-Login': secret } }).then((reply) => reply.json());
  assert.equal(me.logged_in, false);
  await context.close();
});

test('the address localhost leads to the one that a login counts for', async () => {
  const { context, page } = await visit(browser, daemon, { login: false });
  const url = (await daemon.loginUrl()).replace('127.0.0.1', 'localhost');
  await page.goto(url);
  await page.waitForFunction(() => localStorage.getItem('login'));
  assert.equal(new URL(page.url()).hostname, '127.0.0.1');
  await page.goto(`http://localhost:${daemon.port}/#/approvals`);
  assert.equal(page.url(), `${daemon.url}/#/approvals`);
  await context.close();
});

test('the next process on the port gets a worthless secret', async () => {
  const own = await new Daemon().start();
  const { context, page } = await visit(browser, own);
  const secret = await stored(page);
  await own.kill();
  const thief = await preview(own.port, (request, answer) => { answer.statusCode = 500; answer.end(); });
  await until(() => thief.seen.some(({ url }) => url.startsWith('/v1/')), 'the page asks the other process');
  thief.close();
  await own.start();
  const me = await fetch(own.url + '/v1/me', { headers: { 'Headway-Login': secret } }).then((reply) => reply.json());
  assert.equal(me.logged_in, false);
  await until(async () => (await who(page)).includes('Log in'), 'the page knows that it is logged out');
  assert.equal(await stored(page), null);
  await context.close();
  await own.close();
});
