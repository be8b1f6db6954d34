// Headway for opencode and Kilo: written by `headway install`, removed by `headway uninstall`.
// SPDX-License-Identifier: Apache-2.0
// It carries what happens to the daemon and obeys the answers; what is decided is decided there. Without a daemon the agent
// works as if this were not here.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

const DAEMON = process.env.HEADWAY_URL || 'http://127.0.0.1:7717';
const AGENT = /\/\.?kilo\//.test(import.meta.url) ? 'kilo' : 'opencode';
const SILENCE_MS = Number(process.env.HEADWAY_HOOK_SILENCE_MS) || 15_000; // a daemon that holds a call sends a space every 5 s
const REFUSED_MS = 2_000; // a daemon that is not there is not asked again for so long,
const HUNG_MS = 60_000; // and one that hangs or talks nonsense without end for so long
const CONNECT_MS = 1_000; // in which a daemon takes a connection, or is away
const ANSWER_MAX = 4 << 20; // bytes of an answer; the daemon's own are far below
const TEXT_MAX = 2_000; // bytes of each text that goes to the model: agents move longer ones to files
const SENT_MAX = 1 << 20; // characters of each text, and of the arguments of a call as JSON; the daemon takes 16 MiB in all
const TOLD_MAX = 256; // reports on their way to a daemon that is slow; further ones are not made
const SEEN_MAX = 10_000;
const SESSIONS_MAX = 1_000; // that something is remembered of

// Who this process is, so that the daemon sees it end; without /proc it has to guess. Read once: it stays who it is.
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

// Of a longer text its ends, its length and the digest of the whole, so that equal ones are seen to be equal.
// When a provider takes requests again, as its reply says: milliseconds since 1970, or undefined.
const RESET_NAMES = /^(retry-after|retry-after-ms|x-ratelimit-reset(-requests|-tokens)?|anthropic-ratelimit-unified-reset|x-codex-(primary|secondary)-reset-at)$/i;
const resetOf = (data) => {
  let latest;
  const note = (at) => { if (Number.isFinite(at) && at > Date.now() && !(latest > at)) latest = at; };
  for (const [name, value] of Object.entries(data?.responseHeaders ?? {})) {
    if (!RESET_NAMES.test(name)) continue;
    const number = Number(value);
    if (/^retry-after-ms$/i.test(name)) note(Date.now() + number);
    else if (Number.isNaN(number)) note(Date.parse(value)); // a date of HTTP
    else note(number > 1e9 ? number * 1000 : Date.now() + number * 1000);
  }
  try {
    const body = typeof data?.responseBody === 'string' ? JSON.parse(data.responseBody) : data?.responseBody;
    const error = body?.error ?? body ?? {};
    for (const at of [error.resets_at, error.resetsAt, error.reset_at]) note(at > 1e11 ? at : at * 1000);
    if (error.resets_in_seconds) note(Date.now() + error.resets_in_seconds * 1000);
  } catch {
    // no JSON: the words say it
  }
  return latest === undefined ? undefined : Math.round(latest);
};

// Why a call did not run, where the agent refused it itself.
const REFUSED = /rejected permission|specified a rule which prevents|PermissionRejectedError|PermissionDeniedError|PermissionCorrectedError|QuestionRejectedError|dismissed this question/;
const CUT = /^Tool execution aborted/;

const measure = (length, text) => `(${length} characters, sha256 ${createHash('sha256').update(text).digest('hex')})`;
const brief = (text) => (typeof text !== 'string' || text.length <= SENT_MAX ? text
  : `${text.slice(0, SENT_MAX >> 1)}… ${measure(text.length, text)} …${text.slice(-(SENT_MAX >> 2))}`);
// The same of arguments. What stands in their place is longer than what a person may be asked about, so that a call of which a person
// could not see all is refused, where one must be asked.
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

// What an answer says that can be obeyed. Nonsense is no answer.
const sense = (said) => {
  const answer = {};
  for (const name of ['deny', 'stop', 'context', 'system']) {
    const text = cut(said?.[name]);
    if (text) answer[name] = text;
  }
  const edit = said?.edit;
  if (edit && typeof edit === 'object' && !Array.isArray(edit)) answer.edit = edit;
  return answer;
};

