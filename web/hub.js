// SPDX-License-Identifier: Apache-2.0

// The one live connection of a browser: a stream over all sessions, folded into the rows that pages show, and handed to them
// in batches. Runs in worker.js, or in the page where there is no SharedWorker. Pages are `ports` with send(message).
//
// Nothing is lost or doubled: the stream resumes at the last id seen; a row takes event n + 1 and nothing else, drops what
// it has, and is read again when there is a gap.
import { get, query, setLogin } from './api.js';
import { fold, NEEDS, TYPES } from './fold.js';
import { openStream } from './stream.js';

const FLUSH_MS = 200;
const REREAD_MS = 2000; // what no event says (rounds, pressure) of rows on a screen
const OVERVIEW_MS = 400;
const FORGET_MS = 200000; // a page that has not said anything for so long is gone; background tabs do so once a minute
const EVENTS_MAX = 1000; // of a followed session in one batch; more is a gap
const HEADS_MAX = 50000;
const HEAD = /^\{"session":"([^"]*)","n":(\d+),/;

export class Hub {
  constructor() {
    Object.assign(this, {
      ports: new Map(),
      rows: new Map(), // id -> row, of all pages
      heads: new Map(), // id -> last n seen, for rows that come later
      changed: new Set(),
      stale: new Set(), // ids to read again now
      dirty: new Set(), // ids to read again at leisure
      last: null, // id of the stream
      login: '',
      link: { state: 'connecting', since: Date.now() },
      overview: null, asked: 0, answered: 0, retry: 0,
    });
    setInterval(() => this.flush(), FLUSH_MS);
    setInterval(() => this.reread(this.dirty), REREAD_MS);
  }

  join(port) {
    this.ports.set(port, { watch: new Set(), follow: null, events: [], seen: Date.now() });
    port.send({ link: this.link, overview: this.overview });
    if (!this.source) this.start(); // a page that has just come does not wait for the next try
  }

  leave(port) {
    this.ports.delete(port);
    if (this.ports.size) return;
    this.stop();
    this.setLink('connecting'); // nothing is live until a page comes
  }

  receive(port, message) {
    if ('login' in message) this.show(message.login);
    if (!this.ports.has(port)) {
      if (message.bye) return;
      this.join(port);
      // A page that comes says all it wants. This one was forgotten, as after a sleep, and does not know it.
      if (!('watch' in message && 'follow' in message)) port.send({ forgot: true });
    }
    const page = this.ports.get(port);
    page.seen = Date.now();
    if (message.bye) this.leave(port);
    if (message.watch) this.watch(page, message.watch);
    if ('follow' in message) { page.follow = message.follow; page.events = []; }
    if (message.look) this.askOverview(0);
  }

  // Another login: what is open was let in by the one before.
  show(login) {
    if (login === this.login) return;
    this.login = login;
    setLogin(login);
    if (!this.ports.size) return;
    this.retry = 0;
    this.start();
  }

  // The rows on a page's screen, as it read them.
  watch(page, rows) {
    page.watch = new Set(rows.map((row) => row.id));
    for (const row of rows) {
      const known = this.rows.get(row.id);
      if (!known || known.n < row.n) this.rows.set(row.id, row);
      else if (known.n > row.n) this.changed.add(row.id);
      if ((this.heads.get(row.id) ?? 0) > this.rows.get(row.id).n) this.stale.add(row.id);
    }
    for (const id of this.rows.keys()) if (![...this.ports.values()].some((other) => other.watch.has(id))) this.rows.delete(id);
  }

  // -- the stream

  async start() {
    this.stop();
    try {
      await this.readOverview(); // says where the stream begins, and whether one may read it
    } catch (error) {
      if (this.source) return; // another try was faster
      return this.lost(error.status === 401 ? 'refused' : '');
    }
    if (this.source || !this.ports.size) return;
    const ours = { hello: () => this.live(), reset: (event) => this.reset(event), lagged: () => this.lost('lagged'), goodbye: () => this.lost() };
    const known = new Set(TYPES);
    this.source = openStream('/v1/stream' + query({ last_event_id: this.last }), (event) => {
      if (Object.hasOwn(ours, event.type)) ours[event.type]();
      else if (known.has(event.type)) this.take(event);
    }, () => this.lost());
  }

