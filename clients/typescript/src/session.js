// SPDX-License-Identifier: Apache-2.0
// One session of an agent: its actions go to the daemon, the daemon's replies come back as advice, refusals and stops.
import { awaited, onAbort, within } from './awaited.js';
import { Call } from './call.js';
import { Denied, Stop } from './errors.js';
import { newId, sessionId } from './ids.js';
import { CHANGED, errorOf, kindOf, notShown, safe, shown, textOf } from './json.js';
import { Reports } from './reports.js';
import { now, transportTo } from './transport.js';
import { wrapTool } from './tool.js';

const ADVICE_MAX = 2_000; // bytes of each text for the model
const GATHERED_MAX = 8_000; // of advice that was not taken
const BEAT_MS = [200, 300_000]; // least and most time between two heartbeats
const START_MS = 2_000; // for which an agent waits for its session to be opened
const ORDER_MS = 500; // for which a call waits for the reports before it
const AGAIN_MS = 60_000; // for which what a person is asked waits for a daemon that went away meanwhile
const AGAIN_EVERY_MS = 500;
const GONE = 'Headway went away while this call waited for a decision. Do something else, and try it again later.';
const UNREAD = 'The daemon refuses this call, in words that are no text.';
const LATE_MS = 600_000; // for which the end of a session waits for a daemon that is away
const LATE_MAX = 100; // ended sessions that wait for it
const HELD = ['pre', 'request', 'question']; // hooks that may wait for a person
const OPENING = ['goal', 'budget', 'policy', 'labels', 'complexity'];

let late = 0;

/** Text of at most `most` bytes, with a "…" where something is missing: the end, or of what was gathered the beginning. */
export const cut = (text, most, gathered = false) => {
  if (typeof text !== 'string') return '';
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text;
  const room = most - 3;
  const raw = Buffer.from(gathered ? text.slice(-most) : text.slice(0, most));
  const whole = (gathered ? raw.subarray(-room) : raw.subarray(0, room)).toString().replace(/^\uFFFD+|\uFFFD+$/g, '');
  return gathered ? `…${whole}` : `${whole}…`;
};

const pause = (ms, signal) => new Promise((resolve) => {
  const done = () => {
    clearTimeout(timer);
    forget();
    resolve();
  };
  const timer = setTimeout(done, ms);
  const forget = onAbort(signal, done);
});

const PARENT_ID_MAX = 100; // an id of 128 bytes has room for what follows it
const agentOf = (agent) => (typeof agent === 'string' ? { type: agent } : agent ?? {});

export class Session {
  #transport;
  #reports;
  #opening; // the body of the opening
  #opened = false; // whether the daemon knows it
  #openingNow; // the request that opens it
  #advice = '';
  #stopper = new AbortController();
  #timer;
  #every = 10_000;
  #failed; // the last report about the model, if it was an error
  #asked = new Set(); // stop directives that were looked into
  #options;

  constructor(options = {}) {
    this.#options = options;
    this.#transport = options.transport ?? transportTo(options);
    const given = options.id ?? (options.parent ? undefined : process.env.HEADWAY_SESSION);
    this.id = given ? sessionId(given) : `${agentOf(options.agent).type ? sessionId(agentOf(options.agent).type) : 'ts'}-${newId()}`;
    this.agent = agentOf(options.agent);
    this.parent = options.parent ?? null;
    this.require = Boolean(options.require);
    this.budget = null;
    this.verdict = null;
    this.ended = false;
    this.#opening = Object.fromEntries(OPENING.filter((name) => options[name] !== undefined).map((name) => [name, safe(options[name], 60_000)]));
    if (Object.keys(this.agent).length) this.#opening.agent = safe(this.agent, 4_000);
    if (this.parent) this.#opening.parent = this.parent;
    this.#reports = new Reports(this.#transport, () => this.id, { open: () => this.#open(), heard: (advice) => this.#heard(advice) });
    this.#beatLater();
  }

