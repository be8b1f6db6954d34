#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the adapters of clients/typescript in the real frameworks from npm, with a scripted model and a real daemon.

    HEADWAY_BINARY=build/dev/headway python3 tests/frameworks/run.py [NAME...] [--write]
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(PROJECT / "tests/agents"), str(PROJECT / "tests/integration")]
import columns  # noqa: E402 (the path comes first)
from packages import Away, ensure  # noqa: E402
from support.daemon import BINARY, clean_environment  # noqa: E402

ROOT = PROJECT / "build/frameworks"
PACKAGE = PROJECT / "clients/typescript"
README = PACKAGE / "README.md"
MARKS = ("<!-- frameworks: written by ./dev frameworks --write -->", "<!-- end -->")
SECONDS = 600
NODE = "node@22.23.3"
FAKE = ("@ai-sdk/openai-compatible", "zod@4.6.7", NODE)


@dataclass
class Framework:
    name: str
    shows: str
    packages: tuple
    play: str = ""
    asks_first: str = ""


FRAMEWORKS = [
    Framework("aisdk7", "AI SDK", ("ai@7.0.173", f"{FAKE[0]}@3.0.92", *FAKE[1:]), "aisdk"),
    Framework("aisdk6", "AI SDK", ("ai@6.0.326", f"{FAKE[0]}@2.0.92", *FAKE[1:]), "aisdk"),
    Framework("langchain", "LangChain.js", ("langchain@1.5.14", "@langchain/core@1.4.0", "@langchain/openai@1.6.0", *FAKE[1:]), "langchain"),
    Framework("langgraph", "LangGraph.js", ("@langchain/langgraph@1.7.3", "@langchain/core@1.4.0", "@langchain/openai@1.6.0", *FAKE[1:]),
              "langgraph"),
    Framework("openai-agents", "OpenAI Agents JS", ("@openai/agents@0.20.0", *FAKE[1:]), "openai_agents"),
    Framework("mastra", "Mastra", ("@mastra/core@1.71.0", f"{FAKE[0]}@3.0.92", *FAKE[1:]), "mastra"),
    Framework("claude-sdk", "Claude Agent SDK", ("@anthropic-ai/claude-agent-sdk@0.3.330", NODE), "claude_sdk", "HEADWAY_TEST_CLAUDE"),
    Framework("vitest", "vitest", ("vitest@5.1.1", NODE)),
    Framework("jest", "jest", ("jest@30.5.2", NODE)),
    Framework("package", "the package", ("publint@0.3.25", "@arethetypeswrong/cli@0.18.5", NODE)),
]
BY_NAME = {framework.name: framework for framework in FRAMEWORKS}


def call(command, folder: Path, **environment) -> subprocess.CompletedProcess:
    given = clean_environment(HEADWAY_BINARY=str(BINARY.resolve()), DO_NOT_TRACK="1", NO_PROXY="127.0.0.1,localhost", **environment)
    given["PATH"] = f"{folder}/node_modules/.bin:{given['PATH']}"
    return subprocess.run([str(part) for part in command], cwd=folder, env=given, capture_output=True, text=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, check=False)


def pack(folder: Path) -> Path:
    """The package that would be published, as a file."""
    done = call(["npm", "pack", PACKAGE, "--json", "--offline", "--pack-destination", folder], folder)
    if done.returncode != 0:
        raise AssertionError(f"npm pack: {done.stderr[-500:]}")
    return folder / json.loads(done.stdout)[0]["filename"]


def install_package(folder: Path):
    target = folder / "node_modules/headway-agent"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    subprocess.run(["tar", "-xzf", str(pack(folder)), "-C", str(target), "--strip-components=1"], check=True, timeout=60)


def fresh(folder: Path, *files) -> Path:
    """A folder of its own for the files of a test, beside what they import."""
    play = folder / "play"
    shutil.rmtree(play, ignore_errors=True)
    play.mkdir()
    for file in files:
        shutil.copy(HERE / file, play)
    return play


def cell(ok, says) -> dict:
    return {"ok": ok, "says": str(says)}


def play_framework(framework: Framework, folder: Path) -> dict:
    play = fresh(folder, "driver.mjs", f"{framework.play}.mjs")
    done = call(["node", play / "driver.mjs", play / f"{framework.play}.mjs", PROJECT / "tests/agents/model.mjs", play / "work"], folder)
    cells = {}
    for line in done.stdout.splitlines():
        found = json.loads(line)
        cells[found["behaviour"]] = cell(found["ok"], found["says"])
        if found["ok"] is False:
            print(found.get("stack", ""), file=sys.stderr)
    if done.returncode != 0 or not cells:
        cells["it runs"] = cell(False, (done.stderr or "no output")[-800:])
    return cells


