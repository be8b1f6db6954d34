// SPDX-License-Identifier: Apache-2.0
// Reports that are not waited for: in order, in the background, each with an id, so that sending it again counts it once.
import { within } from './awaited.js';
import { newId } from './ids.js';

const QUEUE_MAX = 512; // reports that wait; older ones give way
const BYTES_MAX = 4 << 20; // of them
const BATCH_MAX = 100;
const BATCH_BYTES_MAX = 900 << 10; // the daemon takes 1 MiB
const AGAIN_MS = 2_000; // between two tries
const EVENT_BYTES_MAX = 300 << 10;

export class Reports {
  #transport;
  #session;
  #open;
  #heard;
  #queue = []; // of {id, text}
  #bytes = 0;
  #sending = null;
  #timer;
  #closed = false;
  lost = 0;

  constructor(transport, session, { open, heard }) {
    this.#transport = transport;
    this.#session = session;
    this.#open = open;
    this.#heard = heard;
  }

  get size() { return this.#queue.length; }

  add(type, data, id = newId()) {
    if (this.#closed) return;
    const text = JSON.stringify({ type, event_id: id, data });
    if (text.length > EVENT_BYTES_MAX) {
      ++this.lost;
      return;
    }
    this.#queue.push({ id, text });
    this.#bytes += text.length;
    while (this.#queue.length > QUEUE_MAX || this.#bytes > BYTES_MAX) this.#drop();
    this.#soon();
  }

  #drop() {
    this.#bytes -= this.#queue.shift().text.length;
    ++this.lost;
  }

  /** A sign of life, where nothing else waits to be one. */
  beat() {
    if (this.#queue.length === 0) this.add('heartbeat', {});
    else this.#soon();
  }

  #soon() {
    if (this.#sending || this.#timer || this.#closed) return;
    const wait = this.#transport.away ? AGAIN_MS : 0;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, wait);
    this.#timer.unref();
  }

  #send() {
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = null;
      if (this.#queue.length) this.#soon();
    });
    return this.#sending;
  }

  async #drain() {
    while (this.#queue.length && !this.#closed) {
      if (!(await this.#transport.there()) || !(await this.#open())) return;
      const batch = this.#batch();
      const body = `[${batch.map(({ text }) => text).join(',')}]`;
      const { failed, status, json } = await this.#transport.send('POST', `/v1/sessions/${encodeURIComponent(this.#session())}/events`, body,
        { background: true });
      if (failed || status === 429 || status === 401 || status === 408 || status >= 500) return; // the same again, later
      if (status !== 200 && batch.length > 1 && status !== 404 && status !== 409) {
        await this.#singly(batch);
        continue;
      }
      this.#done(batch, status === 200);
      if (status === 200) this.#heard(json);
    }
  }

  #batch() {
    let bytes = 0;
    const end = this.#queue.findIndex(({ text }, i) => (bytes += text.length * 3) > BATCH_BYTES_MAX * 3 && i > 0);
    return this.#queue.slice(0, Math.min(BATCH_MAX, end < 0 ? this.#queue.length : end));
  }

  // Reports dropped meanwhile for lack of room are not in the queue any more.
  #done(batch, counted) {
    const sent = new Set(batch);
    const before = this.#queue.length;
    this.#queue = this.#queue.filter((report) => !sent.has(report));
    this.#bytes = this.#queue.reduce((sum, { text }) => sum + text.length, 0);
    if (!counted) this.lost += before - this.#queue.length;
  }

  // One of them is not taken, and none is then: each by itself.
  async #singly(batch) {
    for (const report of batch) {
      const { failed, status } = await this.#transport.send('POST', `/v1/sessions/${encodeURIComponent(this.#session())}/events`, report.text,
        { background: true });
      if (failed || status === 429 || status >= 500) return;
      this.#done([report], status === 200);
    }
  }

  /** Until nothing is left, or `ms` have gone by, or no daemon is there. */
  async flush(ms) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#queue.length === 0 && !this.#sending) return;
    if (this.#transport.away && !(await this.#transport.there())) return;
    await within(ms, this.#send());
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}
