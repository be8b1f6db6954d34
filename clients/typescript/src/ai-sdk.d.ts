// SPDX-License-Identifier: Apache-2.0
import type { Session } from './index.js';

/** The options of generateText, streamText or ToolLoopAgent with model and tools supervised. */
export function supervise<O extends { model?: unknown; tools?: unknown }>(session: Session, options: O): O;
/** The model with advice in its requests and its usage reported. */
export function model<M>(session: Session, original: M): M;
/** The tools, each call of which is supervised. */
export function tools<T>(session: Session, originals: T): T;
export default supervise;
