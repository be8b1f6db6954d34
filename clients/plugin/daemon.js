// SPDX-License-Identifier: Apache-2.0
// The common half of the plugins: the connection to the daemon, and the bounds of each text. cli/embed_plugins.cmake puts it into each.

import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

const DAEMON = process.env.HEADWAY_URL || 'http://127.0.0.1:7717';
const SILENCE_MS = Number(process.env.HEADWAY_HOOK_SILENCE_MS) || 15_000; // a daemon that holds a call sends a space every 5 s
const REFUSED_MS = 2_000; // a daemon that is not there is not asked again for so long,
const HUNG_MS = 60_000; // and one that hangs or talks nonsense without end for so long
const CONNECT_MS = 1_000; // in which a daemon takes a connection, or is away
const ANSWER_MAX = 4 << 20; // bytes of an answer; the daemon's own are far below
const TEXT_MAX = 2_000; // bytes of each text that goes to the model: agents move longer ones to files
const SENT_MAX = 1 << 20; // characters of each text, and of the arguments of a call as JSON; the daemon takes 16 MiB in all
const AGAIN_MS = 200; // after a hold that broke off, and between further tries
const AGAIN_FOR_MS = 60_000; // for which a daemon that takes connections may give no decision after that
const GONE = 'Headway went away while this call waited for a decision. Do something else, and try it again later.';
const ORDER_MS = 1_000; // for which a call waits for the reports before it,
const TOLD_MS = 2_000; // and all else of the agent for its own
const ID_MAX = 124; // bytes of a session's id, with room for a generation
const UNREAD = 'The daemon refuses this call, in words that are no text.';
const TOLD_MAX = 256; // reports on their way to a daemon that is slow; further ones are not made

// The identity of this process, so that the daemon sees it end; without /proc it has to guess. It stays the same, and is read once.
let me;
const identity = () => {
  if (me) return me;
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    const text = (file) => fs.readFileSync(file, 'utf8').trim();
    me = {
      'X-Headway-Agent-Pid': String(process.pid),
      'X-Headway-Agent-Start': stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
      'X-Headway-Agent-Boot': text('/proc/sys/kernel/random/boot_id'),
      'X-Headway-Agent-Pid-Ns': /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0] ?? '',
    };
  } catch {
    me = {};
  }
  return me;
};

const target = () => {
  const socket = /^unix:(?:\/\/)?(\/(?!\/).*)$/i.exec(DAEMON);
  if (socket) return [http, { socketPath: socket[1], host: 'localhost' }, ''];
  const url = new URL(/^https?:\/\//i.test(DAEMON) ? DAEMON : `http://${DAEMON}`);
  const plain = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || undefined };
  return [url.protocol === 'https:' ? https : http, plain, url.pathname.replace(/\/+$/, '')];
};

let awayUntil = 1; // 0 while it is there; unknown at first
let probe; // the one connection that finds out whether it is back
const away = (ms) => { awayUntil = Date.now() + ms; return {}; };

// Whether a daemon is there. One that was away has to take a connection first, so that no body is written in vain, and parallel
// calls share one try.
const there = () => {
  if (!awayUntil) return true;
  if (Date.now() < awayUntil) return false;
  return (probe ??= new Promise((resolve) => {
    const [client, where] = target();
    const found = (ms) => {
      clearTimeout(timer);
      probe = undefined;
      awayUntil = ms ? Date.now() + ms : 0;
      socket.destroy();
      resolve(ms === 0);
    };
    const port = where.port ?? (client === https ? 443 : 80);
    const socket = net.connect(where.socketPath ? { path: where.socketPath } : { host: where.host, port });
    const timer = setTimeout(() => found(HUNG_MS), CONNECT_MS);
    timer.unref?.();
    socket.on('connect', () => found(0));
    socket.on('error', () => found(REFUSED_MS));
  }));
};

// The promise's value, or undefined after `ms`.
const within = async (ms, promise) => {
  let timer;
  try {
    return await Promise.race([promise, new Promise((resolve) => { timer = setTimeout(resolve, ms); })]);
  } finally {
    clearTimeout(timer);
  }
};

// Text of at most TEXT_MAX bytes; where something is missing stands "…": at the end, or at the beginning of what was gathered.
const cut = (text, gathered = false) => {
  if (typeof text !== 'string') return '';
  if (text.length * 3 <= TEXT_MAX || Buffer.byteLength(text) <= TEXT_MAX) return text;
  const room = TEXT_MAX - Buffer.byteLength('…');
  const bytes = Buffer.from(gathered ? text.slice(-TEXT_MAX) : text.slice(0, TEXT_MAX));
  const rest = gathered ? bytes.subarray(-room) : bytes.subarray(0, room);
  const whole = rest.toString().replace(/^\uFFFD+|\uFFFD+$/g, ''); // without halves of characters
  return gathered ? `…${whole}` : `${whole}…`;
};

// A longer text is cut to its ends, its length and the digest of the whole, so that equal ones are seen to be equal.
const measure = (length, text) => `(${length} characters, sha256 ${createHash('sha256').update(text).digest('hex')})`;
const brief = (text) => (typeof text !== 'string' || text.length <= SENT_MAX ? text
  : `${text.slice(0, SENT_MAX >> 1)}… ${measure(text.length, text)} …${text.slice(-(SENT_MAX >> 2))}`);
