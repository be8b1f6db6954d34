// SPDX-License-Identifier: Apache-2.0
import { onAbort, within } from './awaited.js';
import { Denied, Stop } from './errors.js';
import { newId } from './ids.js';
import { CHANGED, errorOf, notShown, safe, shown, textOf } from './json.js';
import { now } from './transport.js';

const POST_MS = 2_000; // for which the result of a call waits for the daemon's word about it
const QUEUED_MAX = 8 << 10; // characters of arguments and result of a call that is reported later
const RESULT_MAX = 512 << 10;

// Tools by session that a person has decided about there: a grant, of which no answer tells, would let a call pass that only looks the same.
const setOf = (map) => (session) => map.get(session) ?? map.set(session, new Set()).get(session);
const asks = setOf(new WeakMap());
const decided = setOf(new WeakMap()); // and those of which a call was approved, maybe for the session

// AbortSignal.any() is younger than Node 18.
const either = (first, second) => {
  if (!second) return first;
  if (AbortSignal.any) return AbortSignal.any([first, second]);
  const both = new AbortController();
  for (const one of [first, second]) {
    if (one.aborted) both.abort(one.reason);
    else onAbort(one, () => both.abort(one.reason));
  }
  return both.signal;
};

/** One call of a tool: what it may do, and how it went. */
export class Call {
  #session;
  #reports;
  #options;
  #began = now();
  #over = false;
  #sent; // the arguments as they were asked about: the tool, or other code, may change its own

  constructor(session, reports, name, args, options) {
    this.#session = session;
    this.#reports = reports;
    this.#options = options;
    this.id = String(options.call ?? newId());
    this.tool = String(name);
    this.args = args;
    this.edited = false; // a person has changed the arguments
    this.denied = null; // why it may not run
    this.stop = null; // why the agent is to end
  }

  static async begin(session, reports, name, args = {}, options = {}) {
    const call = new Call(session, reports, name, args, options ?? {});
    call.#options.signal?.throwIfAborted();
    if (session.stopped !== null) {
      call.stop = session.stopped;
      call.#over = true;
      return call;
    }
    const answer = await call.#announce();
    if (answer.failed && (call.#options.require ?? session.require) && !call.#options.signal?.aborted) {
      answer.deny = 'Headway does not answer, and this call must not run unsupervised. Do something else, and try it again later.';
    }
    if (call.#options.signal?.aborted) {
      call.#finish({ ok: false, error: 'aborted before it ran', class: 'cancelled' });
      throw call.#options.signal.reason;
    }
    if (answer.stop || answer.deny) {
      call.denied = answer.deny ?? answer.stop;
      call.stop = answer.stop ?? null;
      if (answer.gone) await call.#finish({ ok: false, error: answer.deny, class: 'denied' });
      call.#over = true; // the daemon has closed it by itself
    } else if (answer.edit !== undefined) {
      call.args = answer.edit;
      call.#sent = structuredClone(answer.edit);
      call.edited = true;
    }
    call.#began = now();
    return call;
  }

  /** Aborted when the agent is to end, or by the signal of the caller. */
  get signal() { return either(this.#session.signal, this.#options.signal); }

  orThrow() {
    const about = { tool: this.tool, call: this.id };
    if (this.stop !== null) throw new Stop(this.stop, about);
    if (this.denied !== null) throw new Denied(this.denied, about);
  }

  // Away: nothing is written out, so that it costs nothing.
  async #announce() {
    const { signal, holdMs, approval, summary, againMs } = this.#options;
    if (!(await this.#session.there())) return { failed: 'away' };
    await this.#session.inOrder();
    const { copy: args, formless } = shown(this.args);
    this.#sent = args;
    const unseen = formless !== undefined && { deny: notShown(formless), gone: true };
    if (unseen && (approval || asks(this.#session).has(this.tool))) return unseen;
    const body = { tool: this.tool, args, call: this.id, hold_ms: holdMs };
    const marked = Boolean(approval || (this.#options.require ?? this.#session.require));
    const ask = (event, more) => this.#session.held({ event, ...body, ...more }, { signal, againMs, marked });
    if (approval) {
      const answer = await ask('request', { text: summary });
      if (answer.deny || answer.stop || signal?.aborted) return answer;
      // The daemon took no request, or no person decided. Only a daemon that is away lets the call run.
      if (answer.failed ? answer.failed === 'refused' : !answer.allow && answer.edit === undefined) return { deny: 'A person could not be asked about this call, so it may not run.', gone: true };
      const { edit } = answer;
      const then = await ask('pre', edit !== undefined ? { args: edit } : {});
      if (edit !== undefined) return { edit, ...then };
      return this.#unchanged({ allow: answer.allow, ...then }, args);
    }
    const answer = this.#unchanged(await ask('pre'), args);
    if (!unseen || !answer.allow || answer.edit !== undefined || answer.deny || answer.stop) return answer;
    asks(this.#session).add(this.tool); // the decision is about any value that looks the same
    return unseen;
  }

  // A person has allowed the arguments as they were sent, now or for the session.
  #unchanged(answer, sent) {
    if (answer.allow) decided(this.#session).add(this.tool);
    if (answer.deny || answer.stop || answer.edit !== undefined) return answer;
    const same = !decided(this.#session).has(this.tool) || JSON.stringify(shown(this.args).copy) === JSON.stringify(sent);
    return same ? answer : { deny: CHANGED, gone: true };
  }

  /** It has worked. */
  finished(result, more = {}) { return this.#finish({ ok: true, result: textOf(result, RESULT_MAX), ...more }, result); }

  /** It has failed, with what was thrown. An exception by which LangGraph leaves a node is no failure: an `interrupt()` waits for a person. */
  failed(error, more = {}) { return this.#finish({ ok: false, ...errorOf(error), ...more }); }

  async #finish(outcome, result) {
    if (this.#over) return;
    this.#over = true;
    const { mutated } = this.#options;
    const about = { ...outcome, duration_ms: Math.round(now() - this.#began) };
    if (mutated) about.mutated = typeof mutated === 'function' ? safe(attempt(() => mutated(result, this.args)) ?? []) : safe(mutated);
    if (this.#session.away) return this.#later(about);
    const body = { event: 'post', event_id: newId(), tool: this.tool, args: this.#sent ?? safe(this.args), call: this.id, ...about };
    const told = this.#session.hook(body).then((answer) => { if (answer.failed) this.#later(about, answer.sent && body.args); });
    await within(POST_MS, told);
  }

  // Reports that the daemon may have are sent unchanged: a finish with the same id and content is a replay, and not counted again.
  #later({ ok, result, error, class: kind, duration_ms: duration, mutated }, whole) {
    const short = (value) => (whole ? value : textOf(value, QUEUED_MAX, false)) ?? '';
    const data = { tool: this.tool, call_id: this.id, args: whole || safe(this.#sent ?? this.args, QUEUED_MAX, false), ok, duration_ms: duration };
    if (ok) data.result = short(result);
    else data.error = { message: short(error), ...(kind ? { class: kind } : {}) };
    if (mutated) data.mutated = mutated;
    this.#reports.add('tool.finished', data);
  }
}

const attempt = (fn) => {
  try {
    return fn();
  } catch {
    return undefined;
  }
};
