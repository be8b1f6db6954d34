// SPDX-License-Identifier: Apache-2.0
// One daemon, by HTTP. Nothing here throws; a daemon that is away is asked again in the background, and no call waits for it.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { addressOf, DEFAULT_URL, NO_ADDRESS } from './address.js';
import { onAbort, within } from './awaited.js';

const SILENCE_MS = 15_000; // a daemon that holds a call sends a space every 5 s
const REFUSED_MS = 2_000; // a daemon that is not there is not asked again for so long,
const HUNG_MS = 60_000; // and one that hangs, refuses us or talks nonsense without end for so long
const CONNECT_MS = 1_000; // in which a daemon takes a connection, or is away
const KNOCK_MS = 20; // for which a call waits for that: at home it takes less than one
const ANSWER_MAX = 4 << 20; // bytes of an answer; the daemon's own are far below
const HELD_MAX = 1024; // connections of calls that may be held; further ones queue
const QUICK_MAX = 32; // of what is answered at once
const REPORTS_MAX = 2;

/** The monotonic clock: setting the machine's changes nothing here. */
export const now = () => performance.now();

// Identity of this process, so that the daemon sees it end; without /proc it has to guess. Read once: it stays who it is.
let me;
const identity = () => {
  if (me) return me;
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    me = {
      'X-Headway-Agent-Pid': String(process.pid),
      'X-Headway-Agent-Start': stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
      'X-Headway-Agent-Boot': fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      'X-Headway-Agent-Pid-Ns': /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0] ?? '',
    };
  } catch {
    me = {};
  }
  return me;
};

/** Milliseconds that a reply asks to stay away. */
const patience = (headers) => {
  const text = headers['retry-after'];
  const seconds = /^\d+$/.test(text ?? '') ? Number(text) : (Date.parse(text ?? '') - Date.now()) / 1000;
  return Math.min(HUNG_MS, Math.max(1, Number.isFinite(seconds) ? seconds : 2) * 1000);
};

const warned = new Set();

export class Transport {
  #target;
  #token;
  #held;
  #quick;
  #reports;
  #awayUntil = 0; // 0 while it is there, as far as is known
  #probe; // the one connection that finds out whether it is back
  #silence;
  #back = new Set();

  constructor({ url, token, silenceMs } = {}) {
    this.#token = token ?? process.env.HEADWAY_TOKEN ?? '';
    this.#silence = silenceMs ?? (Number(process.env.HEADWAY_HOOK_SILENCE_MS) || SILENCE_MS);
    this.#target = addressOf(String(url ?? (process.env.HEADWAY_URL || DEFAULT_URL)));
    if (!this.#target) {
      this.warn('url', `${NO_ADDRESS} Nothing is supervised.`);
      return;
    }
    const client = this.#target.tls ? https : http;
    this.#target.client = client;
    const agent = (maxSockets) => new client.Agent({ keepAlive: true, maxSockets, maxFreeSockets: Math.min(maxSockets, 8) });
    this.#held = agent(HELD_MAX);
    this.#quick = agent(QUICK_MAX);
    this.#reports = agent(REPORTS_MAX);
  }

