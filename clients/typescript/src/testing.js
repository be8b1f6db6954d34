// SPDX-License-Identifier: Apache-2.0
// For test suites of agents: a daemon, a wait that says why it was in vain, and the timeline of sessions in a failed test. It works with
// any runner; no wait here has a limit of its own but that of the runner.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { addressOf, NO_ADDRESS } from './address.js';

const LAST = 12; // events in an error
const TIMELINE = 60; // events of a session in a failed test
const running = new Set();
const live = new Set(); // daemons that tests may look at
process.on('exit', () => { for (const child of running) child.kill('SIGKILL'); });

const short = (value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? '';
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

const lineOf = ({ n, at, type, data = {} }) => {
  const what = { 'session.started': () => short(data.goal ?? ''), 'tool.started': () => `${data.tool} ${short(data.args)}`,
    'tool.finished': () => `${data.tool} ${data.ok === false ? `FAILED ${short(data.error?.message)}` : short(data.result ?? '')}`,
    'verdict.changed': () => `${data.from} -> ${data.to}: ${data.reason}`,
    'directive.issued': () => `${data.kind}: ${short(data.reason)}`,
    message: () => `${data.role}: ${short(data.text)}`,
    'session.ended': () => `${data.outcome} ${short(data.reason)}` }[type];
  return `  #${String(n).padEnd(4)} ${String(at).slice(11, 23)} ${type.padEnd(19)} ${what ? what() : short(data)}`.trimEnd();
};

// A set stands for `completed`; another verdict has to be named itself.
const SETS = ['settled', 'ended'];
const isWanted = (verdict, until) => {
  const named = String(until).split(',').map((one) => one.trim());
  return verdict === 'completed' || !named.some((one) => SETS.includes(one)) || (named.includes(verdict) && !SETS.includes(verdict));
};

/** A wait that was met by another verdict than hoped for, or given up. */
export class WaitError extends Error {
  constructor(message, about) {
    super(message);
    this.name = 'WaitError';
    Object.assign(this, about);
  }
}

// Ends the daemon and takes its files away when this process is gone, however it went: its end of the pipe closes then.
const heir = (pid, folder) => {
  const watcher = spawn('/bin/sh', ['-c', 'while read -r _; do :; done; kill -9 "$0" 2>/dev/null; rm -rf "$1"', String(pid), folder],
    { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.on('error', () => {});
  watcher.stdin?.on('error', () => {});
  watcher.stdin?.unref?.();
  watcher.unref();
  return watcher;
};

class Daemon {
  #address;
  #token;
  #child;
  #heir;
  #folder;
  #begun;

  constructor({ url, token, child, folder }) {
    this.#address = addressOf(url);
    if (!this.#address) throw new Error(NO_ADDRESS);
    this.url = this.#address.shown;
    this.#token = token;
    this.#child = child;
    this.#folder = folder;
    if (child) this.#heir = heir(child.pid, folder);
    this.#begun = Date.now();
    this.operatorToken = undefined;
    live.add(this);
  }

  get pid() { return this.#child?.pid; }
  /** Where the files of its own daemon are. */
  get folder() { return this.#folder; }

  /** A request to the API; rejects where it is not 2xx. `signal` ends it. */
  request(method, target, body, { signal, token = this.#token, socketPath } = {}) {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const { tls, where, prefix } = this.#address;
      const headers = { ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}) };
      const asked = (tls ? https : http).request({ ...(socketPath ? { socketPath } : where), path: prefix + target, method, headers, signal }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const said = Buffer.concat(parts).toString();
          if (response.statusCode < 300 && !response.headers['x-headway']) return reject(new Error(`${method} ${target}: another program listens there, not Headway`));
          if (response.statusCode >= 300) return reject(new Error(`${method} ${target}: ${response.statusCode} ${short(said)}`));
          try {
            resolve(said ? JSON.parse(said) : undefined);
          } catch (error) {
            reject(error);
          }
        });
      });
      asked.on('error', reject);
      asked.end(text);
    });
  }

  /** The same as a person who may decide: over the socket of its own daemon, since its port may be another's once it has ended. */
  operator(method, target, body) {
    return this.request(method, target, body, this.#child ? { token: undefined, socketPath: path.join(this.#folder, 'state/headway.sock') } : {});
  }

  session(id) { return this.request('GET', `/v1/sessions/${encodeURIComponent(id)}`); }
  async events(id, last = 1000) {
    const { events } = await this.request('GET', `/v1/sessions/${encodeURIComponent(id)}/events?order=newest&limit=${last}`);
    return events.reverse();
  }

  /**
   * Until the session stands so; gives the reply of the wait. `until`: `settled` (default) and `ended` want `completed`, else a comma
   * list of verdicts. A session that is not there yet is waited for.
   */
  async wait(id, { until = 'settled', signal, mode = 'now', silentFor, openWithin } = {}) {
    const query = new URLSearchParams({ until, mode, wait: '55s', missing: 'wait', ...(silentFor ? { silent_for: silentFor } : {}),
      ...(openWithin ? { open_within: openWithin } : {}) });
    for (;;) {
      signal?.throwIfAborted();
      const reply = await this.request('GET', `/v1/sessions/${encodeURIComponent(id)}/wait?${query}`, undefined, { signal });
      if (reply.met && isWanted(reply.matched, until)) return reply;
      if (reply.met || reply.impossible) throw await this.#inVain(id, until, reply);
    }
  }

  async #inVain(id, until, reply) {
    const events = await this.events(id, LAST).catch(() => []);
    const how = reply.impossible ? `it cannot be any more (${reply.cause})` : `it is ${reply.matched}`;
    const verdict = reply.verdict ? `\n  verdict: ${reply.verdict.status}: ${reply.verdict.reason}` : '';
    return new WaitError(`session ${id} should have been ${until === 'settled' || until === 'ended' ? 'completed' : until}; ${how}${verdict}`
      + `\n  its last events:\n${events.map(lineOf).join('\n')}`, { session: id, verdict: reply.verdict, cause: reply.cause, events });
  }

  /** Events in sessions that were opened since, as text. */
  async timeline(since = this.#begun) {
    const { sessions } = await this.request('GET', '/v1/sessions?limit=10');
    const mine = sessions.filter(({ opened_at: at }) => Date.parse(at) >= since - (this.#child ? 0 : 1000)); // clocks differ
    const parts = await Promise.all(mine.map(async ({ id, verdict, goal }) => {
      const events = await this.events(id, TIMELINE);
      return `session ${id}: ${verdict.status}${goal ? `, "${short(goal)}"` : ''}\n${events.map(lineOf).join('\n')}`;
    }));
    return parts.join('\n\n');
  }

  /** Stops the daemon that was started for this, and takes its files away. */
  async stop() {
    live.delete(this);
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    this.#heir.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) {
      child.ref();
      const gone = new Promise((resolve) => { child.once('exit', resolve); });
      child.kill('SIGTERM');
      await gone;
    }
    running.delete(child);
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() { await this.stop(); }
}

const started = (child, log) => new Promise((resolve, reject) => {
  const fail = (why) => reject(new Error(`headway did not start: ${why}\n${fs.existsSync(log) ? fs.readFileSync(log, 'utf8').slice(-2000) : ''}`));
  child.once('error', (error) => fail(error.code === 'ENOENT'
    ? 'no program; install it, or name it with HEADWAY_BINARY' : error.message));
  child.once('exit', (code, signal) => fail(`it ended with ${code ?? signal}`));
  child.stdout.once('data', () => { child.removeAllListeners('exit'); resolve(); });
});

/**
 * A daemon of its own on a free port, with its files in a folder that goes away; or that of HEADWAY_URL. `settings` are those of the
 * configuration, as `{'approvals.require_tools': 'deploy'}`.
 */
export const startHeadway = async ({ url = process.env.HEADWAY_URL, token = process.env.HEADWAY_TOKEN, binary, settings = {}, args = [] } = {}) => {
  if (url) return new Daemon({ url, token });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-test-'));
  const ports = path.join(folder, 'ports.json');
  const log = path.join(folder, 'log');
  const output = fs.openSync(log, 'a');
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEADWAY_')));
  const child = spawn(binary ?? (process.env.HEADWAY_BINARY || 'headway'), ['serve', '--listen', '127.0.0.1:0', '--state-dir',
    path.join(folder, 'state'), '--ports-file', ports, ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]), ...args],
  { stdio: ['ignore', 'pipe', output], env: environment });
  fs.closeSync(output);
  running.add(child);
  try {
    await started(child, log);
  } catch (error) {
    running.delete(child);
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  child.unref();
  child.stdout.resume();
  child.stdout.unref?.();
  const daemon = new Daemon({ url: `http://${JSON.parse(fs.readFileSync(ports, 'utf8')).http}`, child, folder });
  const operator = path.join(folder, 'state/operator.token');
  if (fs.existsSync(operator)) daemon.operatorToken = fs.readFileSync(operator, 'utf8').trim();
  return daemon;
};

const withTimeline = async (thrown, since) => {
  const parts = await Promise.all([...live].map((daemon) => daemon.timeline(since).catch(() => '')));
  const text = parts.filter(Boolean).join('\n\n');
  if (!text) return thrown;
  const error = thrown instanceof Error && Object.isExtensible(thrown) ? thrown : new Error(String(thrown), { cause: thrown });
  const words = `\n\nHeadway saw:\n${text}`;
  const head = error.message;
  try {
    error.message = head + words;
    if (typeof error.stack === 'string' && !error.stack.includes('Headway saw:')) error.stack = error.stack.replace(head, () => head + words);
  } catch {
    // an error that cannot be changed stays as it is
  }
  return error;
};

/** The body of a test, for any runner: where it fails, the error shows what has happened in its sessions. */
export const supervised = (body) => async function supervisedTest() { // no parameters: jest takes one for a callback
  const since = Date.now();
  try {
    return await body.apply(this, arguments);
  } catch (error) {
    throw await withTimeline(error, since);
  }
};
