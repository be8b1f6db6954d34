// SPDX-License-Identifier: Apache-2.0
// Headway for agents in JavaScript and TypeScript. A daemon that is away, slow or wrong changes nothing for the agent.
import { Denied, Directive, Stop } from './errors.js';
import { Session } from './session.js';

/** Opens a session. Never rejects because of the daemon. */
export const session = (options) => new Session(options ?? {}).start();

/** Opens a session, runs `agent(session)` in it, and ends it as that went. Gives undefined where the agent was stopped. */
export const run = async (options, agent) => (await session(options)).run(agent);

export { Denied, Directive, Session, Stop };
export default { Denied, Session, Stop, run, session };
