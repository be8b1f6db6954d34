// SPDX-License-Identifier: Apache-2.0
// A daemon that answers as a test wants: `answer(request)` gives `{status, json, headers}`, with `other` as another program, a list (or `parts`) of texts and pauses in milliseconds,
// or null for silence. And a way between a client and a real daemon that loses answers.
import http from 'node:http';
import net from 'node:net';

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms).unref(); });

export const stand = async (answer = () => ({})) => {
  const got = [];
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const seen = { method: request.method, path: request.url, headers: request.headers, body: text ? JSON.parse(text) : undefined };
    got.push(seen);
    const said = await self.answer(seen);
    if (said === null) return;
    const own = said.other ? {} : { 'X-Headway': '1' };
    const parts = Array.isArray(said) ? said : said.parts;
    if (parts) {
      response.writeHead(200, { 'Content-Type': 'application/json', ...own });
      response.flushHeaders();
      for (const part of parts) if (typeof part === 'number') await pause(part); else if (part === 'cut') return void response.destroy(); else response.write(part);
      return void response.end();
    }
    response.writeHead(said.status ?? 200, { 'Content-Type': 'application/json', ...own, ...said.headers });
    response.end(said.text ?? JSON.stringify(said.json ?? {}));
  });
  server.on('clientError', () => {});
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const self = { got, answer, server, url: `http://127.0.0.1:${server.address().port}`, port: server.address().port,
    hooks: (event) => got.filter(({ path, body }) => path === '/v1/hooks/generic' && (!event || body.event === event)).map(({ body }) => body),
    events: (type) => got.filter(({ path }) => path.endsWith('/events')).flatMap(({ body }) => body).filter((one) => !type || one.type === type),
    close: () => { server.closeAllConnections(); server.close(); } };
  return self;
};

/** Passes everything on, but while `self.lose` is true the daemon's answers are cut off. */
export const lossy = async () => {
  const open = new Set();
  const server = net.createServer((client) => {
    const daemon = net.connect(self.to, '127.0.0.1');
    open.add(client);
    client.pipe(daemon);
    daemon.on('data', (data) => { if (self.lose) client.destroy(); else client.write(data); });
    for (const end of [client, daemon]) end.on('error', () => {}).on('close', () => { client.destroy(); daemon.destroy(); open.delete(client); });
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const self = { to: 0, lose: false, host: `127.0.0.1:${server.address().port}`, url: `http://127.0.0.1:${server.address().port}`, close: () => { server.close(); for (const one of open) one.destroy(); } };
  return self;
};

export const until = async (condition, what = 'it') => {
  const end = performance.now() + 20_000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within 20 s: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
};

/** A URL at which no server listens. */
export const vacant = async () => {
  const server = net.createServer();
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const { port } = server.address();
  await new Promise((resolve) => { server.close(resolve); });
  return { url: `http://127.0.0.1:${port}`, port };
};
