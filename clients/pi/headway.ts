// Headway for pi: written by `headway install`, removed by `headway uninstall`.
// SPDX-License-Identifier: Apache-2.0
// It carries what happens to the daemon and obeys the answers; what is decided is decided there. Without a daemon the agent
// works as if this were not here.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const DAEMON = process.env.HEADWAY_URL || 'http://127.0.0.1:7717';
const SILENCE_MS = Number(process.env.HEADWAY_HOOK_SILENCE_MS) || 15_000; // a daemon that holds a call sends a space every 5 s
const REFUSED_MS = 2_000; // a daemon that is not there is not asked again for so long,
const HUNG_MS = 60_000; // and one that hangs for so long

// Who this process is, so that the daemon sees it end; without /proc it has to guess.
const identity = (): any => {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    const text = (file: string) => fs.readFileSync(file, 'utf8').trim();
    return {
      'X-Headway-Agent-Pid': String(process.pid),
      'X-Headway-Agent-Start': stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
      'X-Headway-Agent-Boot': text('/proc/sys/kernel/random/boot_id'),
      'X-Headway-Agent-Pid-Ns': /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0] ?? '',
    };
  } catch {
    return {};
  }
};

const target = (): any[] => {
  if (DAEMON.startsWith('unix:')) return [http, { socketPath: DAEMON.slice(5), host: 'localhost' }, ''];
  const url = new URL(DAEMON);
  const plain = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || undefined };
  return [url.protocol === 'https:' ? https : http, plain, url.pathname.replace(/\/$/, '')];
};

let awayUntil = 0;
const away = (ms: number): any => { awayUntil = Date.now() + ms; return {}; };

// The daemon's answer; {} whatever goes wrong. A call may be held as long as bytes come.
const post = (body: any): Promise<any> => new Promise((resolve) => {
  if (Date.now() < awayUntil) return resolve({});
  try {
    const [client, where, prefix] = target();
    const text = JSON.stringify({ agent: 'pi', ...body });
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
      response.setEncoding('utf8');
      response.on('data', (part: string) => { listen(); answer += part; });
      response.on('error', () => settle({}));
      response.on('close', () => settle({}));
      response.on('end', () => {
        try {
          const said = response.statusCode === 200 ? JSON.parse(answer) : {};
          settle(said && typeof said === 'object' ? said : {});
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

const text = (content: any): string => typeof content === 'string' ? content
  : (content ?? []).filter((part: any) => part.type === 'text').map((part: any) => part.text).join('\n');

export default function (pi: any) {
  let system = ''; // what stands in the system prompt from now on
  let words = ''; // what is to be said once
  const refused = new Set<string>();

  let told: Promise<any> = Promise.resolve(); // what is not waited for goes out in its order all the same

  // Taken before anything is waited for: a context is of no use once its session is over.
  const who = (ctx: any) => ({ session: ctx?.sessionManager?.getSessionId?.() ?? `process-${process.pid}`, cwd: ctx?.cwd ?? process.cwd() });
  const keep = (answer: any) => {
    if (answer.system) system = answer.system;
    if (answer.context) words = [words, answer.context].filter(Boolean).join('\n\n');
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
    told = told.then(() => post(whole)).then((answer: any) => {
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

  pi.on('session_start', (event: any, ctx: any) => tell(ctx, { event: 'start', source: event.reason, model: ctx?.model?.id }));
  pi.on('session_shutdown', (event: any, ctx: any) => tell(ctx, { event: 'end', reason: event.reason }));
  pi.on('input', (event: any, ctx: any) => tell(ctx, { event: 'prompt', text: event.text, synthetic: event.source === 'extension' }));
  pi.on('turn_start', (event: any, ctx: any) => { tell(ctx, { event: 'turn' }); });

  pi.on('before_agent_start', async (event: any) => {
    const said = [system, words].filter(Boolean).join('\n\n');
    words = '';
    return said ? { systemPrompt: `${event.systemPrompt ?? ''}\n\n${said}` } : undefined;
  });

  pi.on('tool_call', async (event: any, ctx: any) => {
    const answer = await ask(ctx, { event: 'pre', tool: event.toolName, args: event.input, call: event.toolCallId });
    keep(answer);
    if (answer.stop) stop(ctx);
    const reason = answer.deny ?? answer.stop ??
      (answer.edit ? `This was approved with other arguments. Call it with these instead: ${JSON.stringify(answer.edit)}` : undefined);
    if (reason === undefined) return undefined;
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
    tell(ctx, { event: 'usage', model: message.model, usage: { input_tokens: (usage.input ?? 0) + (usage.cacheRead ?? 0),
      output_tokens: usage.output ?? 0, cost: usage.cost?.total ?? 0 } });
    const said = text(message.content);
    if (said) tell(ctx, { event: 'said', text: said });
  });

  pi.on('agent_end', (event: any, ctx: any) => {
    const last = (event.messages ?? []).filter((message: any) => message.role === 'assistant').at(-1) ?? {};
    const failed = last.stopReason === 'error';
    tell(ctx, failed ? { event: 'error', text: last.errorMessage } : { event: 'stop', text: text(last.content) });
  });
}
