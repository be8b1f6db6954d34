// SPDX-License-Identifier: Apache-2.0
import type { Session } from './index.js';

/** The parts of one session. */
export function supervise(session: Session): {
  /** The tools, each call of which is supervised. */
  tools<T extends Record<string, unknown>>(originals: T): T;
  /** As input and as output processor: advice, budget and stop before each request, usage behind it. */
  processor: { id: 'headway'; name: 'headway'; processInputStep(args: any): any; processOutputStep(args: any): any };
};
export default supervise;
