// SPDX-License-Identifier: Apache-2.0

// HTTP to the daemon. Every failure is a Problem, whose message can be shown as it is.
class Problem extends Error {
  constructor(status, body) {
    super(body?.detail || body?.title || (status ? `The daemon answered ${status}.` : 'The daemon does not answer.'));
    Object.assign(this, { status, winner: body?.winner });
  }
}

// A number that JavaScript would write otherwise (1.0, 10000000000000001) keeps its text: what is approved are the bytes.
export class Exact {
  constructor(source) { this.source = source; }
}
function keepNumbers(key, value, context) {
  return typeof value === 'number' && context?.source && String(value) !== context.source ? new Exact(context.source) : value;
}

// This browser's replacement for a token. A header and not a cookie: browsers send cookies of 127.0.0.1 to every port of it.
let login = '';
export const setLogin = (secret) => { login = secret; };
export const shown = () => (login ? { 'Headway-Login': login } : {});

// A daemon that hangs holds up no page: what waits for an answer fails, and can be tried again. Older browsers know neither.
const ANSWER_MS = 40000;
function limited(signal) {
  const limit = AbortSignal.timeout?.(ANSWER_MS);
  return signal && limit ? AbortSignal.any?.([signal, limit]) ?? signal : signal ?? limit;
}

async function call(path, exact, { signal, ...options }) {
  const failed = (error) => { throw error.name === 'AbortError' ? error : new Problem(0); };
  const all = { cache: 'no-store', ...options, headers: { ...options.headers, ...shown() }, signal: limited(signal) };
  const response = await fetch(path, all).catch(failed);
  const body = await response.text().catch(failed);
  let json;
  try {
    json = body && JSON.parse(body, exact ? keepNumbers : undefined);
  } catch { throw new Problem(response.status); }
  if (!response.ok) throw new Problem(response.status, json);
  return json;
}
export const get = (path, { signal, exact } = {}) => call(path, exact, { signal });
// `body` is an object, text that is JSON already, or nothing.
export function post(path, body) {
  const json = body && { headers: { 'Content-Type': 'application/json' }, body: typeof body === 'string' ? body : JSON.stringify(body) };
  return call(path, false, { method: 'POST', ...json });
}

export const sessionPath = (id, rest = '') => `/v1/sessions/${encodeURIComponent(id)}${rest}`;
// "?a=1&b=2" of what is given.
export const query = (parameters) => '?' + new URLSearchParams(
  Object.entries(parameters).filter(([, value]) => value != null && value !== ''));
