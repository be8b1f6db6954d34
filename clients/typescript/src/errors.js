// SPDX-License-Identifier: Apache-2.0

/** A word of the daemon as an exception. `reason` is for the model. */
export class Directive extends Error {
  constructor(reason, about = {}) {
    super(reason);
    this.reason = reason;
    if (about.tool !== undefined) this.tool = about.tool;
    if (about.call !== undefined) this.call = about.call;
  }
}

/** The agent is to end now: it was cancelled, its budget is used up, or it goes on in a loop after it was asked to stop. */
export class Stop extends Directive {}
Stop.prototype.name = 'Stop';

/** This call may not run: a person or a policy refused it. Never because Headway is away. */
export class Denied extends Directive {}
Denied.prototype.name = 'Denied';
