# SPDX-License-Identifier: Apache-2.0
"""Words of agents that Headway knows, read from its own sources: the dialects of hooks, the plugins, the table of hooks that `headway
install` asks for, the readers of lines and the table of causes."""
import re
from pathlib import Path

from packages import PROJECT

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"' r"|'((?:[^'\\\n]|\\.)*)'")
PLUGINS = {"opencode": "clients/opencode/headway.js", "pi": "clients/pi/headway.ts"}


def squashed(word: str) -> str:
    """As core/detection/cause_names.cpp compares them: `usage_limit`, `UsageLimit` and `usage-limit` are one."""
    return re.sub(r"[^a-z0-9]", "", word.lower())


def literals(path: Path) -> set:
    code = re.sub(r"(?m)//.*$", "", path.read_text(encoding="utf-8")) if path.suffix in (".cpp", ".hpp") else path.read_text(encoding="utf-8")
    found = {a or b for a, b in LITERAL.findall(code)}
    return found | {word for text in found for word in re.findall(r"[\w.]+", text)} | set(re.findall(r"\b(\w+)\??[:(]", code) if path.suffix in (".js", ".ts") else ())


def sources_of_dialect(name: str) -> list:
    """The file of a dialect and those that it includes."""
    if name in PLUGINS:
        return [PROJECT / PLUGINS[name], PROJECT / "clients/plugin/daemon.js", PROJECT / "agents/generic/hooks.cpp"]
    files, left = [], [PROJECT / f"agents/{name}/hooks.cpp"]
    while left:
        file = left.pop()
        if file in files or not file.exists():
            continue
        files.append(file)
        for header in re.findall(r'#include "((?:agents|api/hooks)/[\w/]+)\.hpp"', file.read_text(encoding="utf-8")):
            left += [PROJECT / f"{header}.cpp", PROJECT / f"{header}.hpp"]
    return files


def words_of(files) -> set:
    return {squashed(word) for file in files for word in literals(file)} - {""}


def events_asked(agent: str) -> list:
    """The events that `headway install AGENT` asks for."""
    like_claude = agent in ("claude", "qwen")
    table = (PROJECT / ("cli/agents/agent_table.cpp" if like_claude else f"agents/{agent}/settings.cpp")).read_text(encoding="utf-8")
    name = "claude_like" if like_claude else agent
    body = re.search(rf"{name}_events\([^)]*\) \{{(.*?)\n\}}", table, re.S)
    events = body.group(1) if body else ""
    if agent == "qwen":
        events = events.partition("if (claude)")[0]
    return sorted(set(re.findall(r'\{"(\w+)", ', events)))


def causes() -> set:
    return words_of(sorted([*(PROJECT / "core/detection").glob("cause*.cpp"), PROJECT / "core/values/cause.cpp"]))


def lines() -> set:
    return words_of(sorted([*(PROJECT / "cli/lines").glob("*.cpp"), *(PROJECT / "agents").glob("*/lines.cpp")]))


def of(agent: str, dialect: str) -> dict:
    """Known words, for each kind."""
    hooks = words_of(sources_of_dialect(dialect)) | words_of([PROJECT / "api/hooks/report.cpp"])
    asked = {squashed(event) for event in events_asked(agent)}
    return {"events": hooks | asked, "errors": causes() | hooks, "other": hooks | lines(), "asked": asked}
