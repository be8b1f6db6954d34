// Headway for pi: written by `headway install`, removed by `headway uninstall`.
// SPDX-License-Identifier: Apache-2.0
// It carries what happens to the daemon and obeys the answers; what is decided is decided there. Without a daemon the agent
// works as if this were not here.
// Here stands clients/plugin/daemon.js.

const REFUSED_MAX = 10_000; // calls whose result is still to come

// Why a call does not run as it is: pi cannot be handed other arguments. They have to arrive whole.
const otherwise = (edit: any): string => {
  const whole = `This was approved with other arguments. Call it with these instead: ${JSON.stringify(edit)}`;
  return Buffer.byteLength(whole) <= TEXT_MAX ? whole
    : 'This was approved with other arguments, which are too long to repeat here. Ask the person who decided for them.';
};

const text = (content: any): string => typeof content === 'string' ? content
  : (content ?? []).filter((part: any) => part.type === 'text').map((part: any) => part.text).join('\n');

// Why the last answer is no end of a turn in which its work was done, as for the lines of `pi --mode json`; undefined where it is one.
const faultOf = (last: any, worked: boolean): string | undefined => {
  if (last.stopReason === 'length') return "its last answer was cut off: the model's limit of output";
  if (last.stopReason === undefined) return 'it ended without an answer';
  if (last.stopReason !== 'stop') return `it ended with the reason "${last.stopReason}"`;
  return worked || text(last.content).trim() ? undefined : 'it ended without an answer or a call';
};

// The signal's abort, for what would wait longer than its user does.
const abortOf = (signal: any, promise: Promise<any>): Promise<any> => !signal ? promise : new Promise((resolve, reject) => {
  const abort = () => resolve({ aborted: true });
  signal.addEventListener('abort', abort, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
});

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
    told = told.then(() => post('pi', whole)).then((answer: any) => {
      --telling;
      keep(answer);
      if (answer.stop) stop(ctx);
    });
    return told;
  };
  const ask = async (ctx: any, body: any) => {
    const whole = { ...body, ...who(ctx) };
    await within(ORDER_MS, told);
    return post('pi', whole);
  };

  // A failed try; the last one ends the turn.
  const errorOf = (message: any, ends: boolean): any => ({ event: 'error', text: message.errorMessage, ends_turn: ends,
    ...(message.errorCode ? { class: String(message.errorCode) } : {}), ...(reply?.status ? { status: reply.status } : {}),
    ...(reply?.retry_at ? { retry_at: reply.retry_at } : {}) });

  let worked = false; // a call was made, or words were said, since the last prompt
  let failed: any; // the answer that ended the last try, until the next begins
  const giveUp = (ctx: any): void => {
    if (failed) tell(ctx, errorOf(failed, true));
    failed = undefined;
  };

  pi.on('session_start', (event: any, ctx: any) => within(TOLD_MS, tell(ctx, { event: 'start', source: event.reason, model: ctx?.model?.id })));
  pi.on('session_shutdown', (event: any, ctx: any) => {
    giveUp(ctx); // older versions have no `agent_settled`
    return within(TOLD_MS, tell(ctx, { event: 'end', reason: event.reason }));
  });
  pi.on('input', (event: any, ctx: any) => {
    worked = false;
    return within(TOLD_MS, tell(ctx, { event: 'prompt', text: event.text, ...(event.source === 'extension' ? { synthetic: true, wake_up: true } : {}) }));
  });
  pi.on('turn_start', (event: any, ctx: any) => { failed = undefined; tell(ctx, { event: 'turn' }); });

  pi.on('before_agent_start', async (event: any) => {
    const said = [system, words].filter(Boolean).join('\n\n');
    words = '';
    return said ? { systemPrompt: `${event.systemPrompt ?? ''}\n\n${said}` } : undefined;
  });

  pi.on('tool_call', async (event: any, ctx: any) => {
    worked = true;
    const call = { tool: event.toolName, args: event.input, call: event.toolCallId };
    const answer = await abortOf(ctx?.signal, ask(ctx, { event: 'pre', ...call, edits: false }));
    keep(answer);
    if (answer.stop) stop(ctx);
    const reason = answer.aborted ? 'Operation aborted' : answer.deny ?? answer.stop ?? (answer.edit ? otherwise(answer.edit) : undefined);
    if (reason === undefined) return undefined;
    if (refused.size >= REFUSED_MAX) refused.clear();
    refused.add(event.toolCallId);
    await within(TOLD_MS, tell(ctx, { event: 'post', ...call, ok: false, error: reason, class: answer.aborted ? 'cancelled' : 'denied' }));
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
    if (said.trim()) worked = true;
    if (said) tell(ctx, { event: 'said', text: said });
  });

  pi.on('agent_end', (event: any, ctx: any) => {
    const last = (event.messages ?? []).filter((message: any) => message.role === 'assistant').at(-1) ?? {};
    failed = last.stopReason === 'error' ? last : undefined;
    if (failed) return; // it may try again: `agent_settled` says that it does not
    if (last.stopReason === 'aborted') return void tell(ctx, { event: 'interrupt' });
    const fault = faultOf(last, worked);
    if (fault) tell(ctx, { event: 'error', text: fault, ends_turn: true }); // if it goes on all the same, its next turn says so
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
