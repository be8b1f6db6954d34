// SPDX-License-Identifier: Apache-2.0
import type { AgentMiddleware } from 'langchain';
import type { Session } from './index.js';

/** The middleware of one session. `errors`: `message` (as without it, the model gets the errors of tools) or `throw`. */
export function supervise(session: Session, options?: { errors?: 'message' | 'throw' }): AgentMiddleware;
export default supervise;