// The daemon's answer; {} whatever goes wrong. A call may be held as long as bytes come.
const exchange = (body) => new Promise((resolve) => {
  try {
    const [client, where, prefix] = target();
    const text = JSON.stringify({ agent: AGENT, ...bounded(body) });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...identity() };
    if (process.env.HEADWAY_TOKEN) headers.Authorization = `Bearer ${process.env.HEADWAY_TOKEN}`;
    if (process.env.HEADWAY_SESSION && !body.parent) headers['X-Headway-Session'] = process.env.HEADWAY_SESSION;
    let timer;
    const settle = (answer) => { clearTimeout(timer); resolve(answer); };
    const request = client.request({ ...where, path: `${prefix}/v1/hooks/generic`, method: 'POST', headers });
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => { settle(away(HUNG_MS)); request.destroy(); }, SILENCE_MS);
      timer.unref?.();
    };
    request.on('error', () => settle(away(REFUSED_MS)));
    request.on('response', (response) => {
      let answer = '';
      let read = 0;
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
      response.on('error', () => settle({}));
      response.on('close', () => settle({}));
      response.on('end', () => {
        try {
          settle(response.statusCode === 200 ? sense(JSON.parse(answer)) : {});
        } catch {
          settle({});
        }
      });
    });
    listen();
    request.end(text);
  } catch {
    resolve({});
  }
});

const post = async (body) => {
  try {
    return (await there()) ? await exchange(body) : {};
  } catch {
    return away(REFUSED_MS);
  }
};

// One instance for each folder: Kilo loads plugins twice.
const loaded = (globalThis.__headway_folders ??= new Set());