  /** Whether the daemon does not answer now. The agent goes on without it. */
  get away() { return this.#transport.away; }
  get url() { return this.#transport.shown; }
  /** Aborted with a `Stop` when the agent is to end now. */
  get signal() { return this.#stopper.signal; }
  /** Why the agent is to end, or null. */
  get stopped() { return this.#stopper.signal.aborted ? this.#stopper.signal.reason.reason : null; }
  /** Reports that have not reached the daemon yet, and those that were given up as there was no room. */
  get pending() { return this.#reports.size; }
  get lost() { return this.#reports.lost; }

  toJSON() { return { id: this.id, url: this.url, away: this.away, stopped: this.stopped }; }

  // opening

  /** Opens the session, if the daemon is there; waits for it a moment. */
  async start() {
    await within(START_MS, this.#open());
    if (this.#options.goal !== undefined) this.prompt(this.#options.goal);
    return this;
  }

  async #open() {
    if (this.#opened) return true;
    this.#openingNow ??= this.#put().finally(() => { this.#openingNow = undefined; });
    return this.#openingNow;
  }

  async #put() {
    const first = this.id;
    for (let number = 2; ; ++number) {
      const { status, json } = await this.#transport.send('PUT', `/v1/sessions/${encodeURIComponent(this.id)}`, JSON.stringify(this.#opening),
        { background: true });
      if (status === undefined || status >= 500 || status === 429 || status === 401 || status === 408) return false;
      if (status === 400 || status === 422) {
        this.#transport.warn('opening', `Headway does not take the opening of a session: ${cut(json?.detail, 300)}`);
        this.#opening = this.#opening.parent ? { parent: this.#opening.parent } : {};
        if (number > 9) return false;
        continue;
      }
      if (status > 400 && status !== 409) this.#transport.warn(`opening_${status}`, `Headway refuses a session (${status}): ${cut(json?.detail, 300)}`);
      const over = Boolean(json?.ended_at) || json?.code === 'session_ended';
      if (over && number <= 9) { // an id that was used before goes on as the daemon names it
        this.id = sessionId(`${first.slice(0, 120)}~${number}`);
        continue;
      }
      this.#opened = true;
      this.#heard(json);
      return true;
    }
  }

  // what comes back

  /** Advice of the daemon or of a person since the last time, for the model; '' when there is none. */
  advice() {
    const said = this.#advice;
    this.#advice = '';
    return said;
  }

  /** The same, left for the next to ask: `taken(text)` says that it has reached the model. */
  peek() { return this.#advice; }
  taken(text) {
    if (text && this.#advice.startsWith(text)) this.#advice = this.#advice.slice(text.length).trimStart();
    else if (text) this.#advice = '';
  }

  /** Text for the system prompt: how much of the budget is used. '' without one. */
  budgetBlock() { return typeof this.budget?.prompt === 'string' ? cut(this.budget.prompt, ADVICE_MAX) : ''; }

  // The answer to a hook: only what makes sense is kept, so an edit only of the kind that the arguments have.
  #keep(json, args) {
    const answer = {};
    for (const name of ['deny', 'stop', 'context', 'system', 'allow', 'answer']) {
      const text = cut(json[name], ADVICE_MAX);
      if (text) answer[name] = text;
    }
    if (!answer.deny && [json.deny, json.stop].some((words) => typeof words !== 'string' && words !== undefined && words !== null)) answer.deny = UNREAD;
    if (json.edit !== undefined && kindOf(json.edit) === kindOf(args)) answer.edit = json.edit;
    const words = [this.#advice, answer.context, answer.system].filter(Boolean).join('\n\n');
    this.#advice = cut(words, GATHERED_MAX, true);
    if (answer.stop) this.#stop(answer.stop);
    return answer;
  }

  #stop(reason) {
    if (!this.#stopper.signal.aborted && !this.ended) this.#stopper.abort(new Stop(reason));
  }

  // The answer to a report.
  #heard(advice) {
    if (!advice || typeof advice !== 'object') return;
    if ('budget' in advice) this.budget = advice.budget ?? null;
    if (advice.verdict) this.verdict = advice.verdict;
    if (Number.isFinite(advice.next_heartbeat_ms)) {
      const before = this.#every;
      this.#every = Math.min(BEAT_MS[1], Math.max(BEAT_MS[0], advice.next_heartbeat_ms));
      if (this.#every < before) this.#beatLater();
    }
    for (const directive of Array.isArray(advice.directives) ? advice.directives : []) {
      if (directive?.type !== 'stop' || this.#asked.has(directive.id) || this.#asked.size > 100) continue;
      this.#asked.add(directive.id);
      this.hook({ event: 'turn' }, { background: true }); // whether it is to end at once: the answer says so
    }
  }

  /** Earlier reports have their place before later ones. */
  inOrder() { return this.pending && !this.away ? this.#reports.flush(ORDER_MS) : undefined; }

  /** Whether the daemon is there: true, false, or a promise of it that takes milliseconds. */
  there(urgent) { return this.#transport.there(urgent); }

  /** One hook of the neutral form; `{}` whatever goes wrong. `failed` says how, and `sent` and `held` as the transport does. */
  hook(body, options) { return options?.background ? this.#hook(body, options) : awaited(this.#hook(body, options)); }

  /**
   * A hook that a person may be asked about. One that breaks off is asked again, with the same id, where a person is asked: the daemon was
   * holding it, or its author `marked` it as one that may not run unsupervised. A restart is no answer to it, and the approval outlives
   * the daemon. If no daemon comes back, the answer is a refusal, with `gone`. Any other is as if there were no daemon.
   */
  held(body, options) { return awaited(this.#holding({ event_id: newId(), ...body }, options)); }

  async #holding(body, { signal, againMs = AGAIN_MS, marked = false }) {
    let answer = await this.#hook(body, { signal });
    if (!answer.failed || answer.failed === 'aborted' || !(answer.held || (marked && answer.sent))) return answer;
    let until = now() + againMs;
    while (answer.failed && now() < until && !signal?.aborted) {
      await pause(AGAIN_EVERY_MS, signal);
      answer = await this.#hook(body, { signal, urgent: true });
      if (answer.held) until = now() + againMs; // it went away once more
    }
    return answer.failed && !signal?.aborted ? { deny: GONE, gone: true } : answer;
  }

  async #hook(body, options) {
    try {
      return await this.#ask(body, options);
    } catch {
      return { failed: 'refused', sent: false, held: false };
    }
  }

  async #ask(body, options) {
    if (!(await this.there(options?.urgent)) || !(await this.#open())) return { failed: 'away', sent: false, held: false };
    const text = JSON.stringify({ agent: this.agent.type ?? 'ts', session: this.id, ...body });
    const answer = await this.#transport.send('POST', '/v1/hooks/generic', text,
      { ...options, quick: !HELD.includes(body.event), headers: { 'X-Headway-Session': this.id } });
    if (answer.failed) return answer;
    if (body.event === 'end' || body.event === 'subend') return answer.status === 200 ? {} : { failed: 'refused', sent: true, held: false };
    if (answer.status === 200 && kindOf(answer.json) === 'object') return this.#keep(answer.json, body.args);
    if (answer.status === 200) return { failed: 'refused', sent: false, held: answer.held }; // a decision it is not
    return { failed: answer.status === 429 || answer.status >= 500 ? 'away' : 'refused', sent: false, held: false };
  }

  // reports

  /** Any event of the API; goes out in the background and counts once, however often it is sent. */
  report(type, data = {}) {
    if (!this.ended) this.#reports.add(type, safe(data, 256 << 10));
  }

  #tell(type, data) {
    this.#failed = type === 'error.reported' ? data.message : undefined;
    this.report(type, data);
  }

  prompt(text) { this.#tell('message', { role: 'user', text: textOf(text, 64 << 10) ?? '' }); }
  said(text, usage) { this.#tell('message', { role: 'assistant', text: textOf(text, 64 << 10) ?? '', ...(usage ? { usage } : {}) }); }
  /** Use of the model's last answer: `{input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, model}`. */
  usage(usage) {
    this.#failed = undefined;
    if (usage) this.report('heartbeat', { usage });
  }

  error(error) {
    const about = errorOf(error);
    const status = error?.status ?? error?.statusCode;
    this.#tell('error.reported', { message: about.error, ...(about.class ? { class: about.class } : {}),
      ...(Number.isInteger(status) && status > 0 ? { status } : {}) });
  }

  #beatLater() {
    clearTimeout(this.#timer);
    if (this.ended || this.#options.heartbeats === false) return;
    this.#timer = setTimeout(async () => {
      if (await this.there()) this.#reports.beat();
      this.#beatLater();
    }, this.away ? Math.min(this.#every, 2_000) : this.#every);
    this.#timer.unref();
  }

  // calls

  /** Announces a call: what it may do, as values. Waits while a person is asked or the session is paused. */
  begin(name, args, options) {
    this.#failed = undefined;
    return awaited(Call.begin(this, this.#reports, name, args, options));
  }

  /**
   * Runs `fn(args, {signal, call})` as a supervised call and gives what it gives, or throws what it throws. Throws `Denied` where the
   * call may not run, and `Stop` where the agent is to end.
   */
  async call(name, args, fn, options = {}) {
    const call = await this.begin(name, args, options);
    call.orThrow();
    let result;
    try {
      result = await fn(call.args, { signal: call.signal, call: call.id, edited: call.edited });
    } catch (error) {
      await call.failed(error);
      throw error;
    }
    await call.finished(result);
    return result;
  }

  /** A function like `fn` whose calls are supervised. */
  tool(name, fn, options) { return wrapTool(this, name, fn, options); }

  // people

  /** Asks a person. Gives the answer, or null where there is none: no person could be asked, or none answered. */
  async ask(question, options = {}) {
    const { choices, signal, call = newId() } = options;
    const answer = await this.held({ event: 'question', call, text: cut(String(question), 4_000), hold_ms: options.holdMs,
      ...(choices ? { options: choices.slice(0, 16).map(String) } : {}) }, { signal, againMs: options.againMs });
    if (signal?.aborted) throw signal.reason;
    return answer.answer ?? null;
  }

  /** Asks a person about a call: `{allowed, decided, reason, args}`. `decided` is false where no person could be asked. */
  async approve(name, args = {}, options = {}) {
    const { copy: sent, formless } = shown(args);
    if (formless !== undefined) return { allowed: false, decided: false, reason: notShown(formless), args };
    const { deny, stop, allow, edit, gone } = await this.held({ event: 'request', tool: String(name), args: sent, call: options.call ?? newId(),
      text: options.summary && cut(options.summary, 4_000), hold_ms: options.holdMs }, { signal: options.signal, againMs: options.againMs });
    if (options.signal?.aborted) throw options.signal.reason;
    const decided = !gone && Boolean(allow || edit !== undefined || deny || stop);
    const allowed = Boolean(allow || edit !== undefined) && !deny && !stop;
    if (edit !== undefined) return { allowed, decided, reason: deny ?? stop ?? allow ?? '', args: edit };
    // The approval is of those that the person saw.
    if (allowed && JSON.stringify(shown(args).copy) !== JSON.stringify(sent)) return { allowed: false, decided, reason: CHANGED, args };
    return { allowed, decided, reason: deny ?? stop ?? allow ?? '', args };
  }

  // the end

  /** A session of its own for a part of the work; its steps, tokens and cost count for this one too. */
  async child(options = {}) {
    const { url, token, silenceMs } = this.#options;
    // Below its parent's, so that a token for that covers it.
    const below = this.id.length <= PARENT_ID_MAX ? { id: `${this.id}.${newId().replaceAll('-', '').slice(-20)}` } : {};
    return new Session({ agent: this.agent, url, token, silenceMs, ...below, ...options, transport: this.#transport, parent: this.id }).start();
  }

  /** Sends what is left, for at most `ms`. */
  flush(ms = 2_000) { return awaited(this.#reports.flush(ms)); }

  /** Ends the session. Without an outcome the daemon decides it: cancelled, budget_exhausted, or how the last turn ended. */
  async end(outcome, { reason, result } = {}) {
    if (this.ended) return;
    clearTimeout(this.#timer);
    if (result !== undefined) this.#tell('message', { role: 'assistant', text: textOf(result, 64 << 10) ?? '' });
    // The daemon knows how a turn ended that was stopped, or by an error after which the model gave no answer.
    const stopped = this.#stopper.signal.aborted;
    const said = outcome ?? (stopped || this.#failed !== undefined ? undefined : 'completed');
    const why = reason ?? (outcome === undefined && !stopped ? this.#failed : undefined);
    await this.flush();
    this.ended = true;
    await within(START_MS, this.#tellEnd(said, why === undefined ? undefined : cut(String(why), 4_000)));
  }

  // A daemon that is away hears it when it is back, if this process still lives; else it sees that this process is gone.
  async #tellEnd(outcome, reason) {
    const { failed } = await this.hook({ event: 'end', outcome, reason });
    const runs = this.id === process.env.HEADWAY_SESSION; // a command that `headway run` ends
    if (!failed) return this.#reports.close();
    if (late >= LATE_MAX || runs) return this.#reports.close();
    ++late;
    this.#reports.add('session.ended', { outcome: outcome ?? (this.#failed === undefined ? 'cancelled' : 'failed'), ...(reason ? { reason } : {}) });
    setTimeout(() => {
      --late;
      this.#reports.close();
    }, LATE_MS).unref();
    return undefined;
  }

  /** Ends it as failed, with the reason. */
  fail(error) { return this.end('failed', { reason: errorOf(error).error }); }

  /**
   * Runs the agent and ends the session as it went: completed, failed with what it threw, or stopped. A `Stop` ends here, and
   * undefined is given.
   */
  async run(agent) {
    try {
      const result = await agent(this);
      await this.end();
      return result;
    } catch (error) {
      if (error instanceof Stop || (this.stopped !== null && (error?.name === 'AbortError' || error?.cause instanceof Stop))) {
        await this.end();
        return undefined;
      }
      await this.fail(error);
      throw error;
    }
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() { await this.end(); }
}

export { Denied, Stop };
