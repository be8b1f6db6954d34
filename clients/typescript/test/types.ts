// SPDX-License-Identifier: Apache-2.0
// Code of users, against the types: compiled in strict mode, not run.
import headway, { Denied, Session, Stop, run, session } from 'headway-agent';
import { supervise } from 'headway-agent/ai-sdk';
import { settings } from 'headway-agent/claude';
import { supervise as mastra } from 'headway-agent/mastra';
import { supervise as agents } from 'headway-agent/openai-agents';
import { WaitError, startHeadway, supervised } from 'headway-agent/testing';

export async function use(): Promise<void> {
  const s: Session = await session({ goal: 'x', agent: { type: 'coder' }, budget: { max_steps: 3 }, labels: { a: 'b' } });
  const add = s.tool('add', async (a: number, b: number) => a + b);
  const sum: number = await add(1, 2);
  const values = s.tool('values', async function* values(n: number) { yield n; });
  for await (const value of values(3)) value.toFixed();
  const length: number = await s.call('length', { text: 'x' }, ({ text }, { signal }) => (signal.aborted ? 0 : text.length), { approval: true });
  const call = await s.begin('rm', { path: 'x' });
  if (call.denied === null) await call.finished(sum + length);
  const words: string = s.advice() + s.budgetBlock();
  s.said(words, { input_tokens: 1 });
  const answer: string | null = await s.ask('which?', { choices: ['a'] });
  const { allowed, args } = await s.approve('deploy', { to: 'staging' });
  if (allowed) args.to.trim();
  const child = await s.child({ goal: answer ?? 'part' });
  await child.end('completed', { result: { x: 1 } });
  const result: number | undefined = await run({ goal: 'x' }, async (inner) => inner.id.length);
  try {
    await headway.run(undefined, () => result);
  } catch (error) {
    if (error instanceof Denied || error instanceof Stop) error.reason.trim();
  }
  const options = supervise(s, { model: { doGenerate: () => 1 }, tools: { a: { execute: () => 1 } }, prompt: 'x' });
  options.prompt.trim();
  agents(s).tool({ name: 'shell', execute: (input: { command: string }) => input.command }).execute({ command: 'x' });
  mastra(s).tools({ a: 1 }).a.toFixed();
  Object.keys(settings({ require: true }).hooks);
  await using hw = await startHeadway({ settings: { 'approvals.require_tools': 'rm' } });
  const body: () => Promise<void> = supervised(async () => {
    const { verdict } = await hw.wait('x', { until: 'settled', signal: AbortSignal.timeout(5) });
    verdict?.status.trim();
  });
  await body().catch((error: unknown) => (error instanceof WaitError ? error.events.length : 0));
  // @ts-expect-error: an outcome that there is not
  await s.end('done');
  // @ts-expect-error: arguments of another type
  await add('1', 2);
}