  get shown() { return this.#target?.shown ?? ''; }
  get away() { return !this.#target || this.#awayUntil !== 0; }

  /** Once for each kind in a process. Texts name no token. */
  warn(kind, text) {
    if (warned.has(kind)) return;
    warned.add(kind);
    process.emitWarning(text, { type: 'HeadwayWarning', code: `headway_${kind}` });
  }

  leave(ms) {
    this.#awayUntil = now() + ms;
  }

  /** Calls `then` once when a daemon that was away is there again. */
  whenBack(then) { this.#back.add(then); }

  /** Whether a daemon is there: true, false or a promise of it that takes KNOCK_MS at most. `urgent`: it is tried now, whenever it went. */
  there(urgent = false) {
    if (!this.#target) return false;
    if (this.#awayUntil === 0) return true;
    if (!urgent && now() < this.#awayUntil) return false;
    this.#probe ??= this.#knock();
    return within(KNOCK_MS, this.#probe).then(Boolean);
  }

  // A daemon that was away has to take a connection first, so that no body is written in vain, and parallel calls share one try.
  #knock() {
    return new Promise((resolve) => {
      const { where } = this.#target;
      const found = (ms) => {
        clearTimeout(timer);
        this.#probe = undefined;
        this.#awayUntil = ms ? now() + ms : 0;
        socket.destroy();
        if (!ms) this.#tellBack();
        resolve(ms === 0);
      };
      const socket = net.connect(where.socketPath ? { path: where.socketPath } : { host: where.host, port: where.port });
      const timer = setTimeout(found, CONNECT_MS, HUNG_MS);
      timer.unref();
      socket.unref();
      socket.on('connect', () => found(0));
      socket.on('error', () => found(REFUSED_MS));
    });
  }

  #tellBack() {
    const waiting = [...this.#back];
    this.#back.clear();
    for (const then of waiting) then();
  }

  /**
   * The daemon's reply: `{status, json}`, or `{failed, sent, held}`: `failed` is "away", "refused", "hung" or "aborted", `sent` whether it
   * may have arrived, `held` whether the daemon was holding the call: it had begun to answer, with only blanks. Options: `signal`;
   * `headers`; `background`, which keeps no process alive; `quick`, of what no person is asked about.
   */
  async send(method, path, body, options = {}) {
    try {
      if (!(await this.there())) return { failed: 'away', sent: false, held: false };
      const answer = await this.#exchange(method, path, body, options);
      // The daemon has closed a connection that rested, just as it was used. The request may be sent again.
      if (answer.stale) return await this.#exchange(method, path, body, { ...options, fresh: true });
      return answer;
    } catch {
      this.leave(REFUSED_MS);
      return { failed: 'refused', sent: false, held: false };
    }
  }

  #headers(text, more) {
    const headers = { Accept: 'application/json', ...identity(), ...more };
    if (text !== undefined) {
      headers['Content-Type'] = 'application/json';
      headers['Content-Length'] = Buffer.byteLength(text);
    }
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    return headers;
  }

  #exchange(method, path, text, { signal, headers, background, quick, fresh }) {
    return new Promise((resolve) => {
      const { client, where, prefix } = this.#target;
      let timer;
      let sent = false;
      let begun = false;
      let held = false;
      let settled = false;
      let forget;
      const settle = (answer) => {
        settled = true;
        clearTimeout(timer);
        forget?.();
        resolve(answer);
      };
      const fail = (failed, holds = held) => { settle({ failed, sent, held: holds }); request.destroy(); };
      const abort = () => fail('aborted');
      const hung = () => { this.leave(HUNG_MS); fail('hung'); };
      const listen = () => {
        clearTimeout(timer);
        timer = setTimeout(hung, this.#silence);
        timer.unref();
      };
      const request = client.request({ ...where, path: prefix + path, method,
        agent: fresh ? false : background ? this.#reports : quick ? this.#quick : this.#held,
        headers: this.#headers(text, headers) });
      request.on('socket', (socket) => {
        if (this.#awayUntil > now()) return fail('away'); // it went while this one queued
        if (socket.connecting) socket.once('connect', () => { sent = true; });
        else sent = true;
        if (background) socket.unref(); else socket.ref();
        listen();
      });
      request.on('error', () => {
        if (settled) return;
        if (request.reusedSocket && !begun && !fresh) return settle({ failed: 'refused', stale: true, sent, held });
        this.leave(REFUSED_MS);
        settle({ failed: 'refused', sent, held });
      });
      request.on('response', (response) => {
        begun = true;
        held = response.statusCode === 200 && Boolean(response.headers['x-headway']);
        const heard = (part) => { held &&= /^\s*$/.test(part.toString('latin1')); };
        this.#read(response, { listen, settle, fail, heard, held: () => held, broken: () => settle({ failed: 'refused', sent, held }), over: () => settled });
      });
      if (signal?.aborted) return abort();
      forget = onAbort(signal, abort);
      request.end(text);
    });
  }

  #read(response, { listen, settle, fail, heard, held, broken, over }) {
    const parts = [];
    let size = 0;
    listen();
    response.on('data', (part) => {
      size += part.length;
      if (size > ANSWER_MAX) {
        this.leave(HUNG_MS);
        return fail('hung', false);
      }
      listen();
      heard(part);
      parts.push(part);
    });
    response.on('error', () => {});
    response.on('close', () => {
      if (over() || response.complete) return;
      this.leave(REFUSED_MS);
      broken();
    });
    response.on('end', () => {
      const { statusCode } = response;
      if ((statusCode < 300 || [403, 404, 405].includes(statusCode)) && !response.headers['x-headway']) { // another program's
        this.leave(HUNG_MS);
        return fail('refused', false);
      }
      this.#judge(response);
      let json;
      try {
        json = JSON.parse(Buffer.concat(parts).toString('utf8'));
      } catch {
        json = undefined; // nonsense is no answer
      }
      // Blanks alone are a hold that what stands between has ended.
      settle({ status: statusCode, json: json !== null && typeof json === 'object' ? json : undefined, held: held() && size > 0 });
    });
  }

  // Effect of a status on the next requests.
  #judge({ statusCode, headers }) {
    if (statusCode === 401) {
      this.leave(HUNG_MS);
      this.warn('token', 'Headway does not take the token of HEADWAY_TOKEN (401); agents run unsupervised');
    } else if (statusCode === 403) {
      this.warn('forbidden', 'Headway refuses a report (403): the token, the name of the host or a proxy; agents run unsupervised');
    } else if (statusCode === 429 || statusCode >= 500) {
      this.leave(patience(headers));
      if (statusCode === 507) this.warn('full', 'the disk of Headway is full (507); agents run unsupervised until there is room');
    }
  }

  close() {
    for (const agent of [this.#held, this.#quick, this.#reports]) agent?.destroy();
  }
}

const known = new Map();

/** Sessions that report to the same daemon share what is known of it. */
export const transportTo = (options = {}) => {
  const key = JSON.stringify([options.url ?? process.env.HEADWAY_URL, options.token ?? process.env.HEADWAY_TOKEN, options.silenceMs]);
  let found = known.get(key);
  if (!found) {
    if (known.size >= 16) known.delete(known.keys().next().value);
    known.set(key, found = new Transport(options));
  }
  return found;
};
