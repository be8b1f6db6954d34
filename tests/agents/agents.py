# SPDX-License-Identifier: Apache-2.0
"""Particulars of each agent: its packages, its settings for a model of our own, its command line, and its limits."""
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

MODEL = "fake-model"
NO_TOKENS = {"tokens": "only by telemetry"}


@dataclass(frozen=True)
class Agent:
    name: str  # as `headway install` calls it
    title: str
    packages: tuple  # NAME@VERSION; the first one is the agent
    shell: str  # the tool that runs a command, as its hooks call it
    configure: Callable  # (home, url of the model) before the first run
    environment: Callable  # (url of the model) -> variables
    command: tuple  # the prompt comes behind it
    resume: tuple  # the same, to go on with the last conversation
    refuses: tuple = ()  # the same, where its own rules refuse a shell command; empty: as always, after forbid()
    forbid: Callable = lambda home: None  # settings by which they do
    tries_seconds: int = 60  # for which it asks a provider again that refuses, at most
    tells_reset: bool = True  # it passes on when a usage limit resets
    subscribed: Callable = lambda home: {}  # logs in with a plan; variables that change, None: which go
    asks: tuple = ()  # the same, where it asks for permission of a shell command, and its hook about that
    hook: str = "command"  # or http, plugin: what talks to the daemon
    hooks_a_call: int = 2  # how often it talks to the daemon from one answer of the model to the next request
    plugin: str = ""  # its file below the home folder,
    timed_plugin: str = ""  # and what times the plugin inside of the agent
    settings: str = ""  # the file with the URLs of http hooks,
    commands_too: bool = False  # and whether commands stand beside them
    install: tuple = ()  # more arguments of `headway install`
    refusal_ends_run: bool = False  # a call cannot be refused by itself
    tells_prompt: bool = True  # some hook has the words of the person
    asks_first: str = ""  # why a person has to allow the test
    cannot: dict = field(default_factory=dict)  # behaviour -> why it is impossible by the agent's nature
    first: Callable = lambda url: ()  # commands before the first run

    @property
    def by_url_only(self) -> bool:
        return self.hook != "command" and not self.commands_too

    @property
    def version(self) -> str:
        return self.packages[0].rpartition("@")[2]


def write(path: Path, text) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text, indent=1))


def nothing(home, url):
    """No settings are needed."""


def changed(path: Path, change: Callable):
    """The settings in a file of JSON, with a change."""
    settings = json.loads(path.read_text()) if path.exists() else {}
    change(settings)
    write(path, settings)


def codex_forbid(home: Path):
    write(home / ".codex/rules/default.rules", 'prefix_rule(pattern=["touch"], decision="forbidden")\n')


def gemini_forbid(home: Path):
    write(home / ".gemini/policies/test.toml", '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "deny"\npriority = 900\n')


def qwen_forbid(home: Path):
    changed(home / ".qwen/settings.json", lambda settings: settings.setdefault("permissions", {}).update(deny=["Bash(touch *)"]))


def opencode_forbid(name: str) -> Callable:
    return lambda home: changed(home / f".config/{name}/{name}.json",
                                lambda settings: settings.update(permission={"bash": {"*": "allow", "touch *": "deny"}}))


def claude_forbid(home: Path):
    changed(home / ".claude/settings.json", lambda settings: settings.update(permissions={"deny": ["Bash(touch:*)"]}))


def claude_plan(home: Path) -> dict:
    login = {"accessToken": "sk-ant-oat01-dummy", "refreshToken": "sk-ant-ort01-dummy", "expiresAt": int((time.time() + 9 * 3600) * 1000),
             "scopes": ["user:inference", "user:profile"], "subscriptionType": "max", "rateLimitTier": "default_claude_max_5x"}
    write(home / ".claude/.credentials.json", {"claudeAiOauth": login})
    return {"ANTHROPIC_API_KEY": None}


def codex(home: Path, url: str):
    write(home / ".codex/config.toml", f"""model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[analytics]
enabled = false
""")


