// SPDX-License-Identifier: Apache-2.0
// Functions whose calls are supervised.
import { Denied } from './errors.js';

const isPlain = (value) => value !== null && typeof value === 'object'
  && [Object.prototype, null].includes(Object.getPrototypeOf(value));

// Arguments as a person sees them, and the way back from a person's edit.
const named = (list) => (list.length === 0 ? {} : list.length === 1 && isPlain(list[0]) ? list[0] : { args: list });
const listed = (list, call) => {
  if (!call.edited) return list;
  const { args } = call;
  if (list.length === 0 || (list.length === 1 && isPlain(list[0]))) return [args, ...list.slice(1)];
  if (Array.isArray(args?.args) && Object.keys(args).length === 1) return args.args;
  throw new Denied('This was approved with other arguments, which the tool does not take.');
};

const isGenerator = (fn) => ['AsyncGeneratorFunction', 'GeneratorFunction'].includes(fn.constructor?.name);

const naming = (wrapper, fn) => {
  for (const name of ['name', 'length']) Object.defineProperty(wrapper, name, { value: fn[name], configurable: true });
  return wrapper;
};

// Its call ends where its values end, or no more of them are wanted.
const wrapGenerator = (session, name, fn, options) => naming(async function* supervised(...list) {
  const call = await session.begin(name, named(list), options);
  call.orThrow();
  let last;
  try {
    const values = fn.apply(this, listed(list, call));
    for (;;) {
      const { done, value } = await values.next();
      if (done) {
        await call.finished(value === undefined ? last : value);
        return value;
      }
      last = value;
      let finished = false;
      try {
        yield value;
        finished = true;
      } finally {
        if (!finished) await values.return?.();
      }
    }
  } catch (error) {
    await call.failed(error);
    throw error;
  } finally {
    await call.finished(last); // nothing, where its end was reported
  }
}, fn);

export const wrapTool = (session, name, fn, options) => {
  if (typeof name === 'function') return wrapTool(session, name.name || 'tool', name, fn);
  if (typeof fn !== 'function') throw new TypeError('tool(name, fn): fn is no function');
  if (isGenerator(fn)) return wrapGenerator(session, name, fn, options);
  return naming(function supervised(...list) {
    return session.call(name, named(list), (args, { edited }) => fn.apply(this, listed(list, { args, edited })), options);
  }, fn);
};
