// SPDX-License-Identifier: Apache-2.0
// The Claude Agent SDK: `query({prompt, options: {settings: settings()}})`. Its hooks go to the daemon by themselves; nothing of the
// token is in the settings, but the name of its variable.
const DAY = 86_400;
const QUICK = ['UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'PermissionDenied', 'Notification', 'Stop', 'StopFailure',
  'SubagentStart', 'SubagentStop', 'PostCompact', 'SessionEnd', 'Elicitation', 'ElicitationResult'];

/** Hooks that report to the daemon, for the option `settings`. With `require`, calls do not run while the daemon is away. */
export const settings = ({ url = process.env.HEADWAY_URL || 'http://127.0.0.1:7717', require = false,
  session = process.env.HEADWAY_SESSION } = {}) => {
  const target = `${url.replace(/\/$/, '')}/v1/hooks/claude`;
  const headers = { ...(process.env.HEADWAY_TOKEN ? { Authorization: 'Bearer $HEADWAY_TOKEN' } : {}), ...(session ? { 'X-Headway-Session': session } : {}) };
  const hook = (timeout, more) => [{ hooks: [{ type: 'http', url: target, timeout, ...(Object.keys(headers).length ? { headers } : {}),
    ...(headers.Authorization ? { allowedEnvVars: ['HEADWAY_TOKEN'] } : {}), ...more }] }];
  const pre = require ? hook(DAY, { url: `${target}?require=1`, onFailure: 'block' }) : hook(DAY);
  return { hooks: { PreToolUse: pre, PermissionRequest: hook(DAY), ...Object.fromEntries(QUICK.map((name) => [name, hook(5)])) } };
};
