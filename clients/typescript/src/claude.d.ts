// SPDX-License-Identifier: Apache-2.0

/** Hooks that report to the daemon, for the option `settings` of the Claude Agent SDK. */
export function settings(options?: { url?: string; require?: boolean; session?: string }): { hooks: Record<string, any> };
