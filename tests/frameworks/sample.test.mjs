// SPDX-License-Identifier: Apache-2.0
// Code of a user of the helper; the second and the third test fail on purpose.
import { session } from 'headway-agent';
import { startHeadway, supervised } from 'headway-agent/testing';
import { afterAll, expect, test } from './runner.mjs';

const hw = await startHeadway();
afterAll(() => hw.stop());

const agent = async (fails) => {
  const s = await session({ url: hw.url, goal: 'make it green' });
  await s.tool('bash', async () => 'x')({ command: 'make' });
  if (fails) await s.fail(new Error('no luck'));
  else await s.end();
  return s;
};

test('a session that completes', supervised(async () => {
  const s = await agent(false);
  expect((await hw.wait(s.id)).verdict.status).toBe('completed');
}));

test('a session that fails', supervised(async () => {
  const s = await agent(true);
  await hw.wait(s.id);
}));

test('an assertion that fails', supervised(async () => {
  await agent(false);
  expect(1).toBe(2);
}));
