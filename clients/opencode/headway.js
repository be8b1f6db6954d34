// Headway for opencode and Kilo: written by `headway install`, removed by `headway uninstall`.
// SPDX-License-Identifier: Apache-2.0
// It carries what happens to the daemon and obeys the answers; what is decided is decided there. Without a daemon the agent
// works as if this were not here.
// Here stands clients/plugin/daemon.js.

const AGENT = /\/\.?kilo\//.test(import.meta.url) ? 'kilo' : 'opencode';
const SEEN_MAX = 10_000;
const DEPTH_MAX = 32; // sessions above one that are looked at
const SESSIONS_MAX = 1_000; // that something is remembered of

// Why a call did not run, where the agent refused it itself.
const REFUSED = /rejected permission|specified a rule which prevents|PermissionRejectedError|PermissionDeniedError|PermissionCorrectedError|QuestionRejectedError|dismissed this question/;
const CUT = /^Tool execution aborted/;
const CUT_COMMAND = /User aborted the command\s+<\/\w+>\s*$/;

// Why a turn whose last step ended so is no success, as for the lines of `opencode run --format json`. A step at work, or with calls, is
// the last one where a person ends the turn: the session is idle before its error says so.
const faultOf = (reason, worked) => {
  if (!reason || reason === 'tool-calls') return undefined;
  if (reason === 'length') return "its last answer was cut off: the model's limit of output";
  if (reason !== 'stop') return `it ended with the reason "${reason}"`;
  return worked ? undefined : 'it ended without an answer or a call';
};

const errorIn = (data) => {
  try {
    const body = typeof data.responseBody === 'string' ? JSON.parse(data.responseBody) : data.responseBody;
    return body?.error ?? body ?? {};
  } catch {
    return {}; // no JSON: the words say it
  }
};

// The times at which the body of a refusal says that the provider takes requests again.
const resetsIn = (error) => [...[error.resets_at, error.resetsAt, error.reset_at].map((at) => (at > 1e11 ? at : at * 1000)),
  ...(error.resets_in_seconds ? [Date.now() + error.resets_in_seconds * 1000] : [])];

// One instance for each folder: Kilo loads plugins twice.
const loaded = (globalThis.__headway_folders ??= new Set());

