// SPDX-License-Identifier: Apache-2.0
// Work in the background keeps no process alive; a wait of a caller does, or node would end in the middle of it.
let waiting = 0;
let keeper;

export const awaited = async (promise) => {
  if (waiting++ === 0) keeper = setInterval(() => {}, 1 << 30);
  try {
    return await promise;
  } finally {
    if (--waiting === 0) clearInterval(keeper);
  }
};

/** The promise's value, or undefined after `ms`. */
export const within = async (ms, promise) => {
  let timer;
  try {
    return await Promise.race([promise, new Promise((resolve) => { timer = setTimeout(resolve, ms); })]);
  } finally {
    clearTimeout(timer);
  }
};

const listeners = new WeakMap();

/** Calls `then` once when the signal is aborted; gives what takes it back. One listener for all, as node warns about many. */
export const onAbort = (signal, then) => {
  if (!signal) return () => {};
  let all = listeners.get(signal);
  if (!all) {
    listeners.set(signal, all = new Set());
    signal.addEventListener('abort', () => { for (const one of [...all]) one(); all.clear(); }, { once: true });
  }
  all.add(then);
  return () => all.delete(then);
};
