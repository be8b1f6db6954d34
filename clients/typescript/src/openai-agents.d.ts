// SPDX-License-Identifier: Apache-2.0
import type { Session } from './index.js';
export { Stop } from './index.js';

/** The parts of one session. */
export function supervise(session: Session): {
  /** Options for `tool()` whose calls are supervised. */
  tool<O extends { name: string }>(options: O): O;
  /** A model, with advice in its requests and its usage reported. */
  model<M extends object>(original: M): M;
  /** A provider whose models are so. */
  provider<P extends object>(original: P): P;
};
export default supervise;
