// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';

let time = 0;
let number = 0;

/** A UUIDv7: in the order of time, also within a millisecond and when the clock is set back. */
export const newId = () => {
  const now = Date.now();
  if (now > time) {
    time = now;
    number = 0;
  } else if (++number > 0xfff) {
    ++time;
    number = 0;
  }
  const random = randomBytes(8);
  random[0] = (random[0] & 0x3f) | 0x80;
  const head = time.toString(16).padStart(12, '0');
  const rest = random.toString('hex');
  return `${head.slice(0, 8)}-${head.slice(8)}-7${number.toString(16).padStart(3, '0')}-${rest.slice(0, 4)}-${rest.slice(4)}`;
};

/** An id that the daemon takes, like the one given. */
export const sessionId = (given) => {
  const text = String(given).replace(/[^A-Za-z0-9._~:-]/g, '-').slice(0, 128);
  return text === '' || text === '.' || text === '..' ? `ts-${newId()}` : text;
};
