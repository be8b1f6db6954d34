// SPDX-License-Identifier: Apache-2.0
// Any value as JSON, whatever it is: circles, BigInt, getters that throw, 100 MB of text. Never throws.
import { createHash } from 'node:crypto';

const DEPTH_MAX = 48; // the daemon takes 64
const STRING_MAX = 256 << 10; // characters; of longer ones the beginning, their length and digest
const VALUES_MAX = 200_000;

const short = (text, room) => {
  if (text.length <= room.string) return text;
  const head = text.slice(0, room.string >> 1);
  const digest = room.digests ? `, sha256 ${createHash('sha256').update(text).digest('hex')}` : '';
  return `${head}… (${text.length} characters${digest})`;
};

const bytes = (value, room) => {
  const view = ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);
  return { bytes: view.length, ...(room.digests ? { sha256: createHash('sha256').update(view).digest('hex') } : {}) };
};

const named = (fn) => {
  try {
    return `[function ${fn.name}]`;
  } catch {
    return '[function]';
  }
};

const leaf = (value, room) => {
  switch (typeof value) {
    case 'string': {
      const text = short(value, room);
      room.left -= text.length;
      return text;
    }
    case 'number': return Number.isFinite(value) ? value : String(value);
    case 'boolean': return value;
    case 'bigint': return value.toString();
    case 'symbol': room.formless(); return value.toString();
    case 'function': room.formless(); return named(value);
    default: return null;
  }
};

// A stream, a response or the like: it is not ours to read.
const opaque = (value) => typeof value[Symbol.asyncIterator] === 'function' || typeof value.then === 'function'
  || typeof value.next === 'function' || typeof value.getReader === 'function';

const builtIns = (names) => new Set(names.map((name) => globalThis[name]?.prototype).filter(Boolean));
const ERRORS = builtIns(['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError']);
const COLLECTIONS = builtIns(['Map', 'Set', 'URLSearchParams']);
const PARTS_OF_ERROR = new Set(['stack', 'message']);

// Its own fields are all that it is. An instance of a class may have private ones, and so may one of a class below a built-in one.
const isPlain = (value) => {
  const above = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return Array.isArray(above) && Object.keys(value).length <= value.length; // members beside its items are not sent
  if (COLLECTIONS.has(above)) return Reflect.ownKeys(value).length === 0;
  if (ERRORS.has(above)) return Reflect.ownKeys(value).every((name) => PARTS_OF_ERROR.has(name));
  const known = above === null || above === Object.prototype || Object.getPrototypeOf(above) === null;
  return known && Object.getOwnPropertySymbols(value).length === 0;
};

const unfolded = (value, room) => {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return bytes(value, room);
  if (value instanceof Error || value instanceof Map || value instanceof Set) {
    if (!isPlain(value)) room.formless();
    if (value instanceof Error) return { error: `${value.name}: ${value.message}` };
    return value instanceof Map ? { map: [...take(value.entries(), room)] } : { set: [...take(value.values(), room)] };
  }
  if (value instanceof URLSearchParams && isPlain(value)) return String(value);
  if (typeof value.toJSON !== 'function' && !(value instanceof RegExp) && !isPlain(value)) room.formless();
  if (opaque(value)) {
    room.formless();
    return Object.prototype.toString.call(value).replace('object ', '');
  }
  if (value instanceof RegExp) return String(value);
  return typeof value.toJSON === 'function' ? value.toJSON() : value;
};

function* take(values, room) {
  let number = room.values;
  for (const value of values) if (number-- > 0) yield value; else return;
}

const members = (value, room, depth) => {
  if (Array.isArray(value)) {
    const list = [];
    for (let i = 0; i < value.length; ++i) {
      if (room.left <= 0 || room.values <= 0) {
        list.push(`… (${value.length - i} more)`);
        break;
      }
      list.push(plain(value[i], room, depth + 1));
    }
    return list;
  }
  const object = {};
  for (const name of Object.keys(value)) {
    if (room.left <= 0 || room.values <= 0) {
      object['…'] = 'more';
      break;
    }
    room.left -= name.length;
    if (depth === 0) room.member = name;
    let inner;
    try {
      inner = value[name];
    } catch {
      room.formless();
      inner = '[unreadable]';
    }
    if (inner === undefined) continue;
    Object.defineProperty(object, short(name, room), { value: plain(inner, room, depth + 1), enumerable: true, configurable: true });
  }
  return object;
};

