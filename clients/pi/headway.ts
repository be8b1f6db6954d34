// Headway for pi: written by `headway install`, removed by `headway uninstall`.
// SPDX-License-Identifier: Apache-2.0
// It carries what happens to the daemon and obeys the answers; what is decided is decided there. Without a daemon the agent
// works as if this were not here.
import { createHash } from 'node:crypto';
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
const TOLD_MAX = 256; // reports on their way to a daemon that is slow; further ones are not made
const REFUSED_MAX = 10_000; // calls whose result is still to come

// Who this process is, so that the daemon sees it end; without /proc it has to guess. Read once: it stays who it is.
let me: any;
const identity = (): any => {
  if (me) return me;
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    const text = (file: string) => fs.readFileSync(file, 'utf8').trim();
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

const target = (): any[] => {
  const socket = /^unix:(?:\/\/)?(\/(?!\/).*)$/i.exec(DAEMON);
  if (socket) return [http, { socketPath: socket[1], host: 'localhost' }, ''];
  const url = new URL(/^https?:\/\//i.test(DAEMON) ? DAEMON : `http://${DAEMON}`);
  const plain = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || undefined };
  return [url.protocol === 'https:' ? https : http, plain, url.pathname.replace(/\/+$/, '')];
};

let awayUntil = 1; // 0 while it is there; nobody knows at first
let probe: any; // the one connection that finds out whether it is back
const away = (ms: number): any => { awayUntil = Date.now() + ms; return {}; };

// Whether there is somebody to ask. A daemon that was away has to take a connection first: what is asked is not written out for
// nobody, and many calls at once try it once.
const there = (): any => {
  if (!awayUntil) return true;
  if (Date.now() < awayUntil) return false;
  return (probe ??= new Promise((resolve) => {
    const [client, where] = target();
    const found = (ms: number) => {
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
const cut = (text: any, gathered = false): string => {
  if (typeof text !== 'string') return '';
  if (text.length * 3 <= TEXT_MAX || Buffer.byteLength(text) <= TEXT_MAX) return text;
  const room = TEXT_MAX - Buffer.byteLength('…');
  const bytes = Buffer.from(gathered ? text.slice(-TEXT_MAX) : text.slice(0, TEXT_MAX));
  const rest = gathered ? bytes.subarray(-room) : bytes.subarray(0, room);
  const whole = rest.toString().replace(/^\uFFFD+|\uFFFD+$/g, ''); // without halves of characters
  return gathered ? `…${whole}` : `${whole}…`;
};

// Of a longer text its ends, its length and the digest of the whole, so that equal ones are seen to be equal.
const measure = (length: number, text: string) => `(${length} characters, sha256 ${createHash('sha256').update(text).digest('hex')})`;
const brief = (text: any): any => (typeof text !== 'string' || text.length <= SENT_MAX ? text
  : `${text.slice(0, SENT_MAX >> 1)}… ${measure(text.length, text)} …${text.slice(-(SENT_MAX >> 2))}`);
// The same of arguments. What stands in their place is longer than what a person may be asked about, so that a call of which a person
// could not see all is refused, where one must be asked.
const briefArgs = (args: any): any => {
  try {
    const text = JSON.stringify(args ?? {});
    return text.length <= SENT_MAX ? args : { cut: `${text.slice(0, SENT_MAX >> 1)}…`, of: measure(text.length, text) };
  } catch (error) {
    return { unreadable: String(error) };
  }
};
const bounded = (body: any): any => {
  const whole: any = { ...body };
  for (const name of ['text', 'result', 'error']) if (name in whole) whole[name] = brief(whole[name]);
  if ('args' in whole) whole.args = briefArgs(whole.args);
  return whole;
};

// What an answer says that can be obeyed. Nonsense is no answer.
const sense = (said: any): any => {
  const answer: any = {};
  for (const name of ['deny', 'stop', 'context', 'system']) {
    const text = cut(said?.[name]);
    if (text) answer[name] = text;
  }
  const edit = said?.edit;
  if (edit && typeof edit === 'object' && !Array.isArray(edit)) answer.edit = edit;
  return answer;
};

// The daemon's answer; {} whatever goes wrong. A call may be held as long as bytes come.
const exchange = (body: any): Promise<any> => new Promise((resolve) => {
  try {
    const [client, where, prefix] = target();
    const text = JSON.stringify({ agent: 'pi', ...bounded(body) });
    const headers: any = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...identity() };
    if (process.env.HEADWAY_TOKEN) headers.Authorization = `Bearer ${process.env.HEADWAY_TOKEN}`;
    if (process.env.HEADWAY_SESSION) headers['X-Headway-Session'] = process.env.HEADWAY_SESSION;
    let timer: any;
    const settle = (answer: any) => { clearTimeout(timer); resolve(answer); };
    const request = client.request({ ...where, path: `${prefix}/v1/hooks/generic`, method: 'POST', headers });
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => { settle(away(HUNG_MS)); request.destroy(); }, SILENCE_MS);
      timer.unref?.();
    };
    request.on('error', () => settle(away(REFUSED_MS)));
    request.on('response', (response: any) => {
      let answer = '';
      let read = 0;
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
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

const post = async (body: any): Promise<any> => {
  try {
    return (await there()) ? await exchange(body) : {};
  } catch {
    return away(REFUSED_MS);
  }
};

// Why a call does not run as it is: pi cannot be handed other arguments. They have to arrive whole.
const otherwise = (edit: any): string => {
  const whole = `This was approved with other arguments. Call it with these instead: ${JSON.stringify(edit)}`;
  return Buffer.byteLength(whole) <= TEXT_MAX ? whole
    : 'This was approved with other arguments, which are too long to repeat here. Ask the person who decided for them.';
};

// When a provider takes requests again, as its reply says: milliseconds since 1970, or undefined.
const RESET_NAMES = /^(retry-after|retry-after-ms|x-ratelimit-reset(-requests|-tokens)?|anthropic-ratelimit-unified-reset|x-codex-(primary|secondary)-reset-at)$/i;
const resetOf = (headers: any): any => {
  let latest: any;
  const note = (at: number) => { if (Number.isFinite(at) && at > Date.now() && !(latest > at)) latest = at; };
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!RESET_NAMES.test(name)) continue;
    const number = Number(value);
    if (/^retry-after-ms$/i.test(name)) note(Date.now() + number);
    else if (Number.isNaN(number)) note(Date.parse(String(value))); // a date of HTTP
    else note(number > 1e9 ? number * 1000 : Date.now() + number * 1000);
  }
  return latest === undefined ? undefined : Math.round(latest);
};

const text = (content: any): string => typeof content === 'string' ? content
  : (content ?? []).filter((part: any) => part.type === 'text').map((part: any) => part.text).join('\n');

export default function (pi: any) {
  let system = ''; // what stands in the system prompt from now on
  let words = ''; // what is to be said once
  const refused = new Set<string>();
  let reply: any; // the last one of a provider that refused a request
  let dialogs = 0; // that wait for a person

  let told: Promise<any> = Promise.resolve(); // what is not waited for goes out in its order all the same
  let telling = 0;

  // Taken before anything is waited for: a context is of no use once its session is over.
  const who = (ctx: any) => ({ session: ctx?.sessionManager?.getSessionId?.() ?? `process-${process.pid}`, cwd: ctx?.cwd ?? process.cwd() });
  const keep = (answer: any) => {
    if (answer.system) system = answer.system;
    if (answer.context) words = cut([words, answer.context].filter(Boolean).join('\n\n'), true);
  };
  const stop = (ctx: any) => {
    try {
      ctx?.abort?.();
    } catch {
      // the session is over
    }
  };
  // Outside of a call: what is to be said waits for the next prompt or result. A handler that is no question does not wait for
  // it: pi ends the session while earlier handlers still wait, and the later ones then come too late.
  const tell = (ctx: any, body: any) => {
    const whole = { ...body, ...who(ctx) };
    if (telling >= TOLD_MAX) return told;
    ++telling;
    told = told.then(() => post(whole)).then((answer: any) => {
      --telling;
      keep(answer);
      if (answer.stop) stop(ctx);
    });
    return told;
  };
  const ask = async (ctx: any, body: any) => {
    const whole = { ...body, ...who(ctx) };
    await told;
    return post(whole);
  };

  // A failed try; the last one ends the turn.
  const errorOf = (message: any, ends: boolean): any => ({ event: 'error', text: message.errorMessage, ends_turn: ends,
    ...(message.errorCode ? { class: String(message.errorCode) } : {}), ...(reply?.status ? { status: reply.status } : {}),
    ...(reply?.retry_at ? { retry_at: reply.retry_at } : {}) });

  let failed: any; // the answer that ended the last try, until the next begins
  const giveUp = (ctx: any): void => {
    if (failed) tell(ctx, errorOf(failed, true));
    failed = undefined;
  };

  pi.on('session_start', (event: any, ctx: any) => tell(ctx, { event: 'start', source: event.reason, model: ctx?.model?.id }));
  pi.on('session_shutdown', (event: any, ctx: any) => {
    giveUp(ctx); // older versions have no `agent_settled`
    return tell(ctx, { event: 'end', reason: event.reason });
  });
  pi.on('input', (event: any, ctx: any) => tell(ctx, { event: 'prompt', text: event.text,
    ...(event.source === 'extension' ? { synthetic: true, wake_up: true } : {}) }));
  pi.on('turn_start', (event: any, ctx: any) => { failed = undefined; tell(ctx, { event: 'turn' }); });

  pi.on('before_agent_start', async (event: any) => {
    const said = [system, words].filter(Boolean).join('\n\n');
    words = '';
    return said ? { systemPrompt: `${event.systemPrompt ?? ''}\n\n${said}` } : undefined;
  });

  pi.on('tool_call', async (event: any, ctx: any) => {
    const answer = await ask(ctx, { event: 'pre', tool: event.toolName, args: event.input, call: event.toolCallId });
    keep(answer);
    if (answer.stop) stop(ctx);
    const reason = answer.deny ?? answer.stop ?? (answer.edit ? otherwise(answer.edit) : undefined);
    if (reason === undefined) return undefined;
    if (refused.size >= REFUSED_MAX) refused.clear();
    refused.add(event.toolCallId);
    await tell(ctx, { event: 'post', tool: event.toolName, args: event.input, call: event.toolCallId, ok: false, error: reason, class: 'denied' });
    return { block: true, reason };
  });

  pi.on('tool_result', async (event: any, ctx: any) => {
    if (refused.delete(event.toolCallId)) return undefined;
    const said = text(event.content);
    const exit = /Command exited with code (\d+)\s*$/.exec(said)?.[1];
    const answer = await ask(ctx, { event: 'post', tool: event.toolName, args: event.input, call: event.toolCallId, ok: !event.isError,
      ...(event.isError ? { error: said, ...(exit ? { exit_code: Number(exit) } : {}) } : { result: said }) });
    keep(answer);
    if (answer.stop) stop(ctx);
    if (!words) return undefined;
    const content = [...(event.content ?? []), { type: 'text', text: words }];
    words = '';
    return { content };
  });

  pi.on('message_end', (event: any, ctx: any) => {
    const message = event.message ?? {};
    if (message.role !== 'assistant') return;
    const usage = message.usage ?? {};
    const cost = usage.cost?.total;
    // A cost of 0 beside tokens is a model without a price: not known.
    const known = cost > 0 || (cost === 0 && !(usage.input || usage.output));
    tell(ctx, { event: 'usage', model: message.model, usage: { input_tokens: usage.input ?? 0, cached_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: usage.cacheWrite ?? 0, output_tokens: usage.output ?? 0,
      ...(usage.reasoning ? { reasoning_tokens: usage.reasoning } : {}), ...(known ? { cost } : {}) } });
    if (message.stopReason === 'error') return void tell(ctx, errorOf(message, false)); // it may try again
    reply = undefined;
    const said = text(message.content);
    if (said) tell(ctx, { event: 'said', text: said });
  });

  pi.on('agent_end', (event: any, ctx: any) => {
    const last = (event.messages ?? []).filter((message: any) => message.role === 'assistant').at(-1) ?? {};
    failed = last.stopReason === 'error' ? last : undefined;
    if (failed) return; // it may try again: `agent_settled` says that it does not
    if (last.stopReason === 'aborted') tell(ctx, { event: 'interrupt' });
    else tell(ctx, { event: 'stop', text: text(last.content) });
  });
  pi.on('agent_settled', (event: any, ctx: any) => { giveUp(ctx); });

  // The status of a provider that refuses, and when it takes requests again. Older versions of pi have none of these events.
  pi.on('after_provider_response', (event: any) => {
    reply = event.status >= 400 ? { status: event.status, retry_at: resetOf(event.headers) } : undefined;
  });
  pi.on('ui_prompt_start', (event: any, ctx: any) => {
    ++dialogs;
    tell(ctx, { event: 'asks', text: event.title ?? event.kind });
  });
  pi.on('ui_prompt_end', (_event: any, ctx: any) => {
    dialogs = Math.max(0, dialogs - 1);
    if (dialogs === 0) tell(ctx, { event: 'answered' });
  });
}