def gemini(home: Path, url: str):
    write(home / ".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
                                           "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}})


def qwen(home: Path, url: str):
    write(home / ".qwen/settings.json", {"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
                                         "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}})


def opencode_like(name: str) -> Callable:
    def configure(home: Path, url: str):
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": f"{url}/v1", "apiKey": "x"},
                    "models": {MODEL: {"name": "fake", "limit": {"context": 100000, "output": 8000}, "tool_call": True}}}
        write(home / f".config/{name}/{name}.json", {"autoupdate": False, "share": "disabled", "model": f"fake/{MODEL}",
                                                    "small_model": f"fake/{MODEL}", "provider": {"fake": provider}})
    return configure


# The plugin inside of the agent, with a clock around each of its hooks. An agent awaits them, so the time that it lets pass itself
# counts too.
TIMED_PLUGIN = """import { appendFileSync } from 'node:fs';
import { Headway as real } from '%(plugin)s';
export const Headway = async (input) => Object.fromEntries(Object.entries(await real(input)).map(([name, hook]) =>
  [name, typeof hook !== 'function' ? hook : async (...given) => {
    const began = performance.now();
    try { return await hook(...given); } finally { appendFileSync('%(log)s', `${name} ${performance.now() - began}\\n`); }
  }]));
"""


def pi(home: Path, url: str):
    provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "dummy", "models": [{"id": MODEL}]}
    write(home / ".pi/agent/models.json", {"providers": {"fake": provider}})


def opencode_environment(name: str) -> Callable:
    words = ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return lambda url: {f"{name}_DISABLE_{word}": "1" for word in words}


AGENTS = (
    Agent("codex", "Codex", ("@openai/codex@0.171.0",), "Bash", codex, lambda url: {"FAKE_KEY": "x"},
          ("codex", "exec", "--json"), ("codex", "exec", "resume", "--last", "--json"), install=("--trust",), forbid=codex_forbid),
    Agent("gemini", "Gemini CLI", ("@google/gemini-cli@0.61.0",), "run_shell_command", gemini,
          lambda url: {"GEMINI_API_KEY": "d", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_NO_RELAUNCH": "true"},
          ("gemini", "-m", "gemini-2.5-pro", "--output-format", "json", "--approval-mode", "yolo", "-p"),
          ("gemini", "-m", "gemini-2.5-pro", "--output-format", "json", "--approval-mode", "yolo", "--resume", "latest", "-p"),
          forbid=gemini_forbid, tells_reset=False, tries_seconds=240,
          cannot={"sub-agent": "calls appear in the parent session"}),
    Agent("qwen", "Qwen Code", ("@qwen-code/qwen-code@0.24.4", "node@22"), "run_shell_command", qwen,
          lambda url: {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{url}/v1"},
          ("qwen", "-m", "qwen3-coder", "--output-format", "json", "--approval-mode", "yolo", "-p"),
          ("qwen", "-m", "qwen3-coder", "--output-format", "json", "--approval-mode", "yolo", "--continue", "-p"), hook="http",
          settings=".qwen/settings.json", forbid=qwen_forbid, tells_reset=False, tries_seconds=160,
          commands_too=True, hooks_a_call=4,
          cannot=dict.fromkeys(("daemon hangs in a hold", "daemon hangs before a call"), "60 s, then the call runs") | NO_TOKENS),
    Agent("opencode", "opencode", ("opencode-ai@1.18.33",), "bash", opencode_like("opencode"), opencode_environment("OPENCODE"),
          ("opencode", "run", "--format", "json"), ("opencode", "run", "--continue", "--format", "json"), hook="plugin",
          plugin=".config/opencode/plugin/headway.js", forbid=opencode_forbid("opencode"), tries_seconds=160, timed_plugin=TIMED_PLUGIN),
    Agent("kilo", "Kilo", ("@kilocode/cli@7.7.7",), "bash", opencode_like("kilo"), opencode_environment("KILO"),
          ("kilo", "run", "--format", "json"), ("kilo", "run", "--continue", "--format", "json"), hook="plugin",
          plugin=".config/kilo/plugin/headway.js", forbid=opencode_forbid("kilo"), tries_seconds=160, timed_plugin=TIMED_PLUGIN),
    Agent("copilot", "Copilot CLI", ("@github/copilot@1.0.102",), "Bash", nothing,
          lambda url: {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "gpt-4.1", "COPILOT_PROVIDER_API_KEY": "dummy-key-123456",
                       "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"},
          ("copilot", "--allow-all", "--output-format", "json", "--no-auto-update", "-p"),
          ("copilot", "--allow-all", "--output-format", "json", "--no-auto-update", "--continue", "-p"),
          refuses=("copilot", "--allow-all", "--deny-tool", "shell(touch)", "--output-format", "json", "--no-auto-update", "-p"), tells_reset=False,
          asks=("copilot", "--output-format", "json", "--no-auto-update", "-p"),
          cannot=NO_TOKENS | {"goes on after kill -9": "it names its conversation at its end"}),
    Agent("cline", "Cline", ("cline@3.0.65",), "run_commands", nothing, lambda url: {}, ("cline", "--json"),
          (), cannot={"resume": "only in a terminal",
                                           "refused by its own rules": "it has none"} | NO_TOKENS, tells_reset=False,
          refusal_ends_run=True, tells_prompt=False, first=lambda url: (("cline", "auth", "openai-compatible", "-k", "dummy-key-123", "-m", MODEL,
                                                                 "-b", f"{url}/v1"),)),
    Agent("pi", "pi", ("@earendil-works/pi-coding-agent@1.5.2", "node@22"), "bash", pi, lambda url: {},
          ("pi", "--provider", "fake", "--model", MODEL, "--mode", "json", "-p"),
          ("pi", "--provider", "fake", "--model", MODEL, "--mode", "json", "--continue", "-p"), hook="plugin", tells_reset=False,
          cannot={"sub-agent": "it has none", "refused by its own rules": "it has none"}),
    Agent("claude", "Claude Code", ("@anthropic-ai/claude-code@2.1.332",), "Bash", nothing,
          lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                       "DISABLE_AUTOUPDATER": "1"},
          ("claude", "--model", "claude-sonnet-4-5", "--output-format", "json", "--allowedTools", "Bash,Agent", "-p"),
          ("claude", "--model", "claude-sonnet-4-5", "--output-format", "json", "--allowedTools", "Bash,Agent", "--continue", "-p"),
          asks=("claude", "--model", "claude-sonnet-4-5", "--output-format", "json", "-p"), hook="http",
          settings=".claude/settings.json", forbid=claude_forbid, subscribed=claude_plan, tries_seconds=230, commands_too=True, hooks_a_call=3, asks_first="HEADWAY_TEST_CLAUDE",
          cannot=dict.fromkeys(("daemon hangs in a hold", "daemon hangs before a call"), "a day, or until the service restarts the daemon")),
)
for _agent in AGENTS:
    if not _agent.asks:
        _agent.cannot["dialog answered remotely"] = "only in a terminal"
BY_NAME = {agent.name: agent for agent in AGENTS}
