// SPDX-License-Identifier: Apache-2.0

/** Limits of a session; members as in the HTTP API. */
export interface Budget {
  timeout_seconds?: number;
  max_steps?: number;
  max_tokens?: number;
  max_cost_usd?: number;
  suggested?: boolean;
}

/** Used part of it, from the daemon. */
export interface BudgetStatus {
  level: 'nominal' | 'low' | 'critical' | 'exhausted';
  pressure: number;
  dimension: string;
  wrap_up: boolean;
  prompt: string;
  [member: string]: unknown;
}

export interface Verdict {
  status: 'starting' | 'progressing' | 'exploring' | 'waiting' | 'slow' | 'silent' | 'blocked' | 'suspect' | 'stuck' | 'completed' | 'failed'
    | 'cancelled' | 'halted';
  reason: string;
  since: string;
  evidence: number[];
  [member: string]: unknown;
}

export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  /** Read from the provider's cache; not in input_tokens. */
  cached_tokens?: number;
  /** Written to it; not in input_tokens. */
  cache_write_tokens?: number;
  /** Not in output_tokens. */
  reasoning_tokens?: number;
  tokens?: number;
  /** Leave it out where it is not known. */
  cost_usd?: number;
  model?: string;
}

export type Outcome = 'completed' | 'failed' | 'cancelled' | 'budget_exhausted';

export interface SessionOptions {
  /** Default: HEADWAY_SESSION, else a new one. */
  id?: string;
  goal?: string;
  agent?: string | { type?: string; name?: string; model?: string };
  budget?: Budget;
  policy?: Record<string, unknown>;
  labels?: Record<string, string>;
  complexity?: 'low' | 'medium' | 'high';
  /** Id of the session above; `session.child()` sets it. */
  parent?: string;
  /** Default: HEADWAY_URL, else http://127.0.0.1:7717. `unix:/path` too. */
  url?: string;
  /** Default: HEADWAY_TOKEN. */
  token?: string;
  /** Without a byte for so long the daemon is away; default 15000. */
  silenceMs?: number;
  /** True: calls are refused while the daemon does not answer; default false, they run. */
  require?: boolean;
  /** False: no heartbeats in the background. */
  heartbeats?: boolean;
}

export interface CallOptions {
  /** Ends the wait for a person, and goes on to the tool. */
  signal?: AbortSignal;
  /** Id of the call; default a new one. */
  call?: string;
  /** True: a person has to allow each call. */
  approval?: boolean;
  /** True: without a daemon the call is refused; default that of the session. */
  require?: boolean;
  /** For that person. */
  summary?: string;
  /** How long a person may take; default a day. */
  holdMs?: number;
  /** Changes by the call: files, and digests of their new content. */
  mutated?: { path: string; digest?: string }[] | ((result: unknown, args: unknown) => { path: string; digest?: string }[]);
}

/** A word of the daemon as an exception. `reason` is for the model. */
export class Directive extends Error {
  readonly reason: string;
  readonly tool?: string;
  readonly call?: string;
  constructor(reason: string, about?: { tool?: string; call?: string });
}

/** The agent is to end now. */
export class Stop extends Directive {}

/** This call may not run: a person or a policy refused it. Never because Headway is away. */
export class Denied extends Directive {}

/** One call of a tool, for those who want values instead of exceptions. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  /** The arguments that it runs with: a person may have changed them. */
  readonly args: any;
  readonly edited: boolean;
  /** Why it may not run, or null. */
  readonly denied: string | null;
  /** Why the agent is to end, or null. */
  readonly stop: string | null;
  readonly signal: AbortSignal;
  /** Throws `Stop` or `Denied` where there is one. */
  orThrow(): void;
  finished(result?: unknown, more?: Record<string, unknown>): Promise<void>;
  failed(error: unknown, more?: Record<string, unknown>): Promise<void>;
}

export interface CallContext {
  /** Aborted when the agent is to end, or by the signal of the caller. */
  signal: AbortSignal;
  call: string;
  edited: boolean;
}

export class Session implements AsyncDisposable {
  constructor(options?: SessionOptions);
  readonly id: string;
  readonly parent: string | null;
  readonly require: boolean;
  readonly url: string;
  readonly away: boolean;
  readonly ended: boolean;
  /** As of the last report; null without one. */
  readonly budget: BudgetStatus | null;
  readonly verdict: Verdict | null;
  /** Aborted with a `Stop` when the agent is to end now. */
  readonly signal: AbortSignal;
  readonly stopped: string | null;
  /** Reports that have not reached the daemon yet, and those that were given up. */
  readonly pending: number;
  readonly lost: number;

  start(): Promise<this>;
  /** Runs `fn` as a supervised call: gives what it gives, throws what it throws. Throws `Denied` or `Stop` instead of running it. */
  call<A, R>(tool: string, args: A, fn: (args: A, context: CallContext) => R | PromiseLike<R>, options?: CallOptions): Promise<Awaited<R>>;
  /** A function like `fn` whose calls are supervised. An async generator stays one. */
  tool<F extends (...args: any[]) => AsyncGenerator<any, any, any>>(name: string, fn: F, options?: CallOptions): F;
  tool<P extends unknown[], R>(name: string, fn: (...args: P) => R, options?: CallOptions): (...args: P) => Promise<Awaited<R>>;
  tool<P extends unknown[], R>(fn: (...args: P) => R, options?: CallOptions): (...args: P) => Promise<Awaited<R>>;
  /** Announces a call; for those who want values instead of exceptions. */
  begin(tool: string, args?: unknown, options?: CallOptions): Promise<Call>;

  /** Advice since the last time, for the model; '' when there is none. */
  advice(): string;
  /** The same, left there until `taken(text)`. */
  peek(): string;
  taken(text: string): void;
  /** How much of the budget is used, for the system prompt; '' without a budget. */
  budgetBlock(): string;

  prompt(text: string): void;
  said(text: string, usage?: Usage): void;
  usage(usage: Usage): void;
  error(error: unknown): void;
  /** Any event of the API, sent in the background. */
  report(type: string, data?: Record<string, unknown>): void;

  /** Asks a person; null where there is no answer. */
  ask(question: string, options?: { choices?: string[]; signal?: AbortSignal; holdMs?: number; call?: string }): Promise<string | null>;
  /** Asks a person about a call. `decided` is false where no person could be asked. */
  approve<A>(tool: string, args?: A, options?: { summary?: string; signal?: AbortSignal; holdMs?: number; call?: string }):
    Promise<{ allowed: boolean; decided: boolean; reason: string; args: A }>;

  child(options?: SessionOptions): Promise<Session>;
  /** Sends what is left, for at most `ms` (2000). */
  flush(ms?: number): Promise<void>;
  end(outcome?: Outcome, about?: { reason?: string; result?: unknown }): Promise<void>;
  fail(error: unknown): Promise<void>;
  /** Runs the agent and ends the session as it went. Undefined where it was stopped. */
  run<R>(agent: (session: Session) => R | PromiseLike<R>): Promise<Awaited<R> | undefined>;
  toJSON(): { id: string; url: string; away: boolean; stopped: string | null };
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a session. Never rejects because of the daemon. */
export function session(options?: SessionOptions): Promise<Session>;

/** Opens a session, runs `agent(session)` in it, and ends it as that went. */
export function run<R>(options: SessionOptions | undefined, agent: (session: Session) => R | PromiseLike<R>): Promise<Awaited<R> | undefined>;

declare const headway: { Denied: typeof Denied; Session: typeof Session; Stop: typeof Stop; run: typeof run; session: typeof session };
export default headway;
