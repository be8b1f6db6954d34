// Headway for opencode and Kilo: written by `headway install`, removed by `headway uninstall`.
// SPDX-License-Identifier: Apache-2.0
// It carries what happens to the daemon and obeys the answers; what is decided is decided there. Without a daemon the agent
// works as if this were not here.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const DAEMON = process.env.HEADWAY_URL || 'http://127.0.0.1:7717';
const AGENT = /\/\.?kilo\//.test(import.meta.url) ? 'kilo' : 'opencode';
const SILENCE_MS = Number(process.env.HEADWAY_HOOK_SILENCE_MS) || 15_000; // a daemon that holds a call sends a space every 5 s
const REFUSED_MS = 2_000; // a daemon that is not there is not asked again for so long,
const HUNG_MS = 60_000; // and one that hangs for so long
const SEEN_MAX = 10_000;

// Who this process is, so that the daemon sees it end; without /proc it has to guess.
const identity = () => {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    const text = (file) => fs.readFileSync(file, 'utf8').trim();
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

const target = () => {
  if (DAEMON.startsWith('unix:')) return [http, { socketPath: DAEMON.slice(5), host: 'localhost' }, ''];
  const url = new URL(DAEMON);
  const plain = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || undefined };
  return [url.protocol === 'https:' ? https : http, plain, url.pathname.replace(/\/$/, '')];
};

let awayUntil = 0;
const away = (ms) => { awayUntil = Date.now() + ms; return {}; };

// The daemon's answer; {} whatever goes wrong. A call may be held as long as bytes come.
const post = (body) => new Promise((resolve) => {
  if (Date.now() < awayUntil) return resolve({});
  try {
    const [client, where, prefix] = target();
    const text = JSON.stringify({ agent: AGENT, ...body });
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
      response.setEncoding('utf8');
      response.on('data', (part) => { listen(); answer += part; });
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

// One instance for each folder: Kilo loads plugins twice.
const loaded = (globalThis.__headway_folders ??= new Set());

export const Headway = async ({ client, directory }) => {
  if (loaded.has(directory)) return {};
  loaded.add(directory);
  const parents = new Map();
  const systems = new Map(); // what stands in the system prompt from now on
  const words = new Map(); // what is to be said once
  const denied = new Set();
  const seen = new Set(); // parts come again whenever they change
  let told = Promise.resolve(); // what is not waited for goes out in its order all the same

  const who = (session) => ({ session, ...(parents.has(session) ? { parent: parents.get(session) } : {}), cwd: directory });
  const first = (id) => {
    if (seen.has(id)) return false;
    if (seen.size >= SEEN_MAX) seen.clear();
    seen.add(id);
    return true;
  };
  const keep = (session, answer) => {
    if (answer.system) systems.set(session, answer.system);
    if (answer.context) words.set(session, [words.get(session), answer.context].filter(Boolean).join('\n\n'));
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
    told = told.then(() => post({ ...body, ...who(session) })).then(async (answer) => {
      keep(session, answer);
      if (answer.stop) await abort(session);
    });
    return told;
  };
  const ask = async (session, body) => {
    await told;
    return post({ ...body, ...who(session) });
  };

  const part = async (p) => {
    const session = p.sessionID;
    if (p.type === 'tool' && p.state?.status === 'error' && first(p.callID + ':error')) {
      const refused = denied.delete(p.callID) || /rejected permission/.test(p.state.error ?? '');
      await tell(session, { event: 'post', tool: p.tool, args: p.state.input, call: p.callID, ok: false, error: p.state.error,
        ...(refused ? { class: 'denied' } : {}) });
    } else if (p.type === 'step-finish' && first(p.id)) {
      const tokens = p.tokens ?? {};
      await tell(session, { event: 'usage', usage: { input_tokens: (tokens.input ?? 0) + (tokens.cache?.read ?? 0),
        output_tokens: tokens.output ?? 0, cost: p.cost ?? 0 } });
    } else if (p.type === 'text' && p.time?.end && first(p.id)) {
      await tell(session, { event: 'said', text: p.text });
    }
  };

  return {
    event: async ({ event }) => {
      const p = event?.properties ?? {};
      if (event?.type === 'session.created') {
        if (p.info?.parentID) parents.set(p.info.id, p.info.parentID);
        await tell(p.info?.id, { event: p.info?.parentID ? 'substart' : 'start', agent_version: p.info?.version });
      } else if (event?.type === 'message.part.updated') {
        await part(p.part ?? {});
      } else if (event?.type === 'session.error' && p.sessionID) {
        await tell(p.sessionID, { event: 'error', class: p.error?.name, text: p.error?.data?.message });
      } else if (event?.type === 'session.idle') {
        await tell(p.sessionID, { event: parents.has(p.sessionID) ? 'subend' : 'stop' });
      } else if (event?.type === 'server.instance.disposed') {
        loaded.delete(directory);
      }
    },

    'chat.message': async (input, output) => {
      const text = (output.parts ?? []).filter((p) => p.type === 'text').map((p) => p.text).join('\n');
      const synthetic = (output.parts ?? []).some((p) => p.synthetic);
      await tell(input.sessionID, { event: 'prompt', text, synthetic, model: output.message?.model?.modelID });
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
      if (answer.system) systems.set(input.sessionID, answer.system);
      if (answer.context) output.output = `${output.output ?? ''}\n\n${answer.context}`;
      if (answer.stop) await abort(input.sessionID);
    },
  };
};
