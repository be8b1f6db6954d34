// SPDX-License-Identifier: Apache-2.0

// Server-Sent Events by fetch, since an EventSource sends no header. `take({type, lastEventId, data})` for each event, `end()` when the
// stream is over or was never there, unless close() ended it. It is over, too, when nothing comes for SILENCE_MS: a daemon that hangs, or a
// connection that a sleep or a router has cut, ends no body.
import { shown } from './api.js';

const SILENCE_MS = 40000; // the daemon sends a comment every 15 s

export function openStream(path, take, end) {
  const stop = new AbortController();
  let last = '', closed = false, timer;
  const alive = () => { clearTimeout(timer); timer = setTimeout(() => stop.abort(), SILENCE_MS); };

  function frame(text) {
    const event = { type: 'message', data: [] };
    for (const line of text.split('\n')) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon), value = line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
      if (name === 'id') last = value;
      else if (name === 'event') event.type = value;
      else if (name === 'data') event.data.push(value);
    }
    if (event.data.length && !closed) take({ type: event.type, lastEventId: last, data: event.data.join('\n') });
  }

  async function read() {
    const options = { cache: 'no-store', headers: { Accept: 'text/event-stream', ...shown() }, signal: stop.signal };
    alive();
    const response = await fetch(path, options);
    if (!response.ok) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ;) {
      alive();
      const { value, done } = await reader.read();
      if (done) return;
      const frames = (rest + value).split('\n\n');
      rest = frames.pop();
      frames.forEach(frame);
    }
  }

  read().catch(() => {}).then(() => { clearTimeout(timer); if (!closed) end(); });
  return { close: () => { closed = true; clearTimeout(timer); stop.abort(); } };
}
