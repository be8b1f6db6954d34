// SPDX-License-Identifier: Apache-2.0
// Cost of a supervised call of the TypeScript client, beside the call itself: node typescript.mjs [CALLS]. With HEADWAY_URL also with a
// daemon. One line of JSON for each row; microseconds.
import net from 'node:net';
import { session } from '../../clients/typescript/src/index.js';

const CALLS = Number(process.argv[2]) || 2000;

const measure = async (url, daemon) => {
  const s = await session({ url, goal: 'measure', agent: 'bench' });
  const bare = async ({ n }) => n;
  const tool = s.tool('bash', bare);
  const times = [];
  for (let n = 0; n < CALLS + 200; ++n) {
    const args = { n, command: 'make test' };
    const began = performance.now();
    await tool(args);
    if (n >= 200) times.push(performance.now() - began); // what comes before warms up
  }
  if (s.away === daemon) throw new Error(daemon ? 'the daemon is away' : 'a daemon is there');
  await s.end();
  times.sort((a, b) => a - b);
  const at = (share) => Math.round(times[Math.floor(times.length * share)] * 10_000) / 10; // of a millisecond: tenths of a microsecond
  console.log(JSON.stringify({ client: 'typescript', daemon, median_us: at(0.5), p99_us: at(0.99), calls: CALLS }));
};

const free = await new Promise((resolve) => {
  const server = net.createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => resolve(port)); });
});
await measure(`http://127.0.0.1:${free}`, false);
if (process.env.HEADWAY_URL) await measure(process.env.HEADWAY_URL, true);
