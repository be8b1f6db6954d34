// SPDX-License-Identifier: Apache-2.0

// A daemon and a browser of its own for each test file. Nothing here sleeps for a fixed time: it waits until something is so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const BINARY = process.env.HEADWAY_BINARY || new URL('../../build/dev/headway', import.meta.url).pathname;
const SLOW = Number(process.env.HEADWAY_SLOW || 1);
export const LONG = process.env.HEADWAY_LONG === '1';
export const patient = (ms) => ms * SLOW;
// Bounds a failure, not a promise: beside other tests a machine of two slow cores needs several times what it needs alone. Times that are
// promised are measured where they are promised.
const PATIENCE_MS = 180000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 24 });

export class Daemon {
  constructor(settings = {}) {
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-browser-'));
    this.settings = settings;
    this.port = 0;
  }

  async start() {
    const ports = path.join(this.root, 'ports.json'), log = fs.openSync(path.join(this.root, 'log'), 'a');
    fs.rmSync(ports, { force: true });
    const flags = Object.entries(this.settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const config = path.join(this.root, 'headway.toml');
    fs.writeFileSync(config, '');
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(HEADWAY|XDG)_/.test(key)));
    this.process = spawn(BINARY, ['serve', '--listen', `127.0.0.1:${this.port}`, '--state-dir', path.join(this.root, 'state'), '--ports-file', ports, '--config', config, ...flags],
      { cwd: this.root, env, stdio: ['ignore', 'pipe', log] });
    const ended = once(this.process, 'exit').then(() => { throw new Error('the daemon did not start:\n' + this.log()); });
    await Promise.race([once(this.process.stdout, 'data'), ended]);
    ended.catch(() => {});
    this.process.stdout.resume();
    this.port = Number(JSON.parse(fs.readFileSync(ports)).http.split(':').pop());
    return this;
  }

  get url() { return `http://127.0.0.1:${this.port}`; }
  log() { return fs.readFileSync(path.join(this.root, 'log'), 'utf8'); }
  token() { return fs.readFileSync(path.join(this.root, 'state', 'operator.token'), 'utf8').trim(); }

  async kill() {
    const gone = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await gone;
  }

  async close() {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    fs.rmSync(this.root, { recursive: true, force: true });
  }

  // As an agent asks: text of the reply with its status; throws where the daemon does not answer.
  request(method, target, body, token) {
    return new Promise((done, fail) => {
      const data = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { ...(data !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(data) }), ...(token && { Authorization: 'Bearer ' + token }) };
      const request = http.request({ port: this.port, host: '127.0.0.1', method, path: target, headers, agent }, (reply) => {
        const parts = [];
        reply.on('data', (part) => parts.push(part)).on('error', fail).on('end', () => done({ status: reply.statusCode, headers: reply.headers, text: Buffer.concat(parts).toString() }));
      });
      request.on('error', fail).end(data);
    });
  }

  async call(method, target, body, token) {
    const reply = await this.request(method, target, body, token);
    if (reply.status >= 300) throw new Error(`${method} ${target}: ${reply.status} ${reply.text.slice(0, 400)}`);
    return reply.text ? JSON.parse(reply.text) : null;
  }
  get(target) { return this.call('GET', target); }
  open(id, body = {}) { return this.call('PUT', `/v1/sessions/${id}`, body); }
  report(id, ...events) { return this.call('POST', `/v1/sessions/${id}/events`, events); }
  ask(id, body) { return this.call('POST', `/v1/sessions/${id}/approvals`, body); }
  async loginUrl() { return (await this.call('POST', '/v1/login-codes', undefined, this.token())).url; }
}

// `work(item)` for every item, some at once.
export async function each(items, work, atOnce = 24) {
  const list = [...items].entries();
  await Promise.all(Array.from({ length: atOnce }, async () => { for (const [i, item] of list) await work(item, i); }));
}

export async function until(condition, what, ms = PATIENCE_MS) {
  const end = Date.now() + patient(ms);
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error('never came: ' + what);
    await new Promise((go) => { setTimeout(go, 20); });
  }
}

export function launch() {
  return chromium.launch({ executablePath: process.env.HEADWAY_CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'] });
}

// Duration of the bit of work below on the machine that the promised times were set on, with nothing else running there.
const REFERENCE_MS = 400;

// How much slower than that this machine is in this minute, at least 1, for times that are promised: enough plain work in the page for
// time in which the machine stands still to count as well.
export async function slowness(page) {
  const ms = await page.evaluate(() => {
    const begin = performance.now();
    let sum = 0;
    for (let i = 0; i < 100; i++) sum += JSON.stringify(JSON.parse(JSON.stringify(Array.from({ length: 4000 }, (_, k) => ({ id: `s${k}`, n: k * i }))))).length;
    return sum && performance.now() - begin;
  });
  return Math.max(1, ms / REFERENCE_MS);
}

// Begins to watch; what is returned tells whether the machine was ours since then. A hypervisor that gives our processors to others
// (steal, proc(5)) makes every task of ours as long as it likes, also in processor time: what is measured then says nothing about us.
export function machine() {
  const read = () => {
    const times = fs.readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].trim().split(/ +/).slice(1, 9).map(Number);
    return { all: times.reduce((sum, time) => sum + time, 0), stolen: times[7] };
  };
  const begin = read();
  return () => {
    const end = read();
    return end.stolen - begin.stolen < 0.05 * (end.all - begin.all);
  };
}

// A window of its own, with its own cookies; `login` with a one-time URL; `init` runs in each page before its scripts. Errors on its pages
// are in `trouble`.
export async function visit(browser, daemon, { login = true, init, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(patient(PATIENCE_MS));
  if (init) await context.addInitScript(init);
  const trouble = [];
  await context.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI)));
  context.on('weberror', (error) => trouble.push(String(error.error().stack || error.error())));
  context.on('console', (message) => { if (message.type() === 'error' && !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|status of (409|404)/.test(message.text())) trouble.push(message.text()); });
  context.on('dialog', (dialog) => { trouble.push('a script opened a dialog: ' + dialog.message()); dialog.dismiss(); });
  const page = await context.newPage();
  await page.goto(login ? await daemon.loginUrl() : daemon.url + '/');
  await page.waitForSelector('.live');
  const to = async (hash, ready) => { await page.goto(`${daemon.url}/${hash}`); if (ready) await page.waitForSelector(ready); };
  // A change of the hash is drawn after `goto` has returned, so two of them at once draw the last one only: a list that is opened next
  // would be the one before. The page that is left has cards of its own.
  return { context, page, trouble, to, leave: () => to('#/login', '.card:not(.approval)') };
}

export const tool = (name, args, more = {}) => ({ type: 'tool.finished', data: { tool: name, args, ...more } });
