// SPDX-License-Identifier: Apache-2.0
import type { Verdict } from './index.js';

export interface WaitReply {
  met: boolean;
  matched: string | null;
  impossible: boolean;
  cause: string | null;
  session: string;
  n: number;
  alive: boolean;
  verdict: Verdict | null;
}

export interface JournalEvent {
  n: number;
  at: string;
  type: string;
  data: Record<string, any>;
  [member: string]: unknown;
}

export class WaitError extends Error {
  readonly session: string;
  readonly verdict: Verdict | null;
  readonly cause: string | null;
  readonly events: JournalEvent[];
}

export interface Headway extends AsyncDisposable {
  readonly url: string;
  /** Process id of the daemon that was started for this. */
  readonly pid: number | undefined;
  /** Where its files are, with the log. */
  readonly folder: string | undefined;
  /** May decide approvals; of a daemon that was started for this. */
  readonly operatorToken: string | undefined;
  wait(id: string, options?: { until?: string; signal?: AbortSignal; mode?: 'now' | 'ever'; silentFor?: string; openWithin?: string }): Promise<WaitReply>;
  session(id: string): Promise<any>;
  events(id: string, last?: number): Promise<JournalEvent[]>;
  timeline(since?: number): Promise<string>;
  request(method: string, target: string, body?: unknown, options?: { signal?: AbortSignal; token?: string }): Promise<any>;
  operator(method: string, target: string, body?: unknown): Promise<any>;
  stop(): Promise<void>;
}

/** A daemon of its own on a free port, or that of HEADWAY_URL. */
export function startHeadway(options?: { url?: string; token?: string; binary?: string; settings?: Record<string, string | number | boolean>; args?: string[] }): Promise<Headway>;

/** The body of a test: where it fails, the error shows what has happened in its sessions. */
export function supervised<P extends unknown[], R>(body: (...args: P) => R | PromiseLike<R>): (...args: P) => Promise<R>;