  stop() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.timer);
    this.timer = 0;
  }

  live() {
    this.retry = 0;
    this.setLink('live');
    this.askOverview(0);
  }

  lost(why) {
    if (this.timer) return;
    this.stop();
    this.setLink(why === 'refused' ? why : this.retry++ ? 'offline' : 'connecting');
    const wait = why === 'lagged' ? 50 : Math.min(5000, 250 * 2 ** Math.min(this.retry, 6)) * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => this.start(), wait);
  }

  setLink(state) {
    if (state === this.link.state) return;
    const broken = state !== 'live' && this.link.state !== 'live';
    this.link = { state, since: broken ? this.link.since : Date.now() };
    this.tell({ link: this.link });
  }

  // Where the stream goes on from where it was, sessions were deleted and all other events come: lists are read again, at their
  // own pace. Else what was known is not what the daemon has, and everything is read again.
  reset(event) {
    if (String(JSON.parse(event.data).from) === this.last) {
      this.fresh = true;
      return this.askOverview(OVERVIEW_MS);
    }
    this.rows.clear();
    this.heads.clear();
    this.askOverview(0);
    this.tell({ reset: true });
  }

  take(event) {
    this.last = event.lastEventId;
    const data = event.data;
    const head = HEAD.exec(data); // most events are of no page; their data is not read
    let parsed;
    const id = head?.[1] ?? (parsed = JSON.parse(data)).session;
    const n = Number(head?.[2] ?? parsed.n);
    this.heads.set(id, n);
    if (this.heads.size > HEADS_MAX) this.heads.delete(this.heads.keys().next().value);
    const row = this.rows.get(id);
    if (row && n > row.n) {
      const next = fold(row, (parsed ??= JSON.parse(data)));
      if (next) { this.rows.set(id, next); this.changed.add(id); } else this.stale.add(id);
      this.dirty.add(id);
    }
    for (const page of this.ports.values()) if (page.follow === id) page.events.push((parsed ??= JSON.parse(data)));
    if (NEEDS.test(event.type)) { this.askOverview(OVERVIEW_MS); this.fresh = true; }
  }

  // -- towards the pages

  tell(message) {
    for (const port of this.ports.keys()) port.send(message);
  }

  flush() {
    if (this.stale.size) this.reread(this.stale);
    for (const [port, page] of this.ports) {
      if (Date.now() - page.seen > FORGET_MS) { this.leave(port); continue; }
      const rows = [];
      for (const id of this.changed) if (page.watch.has(id) && this.rows.has(id)) rows.push(this.rows.get(id));
      const message = {};
      if (rows.length) message.rows = rows;
      if (page.events.length > EVENTS_MAX) { message.gap = true; page.events = []; }
      if (page.events.length) { message.events = page.events; page.events = []; }
      if (this.fresh) message.fresh = true;
      if (Object.keys(message).length) port.send(message);
    }
    this.changed.clear();
    this.fresh = false;
  }

  async reread(ids) {
    if (!ids.size || this.link.state !== 'live' || this.rereading) return;
    const wanted = [...ids].filter((id) => this.rows.has(id));
    ids.clear();
    this.rereading = true;
    try {
      for (let i = 0; i < wanted.length; i += 200) {
        const part = wanted.slice(i, i + 200).join(',');
        const reply = await get('/v1/sessions' + query({ view: 'row', ids: part, limit: 200 }));
        for (const row of reply.sessions) {
          if (this.rows.has(row.id) && row.n >= this.rows.get(row.id).n) { this.rows.set(row.id, row); this.changed.add(row.id); }
        }
      }
    } catch { // the next event, or the next link, asks again
      for (const id of wanted) this.dirty.add(id);
    }
    this.rereading = false;
  }

  askOverview(wait) {
    this.overviewTimer ??= setTimeout(() => {
      this.overviewTimer = null;
      this.readOverview().catch(() => {}); // the next event, or the next link, asks again
    }, wait);
  }

  async readOverview() {
    const asked = ++this.asked;
    const overview = await get('/v1/overview');
    if (asked < this.answered) return; // overtaken
    this.answered = asked;
    this.last ??= String(overview.cursor);
    this.overview = overview;
    this.tell({ overview });
  }
}