export const Headway = async ({ client, directory }) => {
  if (loaded.has(directory)) return {};
  loaded.add(directory);
  const parents = new Map();
  const systems = new Map(); // what stands in the system prompt from now on
  const words = new Map(); // what is to be said once
  const halves = new Map(); // sessions whose answer failed: a text that comes before the next step is half of it
  const models = new Map(); // that answer
  const denied = new Set();
  const open = new Map(); // dialogs that wait for a person, by session
  const seen = new Set(); // parts come again whenever they change
  let told = Promise.resolve(); // what is not waited for goes out in its order all the same
  let telling = 0;

  const who = (session) => ({ session, ...(parents.has(session) ? { parent: parents.get(session) } : {}), cwd: directory });
  const first = (id) => {
    if (seen.has(id)) return false;
    if (seen.size >= SEEN_MAX) seen.clear();
    seen.add(id);
    return true;
  };
  const remember = (map, session, value) => {
    map.delete(session);
    if (map.size >= SESSIONS_MAX) map.delete(map.keys().next().value);
    map.set(session, value);
  };
  const keep = (session, answer) => {
    if (answer.system) remember(systems, session, answer.system);
    if (answer.context) remember(words, session, cut([words.get(session), answer.context].filter(Boolean).join('\n\n'), true));
  };
  const abort = async (session) => {
    try {
      await client.session.abort({ path: { id: session } });
    } catch {
      // it ends by the refusals then
    }
  };
  // Outside of a call: what is to be said waits for the next request to the model.
  const tell = (session, body) => {
    if (telling >= TOLD_MAX) return told;
    ++telling;
    told = told.then(() => post({ ...body, ...who(session) })).then(async (answer) => {
      --telling;
      keep(session, answer);
      if (answer.stop) await abort(session);
    });
    return told;
  };
  const ask = async (session, body) => {
    await told;
    return post({ ...body, ...who(session) });
  };

  // A cost of 0 beside tokens is a model without a price: not known.
  const costOf = (cost, tokens) => (cost > 0 || (cost === 0 && !(tokens.input || tokens.output)) ? { cost } : {});

  // A dialog opens, or is over: the last one that is over says that the agent goes on.
  const asks = async (session, id, text) => {
    if (!session || !id || !first(`ask:${id}`)) return;
    const waiting = open.get(session) ?? new Set();
    waiting.add(id);
    remember(open, session, waiting);
    await tell(session, { event: 'asks', text });
  };
  const answered = async (session, id) => {
    const waiting = open.get(session);
    if (!waiting?.delete(id) || waiting.size > 0) return;
    open.delete(session);
    await tell(session, { event: 'answered' });
  };
  const dialog = async (type, p) => {
    const id = p.id ?? p.requestID ?? p.permissionID;
    if (/\.(replied|rejected|accepted|dismissed)$/.test(type)) return answered(p.sessionID, p.requestID ?? id);
    const first = p.questions?.[0]?.question ?? p.title ?? p.text ?? p.message;
    const what = first ?? [p.permission ?? p.type, ...(p.patterns ?? [])].filter(Boolean).join(' ');
    return asks(p.sessionID, id, what);
  };

  const failed = async (session, error) => {
    const data = error?.data ?? {};
    if (error?.name === 'MessageAbortedError') return tell(session, { event: 'interrupt' }); // by a person
    const at = resetOf(data);
    remember(halves, session, true);
    return tell(session, { event: 'error', class: error?.name, text: data.message ?? error?.message, ends_turn: true,
      ...(data.statusCode ? { status: data.statusCode } : {}), ...(at ? { retry_at: at } : {}),
      ...(typeof data.isRetryable === 'boolean' ? { retryable: data.isRetryable } : {}) });
  };

  const part = async (p) => {
    const session = p.sessionID;
    if (p.type === 'tool' && p.state?.status === 'error' && first(p.callID + ':error')) {
      const refused = denied.delete(p.callID) || REFUSED.test(p.state.error ?? '');
      const kind = refused ? 'denied' : CUT.test(p.state.error ?? '') ? 'cancelled' : undefined;
      await tell(session, { event: 'post', tool: p.tool, args: p.state.input, call: p.callID, ok: false, error: p.state.error,
        ...(kind ? { class: kind } : {}) });
    } else if (p.type === 'step-finish' && first(p.id)) {
      const tokens = p.tokens ?? {};
      await tell(session, { event: 'usage', usage: { input_tokens: tokens.input ?? 0, cached_tokens: tokens.cache?.read ?? 0,
        cache_write_tokens: tokens.cache?.write ?? 0, output_tokens: tokens.output ?? 0, reasoning_tokens: tokens.reasoning ?? 0,
        ...(models.has(session) ? { model: models.get(session) } : {}), ...costOf(p.cost, tokens) } });
    } else if (p.type === 'step-start') {
      halves.delete(session);
    } else if (p.type === 'text' && p.time?.end && first(p.id) && !halves.has(session)) {
      await tell(session, { event: 'said', text: p.text });
    }
  };

  return {
    event: async ({ event }) => {
      const p = event?.properties ?? {};
      if (event?.type === 'session.created') {
        if (p.info?.parentID) remember(parents, p.info.id, p.info.parentID);
        await tell(p.info?.id, { event: p.info?.parentID ? 'substart' : 'start', agent_version: p.info?.version });
      } else if (event?.type === 'message.part.updated') {
        await part(p.part ?? {});
      } else if (event?.type === 'session.error' && p.sessionID) {
        await failed(p.sessionID, p.error);
      } else if (event?.type === 'session.status' && p.status?.type === 'retry') {
        // It waits by itself, and tries again then.
        await tell(p.sessionID, { event: 'error', class: 'retry', text: p.status.message, ends_turn: false, retryable: true,
          ...(p.status.next > Date.now() ? { retry_at: Math.round(p.status.next) } : {}) });
      } else if (/^(permission|question|suggestion|session\.network)\.(v2\.)?(asked|updated|shown|replied|rejected|accepted|dismissed)$/.test(event?.type ?? '')) {
        await dialog(event.type, p);
      } else if (event?.type === 'session.idle') {
        await tell(p.sessionID, { event: parents.has(p.sessionID) ? 'subend' : 'stop' });
      } else if (event?.type === 'server.instance.disposed') {
        loaded.delete(directory);
      }
    },

    'chat.message': async (input, output) => {
      const texts = (output.parts ?? []).filter((p) => p.type === 'text');
      // A person's message may have parts that the agent adds: files that it names, reminders.
      const own = texts.filter((p) => !p.synthetic);
      const synthetic = texts.length > 0 && own.length === 0;
      const model = output.message?.model?.modelID;
      if (model) remember(models, input.sessionID, model);
      open.delete(input.sessionID);
      halves.delete(input.sessionID);
      await tell(input.sessionID, { event: 'prompt', text: (synthetic ? texts : own).map((p) => p.text).join('\n'), synthetic,
        ...(synthetic ? { wake_up: true } : {}), model });
    },

    'experimental.chat.system.transform': async (input, output) => {
      for (const text of [systems.get(input.sessionID), words.get(input.sessionID)]) if (text) output.system?.push(text);
      words.delete(input.sessionID);
    },

    'tool.execute.before': async (input, output) => {
      const answer = await ask(input.sessionID, { event: 'pre', tool: input.tool, args: output.args, call: input.callID });
      keep(input.sessionID, answer);
      if (answer.stop) await abort(input.sessionID);
      if (answer.stop || answer.deny) {
        if (denied.size >= SEEN_MAX) denied.clear();
        denied.add(input.callID);
        throw new Error(answer.deny ?? answer.stop);
      }
      if (answer.edit) {
        for (const name of Object.keys(output.args)) if (!(name in answer.edit)) delete output.args[name];
        Object.assign(output.args, answer.edit);
      }
    },

    'tool.execute.after': async (input, output) => {
      const exit = output.metadata?.exit;
      const ok = exit === undefined || exit === null || exit === 0;
      const answer = await ask(input.sessionID, { event: 'post', tool: input.tool, args: input.args, call: input.callID, ok,
        ...(ok ? { result: output.output } : { error: output.output, exit_code: exit }) });
      if (answer.system) remember(systems, input.sessionID, answer.system);
      if (answer.context) output.output = `${output.output ?? ''}\n\n${answer.context}`;
      if (answer.stop) await abort(input.sessionID);
    },
  };
};