const bounded = (room) => (name, value) => {
  if (--room.values < 0) throw new RangeError('too much');
  if (value === null || typeof value !== 'object') return leaf(value, room) ?? undefined;
  if (COLLECTIONS.has(Object.getPrototypeOf(value)) || value instanceof Error || !isPlain(value)) room.formless();
  return value;
};

// A copy of plain values, as large as there is room.
const plain = (value, room, depth) => {
  room.left -= 8;
  --room.values;
  if (value === null || typeof value !== 'object') return leaf(value, room);
  if (room.above.includes(value)) return '[circular]';
  room.above.push(value);
  try {
    const inner = unfolded(value, room);
    if (inner === null || typeof inner !== 'object') return leaf(inner, room);
    // A deeper value is text, as a person who approves the call has to see it.
    if (depth >= DEPTH_MAX) return leaf(JSON.stringify(inner, bounded(room)) ?? '', room);
    return members(inner, room, depth);
  } catch {
    room.formless();
    return '[unreadable]';
  } finally {
    room.above.pop();
  }
};

/** A copy that JSON.stringify() takes, of about `most` characters at most; null for what is no value. */
export const safe = (value, most = 4 << 20, digests = true) => shown(value, most, digests).copy;

/** safe(), and the name of the first member in which another object may look the same; undefined without one. */
export const shown = (value, most = 4 << 20, digests = true) => {
  const string = Math.min(STRING_MAX, most);
  let formless;
  const room = { left: most, values: Math.min(VALUES_MAX, most), string, digests, above: [], member: 'value' };
  room.formless = () => { formless ??= room.member; };
  const copy = plain(value, room, 0);
  return { copy, formless };
};

/** Why a person can decide about no call with this argument. */
export const notShown = (member) => `This call needs a person's approval, and the argument "${member}" has a value that cannot be shown: `
  + 'another one may look the same. Pass plain values, or give the object a toJSON().';

/** Why a decision is not about these arguments. */
export const CHANGED = 'The arguments have changed since a person was asked, so the call may not run. Ask again.';

/** The kind of a JSON value. */
export const kindOf = (value) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** A text: itself, or JSON. */
export const textOf = (value, most, digests = true) => {
  if (value === undefined) return undefined;
  const copy = safe(value, most, digests);
  return typeof copy === 'string' ? copy : JSON.stringify(copy);
};

/** Whether it is what LangGraph throws to leave a node: an `interrupt()`, or a command to the graph above. No failure. */
export const isInterrupt = (thrown) => {
  try {
    return thrown?.is_bubble_up === true || ['GraphInterrupt', 'NodeInterrupt', 'ParentCommand'].includes(thrown?.name);
  } catch {
    return false;
  }
};

/** Description of whatever was thrown. */
export const errorOf = (thrown) => {
  try {
    if (thrown instanceof Error) return { error: short(`${thrown.name}: ${thrown.message}`, { string: 64 << 10 }), class: classOf(thrown) };
    return { error: textOf(thrown, 64 << 10) || 'nothing was said', class: undefined };
  } catch {
    return { error: 'an error that cannot be read', class: undefined };
  }
};

const CODES = { ENOENT: 'not_found', EACCES: 'permission_denied', EPERM: 'permission_denied', ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'connection_refused', ECONNRESET: 'connection_reset' };
const NAMES = { AbortError: 'cancelled', TimeoutError: 'timeout', Denied: 'denied', Stop: 'cancelled' };

const classOf = (error) => (isInterrupt(error) ? 'cancelled' : NAMES[error.name]) ?? (typeof error.code === 'string' ? CODES[error.code] : undefined);