export const Headway = async ({ client, directory }) => {
  if (loaded.has(directory)) return {};
  loaded.add(directory);
  const parents = new Map(); // '' of a session that has none
  let deafUntil = 0; // opencode did not say which session is the parent
  const systems = new Map(); // what stands in the system prompt from now on
  const words = new Map(); // what is to be said once
  const halves = new Map(); // sessions whose answer failed: a text that comes before the next step is half of it
  const models = new Map(); // that answer
  const steps = new Map(); // how the last step of a turn ended: its reason, '' while it is at work
  const worked = new Map(); // sessions in which words were said or a call was made since the prompt
  const asked = new Map(); // arguments that a call was announced with, or that a person gave it
  const denied = new Set();
  const open = new Map(); // dialogs that wait for a person, by session
  const seen = new Set(); // parts come again whenever they change
  let told = Promise.resolve(); // what is not waited for goes out in its order all the same
  let telling = 0;

  // No `session.created` has named the parent of a session of an earlier process, or of one that was forgotten among many: opencode is
  // asked for it, and for those above.
  const ancestry = async (session) => {
    for (let at = session, depth = 0; at && depth < DEPTH_MAX; at = parents.get(at), ++depth) {
      if (parents.has(at)) continue;
      const { data } = await client.session.get({ path: { id: at } });
      if (data?.id !== at) return true;
      remember(parents, at, data.parentID ?? '');
    }
    return true;
  };
  const know = async (session) => {
    if (!session || Date.now() < deafUntil) return;
    try {
      if (!(await within(ORDER_MS, ancestry(session)))) deafUntil = Date.now() + HUNG_MS;
    } catch {
      // an opencode that cannot be asked: it is a session by itself
    }
  };
  // The path from the first of those above a session down to its parent: by it the daemon names the parent's session. An id has
  // room for two of them, so that those far below are children of the second.
  const above = (session) => {
    const path = [];
    for (let at = parents.get(session); at && path.length < DEPTH_MAX; at = parents.get(at)) path.unshift(at);
    return path.slice(0, 2).join('.');
  };
  const who = (session) => ({ session, ...(parents.get(session) ? { parent: above(session) } : {}), cwd: directory });
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
      await within(ORDER_MS, client.session.abort({ path: { id: session } }));
    } catch {
      // it ends by the refusals then
    }
  };
  const send = async (session, body) => {
    await know(session);
    return post(AGENT, { ...(typeof body === 'function' ? body() : body), ...who(session) });
  };
  // Outside of a call: what is to be said waits for the next request to the model.
  const tell = (session, body) => {
    if (telling >= TOLD_MAX) return told;
    ++telling;
    told = told.then(() => send(session, body)).then(async (answer) => {
      --telling;
      keep(session, answer);
      if (answer.stop) await abort(session);
    });
    return told;
  };
  const ask = async (session, body) => {
    await within(ORDER_MS, told);
    return send(session, body);
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
    steps.delete(session); // its end is reported here
    const data = error?.data ?? {};
    if (error?.name === 'MessageAbortedError') return tell(session, { event: 'interrupt' }); // by a person
    const told = errorIn(data);
    const at = resetOf(data.responseHeaders, resetsIn(told));
    const named = /limit|quota|credit/i.test(told.type ?? '') ? told.type : error?.name; // behind a status of a rate limit
    remember(halves, session, true);
    return tell(session, { event: 'error', class: named, text: data.message ?? error?.message, ends_turn: true,
      ...(data.statusCode ? { status: data.statusCode } : {}), ...(at ? { retry_at: at } : {}),
      ...(typeof data.isRetryable === 'boolean' ? { retryable: data.isRetryable } : {}) });
  };

  const part = async (p) => {
    const session = p.sessionID;
    if (p.type === 'tool' || (p.type === 'text' && p.time?.end && p.text?.trim())) remember(worked, session, true);
    if (p.type === 'tool' && p.state?.status === 'error' && first(p.callID + ':error')) {
      const refused = denied.delete(p.callID) || REFUSED.test(p.state.error ?? '');
      const args = asked.get(p.callID) ?? p.state.input;
      asked.delete(p.callID);
      const kind = refused ? 'denied' : CUT.test(p.state.error ?? '') ? 'cancelled' : undefined;
      await tell(session, { event: 'post', tool: p.tool, args, call: p.callID, ok: false, error: p.state.error,
        ...(kind ? { class: kind } : {}) });
    } else if (p.type === 'step-finish' && first(p.id)) {
      remember(steps, session, p.reason ?? '');
      const tokens = p.tokens ?? {};
      await tell(session, { event: 'usage', usage: { input_tokens: tokens.input ?? 0, cached_tokens: tokens.cache?.read ?? 0,
        cache_write_tokens: tokens.cache?.write ?? 0, output_tokens: tokens.output ?? 0, reasoning_tokens: tokens.reasoning ?? 0,
        ...(models.has(session) ? { model: models.get(session) } : {}), ...costOf(p.cost, tokens) } });
    } else if (p.type === 'step-start') {
      halves.delete(session);
      remember(steps, session, '');
    } else if (p.type === 'text' && p.time?.end && first(p.id) && !halves.has(session)) {
      await tell(session, { event: 'said', text: p.text });
    }
  };

  const idle = async (session) => {
    const fault = faultOf(steps.get(session), worked.has(session));
    steps.delete(session);
    if (fault) await tell(session, { event: 'error', text: fault, ends_turn: true });
    await tell(session, () => ({ event: parents.get(session) ? 'subend' : 'stop' }));
  };

  const happened = async (event) => {
    const p = event?.properties ?? {};
    if (event?.type === 'session.created') {
      if (p.info?.id) remember(parents, p.info.id, p.info.parentID ?? '');
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
      await idle(p.sessionID);
    } else if (event?.type === 'server.instance.disposed') {
      loaded.delete(directory);
    }
  };

  return {
    event: ({ event }) => within(TOLD_MS, happened(event)),

    'chat.message': async (input, output) => {
      const texts = (output.parts ?? []).filter((p) => p.type === 'text');
      // A person's message may have parts that the agent adds: files that it names, reminders.
      const own = texts.filter((p) => !p.synthetic);
      const synthetic = texts.length > 0 && own.length === 0;
      const model = output.message?.model?.modelID;
      if (model) remember(models, input.sessionID, model);
      open.delete(input.sessionID);
      for (const map of [halves, steps, worked]) map.delete(input.sessionID);
      await within(TOLD_MS, tell(input.sessionID, { event: 'prompt', text: (synthetic ? texts : own).map((p) => p.text).join('\n'), synthetic,
        ...(synthetic ? { wake_up: true } : {}), model }));
    },

    'experimental.chat.system.transform': async (input, output) => {
      for (const text of [systems.get(input.sessionID), words.get(input.sessionID)]) if (text) output.system?.push(text);
      words.delete(input.sessionID);
    },

    'tool.execute.before': async (input, output) => {
      remember(asked, input.callID, output.args);
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
      // It is null where a signal ended the command, also that of the tool's timeout or of a person's abort.
      const exit = output.metadata?.exit;
      const ok = exit === undefined || exit === 0;
      asked.delete(input.callID);
      const kind = exit === null && CUT_COMMAND.test(output.output ?? '') ? { class: 'cancelled' } : {};
      const answer = await ask(input.sessionID, { event: 'post', tool: input.tool, args: input.args, call: input.callID, ok,
        ...(ok ? { result: output.output } : { error: output.output, ...(exit === null ? kind : { exit_code: exit }) }) });
      if (answer.system) remember(systems, input.sessionID, answer.system);
      if (answer.context) output.output = `${output.output ?? ''}\n\n${answer.context}`;
      if (answer.stop) await abort(input.sessionID);
    },
  };
};