// The same of arguments. The replacement is longer than the limit of an approval, so that a call of which a person could not see all is
// refused, where one must be asked.
const briefArgs = (args) => {
  try {
    const text = JSON.stringify(args ?? {});
    return text.length <= SENT_MAX ? args : { cut: `${text.slice(0, SENT_MAX >> 1)}…`, of: measure(text.length, text) };
  } catch (error) {
    return { unreadable: String(error) };
  }
};
const bounded = (body) => {
  const whole = { ...body };
  for (const name of ['text', 'result', 'error']) if (name in whole) whole[name] = brief(whole[name]);
  if ('args' in whole) whole.args = briefArgs(whole.args);
  return whole;
};

// The part of an answer that can be obeyed. Nonsense is no answer.
const sense = (said) => {
  const answer = {};
  for (const name of ['deny', 'stop', 'context', 'system']) {
    const text = cut(said?.[name]);
    if (text) answer[name] = text;
  }
  const unread = ['deny', 'stop'].some((name) => !['string', 'undefined'].includes(typeof (said?.[name] ?? undefined)));
  if (unread) answer.deny ??= UNREAD;
  const edit = said?.edit;
  if (edit && typeof edit === 'object' && !Array.isArray(edit)) answer.edit = edit;
  return answer;
};

// The session that the agent's hooks report into where HEADWAY_SESSION names it, for a sub-agent that of its parent: `parent` is
// the path of those above it, the first of which has that session. Without room for all of them the sub-agent is directly below that:
// an id that is too long would be none, and the daemon would shorten it to one that the token does not cover.
const sessionOf = ({ parent, session }) => {
  const given = process.env.HEADWAY_SESSION;
  if (!given || !parent) return given;
  const whole = [given, ...parent.split('.').slice(1)].join('.');
  return Buffer.byteLength(`${whole}.${session}`) <= ID_MAX ? whole : given;
};

// The daemon's answer; {} where none comes, `lost` with its connection, `failed` where it is none, `broken` where the daemon was holding the
// call: it had sent only blanks. A call may be held as long as bytes come.
const exchange = (agent, body) => new Promise((resolve) => {
  try {
    const [client, where, prefix] = target();
    const text = JSON.stringify({ agent, ...bounded(body) });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...identity() };
    if (process.env.HEADWAY_TOKEN) headers.Authorization = `Bearer ${process.env.HEADWAY_TOKEN}`;
    const session = sessionOf(body);
    if (session) headers['X-Headway-Session'] = session;
    let timer;
    let over = false; // an error after that, as of its own end, says nothing about the daemon
    const settle = (answer) => {
      over = true;
      clearTimeout(timer);
      resolve(answer);
    };
    const request = client.request({ ...where, path: `${prefix}/v1/hooks/generic`, method: 'POST', headers });
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => { settle(away(HUNG_MS)); request.destroy(); }, SILENCE_MS);
      timer.unref?.();
    };
    request.on('error', () => { if (!over) settle({ ...away(REFUSED_MS), lost: true }); });
    request.on('response', (response) => {
      let answer = '';
      let read = 0;
      const held = response.statusCode === 200 && Boolean(response.headers['x-headway']);
      const off = () => settle(held && !answer.trim() ? { broken: true } : { failed: true });
      response.setEncoding('utf8');
      response.on('data', (part) => {
        read += Buffer.byteLength(part);
        if (read > ANSWER_MAX) {
          settle(away(HUNG_MS));
          request.destroy();
          return;
        }
        listen();
        answer += part;
      });
      response.on('error', off);
      response.on('close', off);
      response.on('end', () => {
        try {
          if (response.statusCode === 200 && !response.headers['x-headway']) settle(away(HUNG_MS)); // another program
          else settle(response.statusCode === 200 ? sense(JSON.parse(answer)) : { failed: true });
        } catch {
          settle(held && answer && !answer.trim() ? { broken: true } : { failed: true }); // what stands between has ended it
        }
      });
    });
    listen();
    request.end(text);
  } catch {
    resolve({});
  }
});

// A hook that was lost with its connection, which may have been closed while it rested, is sent once more, by its id. A person is being
// asked about a call whose hold breaks off: while the daemon takes a connection it is asked about again.
const post = async (agent, body) => {
  const whole = { ...body, event_id: randomUUID() };
  let until;
  let lost = false;
  try {
    while (await there()) {
      const answer = await exchange(agent, whole);
      if (answer.broken) until = performance.now() + AGAIN_FOR_MS;
      const first = answer.lost && !lost;
      if (!first && !answer.broken && !(until && (answer.failed || answer.lost))) return answer;
      if (performance.now() > until) return { deny: GONE };
      lost ||= first;
      awayUntil = 1; // it may be gone
      if (!first) await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
    }
    return {};
  } catch {
    return away(REFUSED_MS);
  }
};

// When a provider takes requests again, as the headers of its reply and other times say: milliseconds since 1970, or undefined.
const RESET_NAMES = /^(retry-after|retry-after-ms|x-ratelimit-reset(-requests|-tokens)?|anthropic-ratelimit-unified-reset|x-codex-(primary|secondary)-reset-at)$/i;
const resetOf = (headers, times = []) => {
  let latest;
  const note = (at) => { if (Number.isFinite(at) && at > Date.now() && !(latest > at)) latest = at; };
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!RESET_NAMES.test(name)) continue;
    const number = Number(value);
    if (/^retry-after-ms$/i.test(name)) note(Date.now() + number);
    else if (Number.isNaN(number)) note(Date.parse(String(value))); // a date of HTTP
    else note(number > 1e9 ? number * 1000 : Date.now() + number * 1000);
  }
  times.forEach(note);
  return latest === undefined ? undefined : Math.round(latest);
};
