// SPDX-License-Identifier: Apache-2.0
// The same wish in the words of each agent: which of its tools runs a command or starts a sub-agent, and with which arguments.

const has = (tool, name) => Boolean(tool.schema?.properties?.[name]);

// Only what the tool knows: some agents refuse a call with an argument too many.
const known = (tool, args) => Object.fromEntries(Object.entries(args).filter(([name]) => has(tool, name)));

const shell = {
  exec_command: (tool, cmd) => ({ cmd }),
  run_commands: (tool, command) => ({ commands: [command] }),
  run_shell_command: (tool, command) => known(tool, { command, description: 'a step', is_background: false }),
  Bash: (tool, command) => known(tool, { command, description: 'a step' }),
  bash: (tool, command) => known(tool, { command, description: 'a step', mode: 'sync' }),
};

const task = (tool, prompt) => known(tool, { description: 'a part', prompt, name: 'part', mode: 'sync', run_in_background: false,
  subagent_type: tool.name === 'task' && !has(tool, 'agent_type') ? 'general' : 'general-purpose', agent_type: 'general-purpose' });

const sub = {
  Agent: task,
  Task: task,
  agent: task,
  task,
  invoke_agent: (tool, prompt) => ({ agent_name: 'generalist', prompt }),
  spawn_agent: (tool, prompt) => (has(tool, 'message') ? { message: prompt, fork_context: false }
    : { systemPrompt: 'You echo.', task: prompt }),
};

const choices = (question) => [{ question, header: 'Harbour', multiSelect: false, options: [{ label: 'North', description: 'the north' }, { label: 'South', description: 'the south' }] }];

const ask = {
  AskUserQuestion: (tool, question) => ({ questions: choices(question) }),
  question: (tool, question) => ({ questions: choices(question) }),
  ask_user_question: (tool, question) => ({ questions: choices(question) }),
  ask_user: (tool, question) => (has(tool, 'questions') ? { questions: choices(question).map((one) => ({ ...one, type: 'choice' })) } : known(tool, { question, choices: ['North', 'South'], message: question })),
  ask_question: (tool, question) => known(tool, { question, options: ['North', 'South'] }),
  ask_followup_question: (tool, question) => known(tool, { question, options: ['North', 'South'] }),
  request_user_input: (tool, question) => ({ questions: choices(question).map((one) => ({ id: 'harbour', ...one })) }),
};

const background = {
  Bash: (tool, command) => known(tool, { command, description: 'a step', run_in_background: true }),
  run_shell_command: (tool, command) => known(tool, { command, description: 'a step', is_background: true }),
  bash: (tool, command) => known(tool, { command, description: 'a step', mode: 'async', background: true, run_in_background: true, detach: true }),
  exec_command: (tool, cmd) => known(tool, { cmd, yield_time_ms: 500 }),
};

const ways = { shell, sub, ask, background };

// Codex takes this call although it names the tool only when it is searched for.
const hidden = { exec_command: { name: 'spawn_agent', namespace: 'multi_agent_v1', schema: { properties: { message: {} } } } };

export const call = (tools, way, words) => {
  const tool = tools.find(({ name }) => ways[way][name]) ?? tools.map(({ name }) => hidden[name]).find(Boolean);
  if (!tool) throw new Error(`no tool for "${way}" among: ${tools.map(({ name }) => name).join(' ')}`);
  return { name: tool.name, ...(tool.namespace ? { namespace: tool.namespace } : {}), args: ways[way][tool.name](tool, words) };
};