def runner(framework: Framework, folder: Path) -> dict:
    """A test that passes, and one that fails with the timeline of its session in what the runner prints."""
    vitest = framework.name == "vitest"
    fresh(folder, "sample.test.mjs")
    (folder / "play/runner.mjs").write_text("export { afterAll, expect, test } from 'vitest';\n" if vitest else
                                            "import { afterAll, expect, test } from '@jest/globals';\nexport { afterAll, expect, test };\n")
    if vitest:
        done = call(["vitest", "run", "--dir", "play", "--root", folder], folder, CI="1", NO_COLOR="1")
    else:
        (folder / "jest.config.json").write_text('{"testMatch":["**/play/*.test.mjs"],"transform":{},"moduleFileExtensions":["mjs","js","json"]}')
        done = call(["node", "--experimental-vm-modules", "node_modules/.bin/jest", "--config", "jest.config.json"], folder, CI="1", NO_COLOR="1")
    said = done.stdout + done.stderr
    wanted = {"the wait is met": "a session that completes", "a failed wait says why": "should have been completed; it is failed",
              "a failed test shows the timeline": "Headway saw:"}
    cells = {what: cell(words in said, "yes" if words in said else said[-1500:]) for what, words in wanted.items()}
    counts = "1 passed" in said and "2 failed" in said
    cells["one passes, two fail, and it ends"] = cell(counts, "yes" if counts else said[-1500:])
    return cells


def check_package(folder: Path) -> dict:
    tarball = pack(folder)
    cells = {}
    for name, command in (("publint", ["publint", tarball, "--strict"]),
                          ("arethetypeswrong", ["attw", tarball, "--profile", "esm-only", "--no-definitely-typed"])):
        done = call(command, folder, NO_COLOR="1")
        cells[name] = cell(done.returncode == 0, "nothing found" if done.returncode == 0 else (done.stdout + done.stderr)[-1500:])
    return cells


def version(framework: Framework) -> str:
    return framework.packages[0].rpartition("@")[2]


def write(results: dict):
    """The table of behaviours, in the README of the package."""
    plays = [framework for framework in FRAMEWORKS if framework.play and framework.name in results]
    rows = list(dict.fromkeys(behaviour for framework in plays for behaviour in results[framework.name]))
    cells = {behaviour: [results[framework.name].get(behaviour, cell(None, "")) for framework in plays] for behaviour in rows}
    table = columns.render([f"{framework.shows} {version(framework)}" for framework in plays],
                           {behaviour: [one["says"] if one["ok"] is not False else "**fails**" for one in found] for behaviour, found in cells.items()})
    before, rest = README.read_text(encoding="utf-8").split(MARKS[0])
    README.write_text("\n".join([before + MARKS[0], table, MARKS[1] + rest.split(MARKS[1], 1)[1]]), encoding="utf-8")


def run_one(framework: Framework) -> dict:
    folder = ensure(framework, ROOT).parents[1]
    if framework.name == "package":
        return check_package(folder)
    install_package(folder)
    return play_framework(framework, folder) if framework.play else runner(framework, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BY_NAME))
    parser.add_argument("--write", action="store_true", help="write the table of all results so far into clients/typescript/README.md")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in BY_NAME]
    if unknown:
        parser.error(f"no framework {' '.join(unknown)}; there are: {' '.join(BY_NAME)}")
    kept = ROOT / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    failed = []
    for framework in [BY_NAME[name] for name in options.names] or FRAMEWORKS:
        if framework.asks_first and os.environ.get(framework.asks_first) != "1":
            print(f"skip {framework.name}: its terms want a person's consent; {framework.asks_first}=1 gives it")
            continue
        try:
            results[framework.name] = run_one(framework)
        except Away as error:
            print(f"skip {framework.name}: {error}")
            continue
        for behaviour, found in results[framework.name].items():
            print(f"{'FAIL' if found['ok'] is False else 'ok  '} {framework.name:13} {behaviour}: {found['says']}", flush=True)
            if found["ok"] is False:
                failed.append(f"{framework.name}: {behaviour}")
    ROOT.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(results, indent=1))
    if options.write:
        write(results)
    print("\n".join(["", "failed:", *failed]) if failed else "none has failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
