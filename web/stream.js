// SPDX-License-Identifier: Apache-2.0

// Server-Sent Events by fetch, since an EventSource sends no header. `take({type, lastEventId, data})` for each event, `end()` when the
// stream is over or was never there, unless close() ended it.
import { shown } from './api.js';

export function openStream(path, take, end) {
  const stop = new AbortController();
  let last = '';

  function frame(text) {
    const event = { type: 'message', data: [] };
    for (const line of text.split('\n')) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon), value = line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
      if (name === 'id') last = value;
      else if (name === 'event') event.type = value;
      else if (name === 'data') event.data.push(value);
    }
    if (event.data.length && !stop.signal.aborted) take({ type: event.type, lastEventId: last, data: event.data.join('\n') });
  }

  async function read() {
    const options = { cache: 'no-store', headers: { Accept: 'text/event-stream', ...shown() }, signal: stop.signal };
    const response = await fetch(path, options);
    if (!response.ok) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const frames = (rest + value).split('\n\n');
      rest = frames.pop();
      frames.forEach(frame);
    }
  }

  read().catch(() => {}).then(() => { if (!stop.signal.aborted) end(); });
  return { close: () => stop.abort() };
}
