#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the words of the newest releases of the agents and lists those that Headway does not know: hook events, fields, kinds of
notifications, classes of errors. A job of each day: it changes nothing and exits with 0; without npm it says so.

    python3 tests/agents/newest.py [AGENT...] [--json] [--all]
"""
import argparse
import json
import re
import sys

import bundles
import known
import vocabulary
from agents import BY_NAME
from packages import PROJECT, Away

REVIEWED = PROJECT / "tests/agents/reviewed.json"


def reviewed(agent: str, kind: str) -> dict:
    """Words that a person has looked at and that Headway needs not know -> why."""
    found = json.loads(REVIEWED.read_text(encoding="utf-8")).get(agent, {}).get(kind, {})
    return {word: why for why, words in found.items() for word in words.split()}


def family(kind: str) -> str:
    if "events" in kind and kind != "stream events":
        return "events"
    return "errors" if re.search(r"error|code|end", kind) else "other"


def taken_apart(text: str, words: set) -> list:
    """The rest of words without marks between them when those that are known are taken out, longest first."""
    left = [text]
    for word in sorted(words, key=len, reverse=True):
        if len(word) < 5:
            break
        pattern = re.compile("_?".join(map(re.escape, word)), re.I)
        left = [part for piece in left for part in pattern.split(piece)]
    return [part.strip("_") for part in left if len(part.strip("_")) > 2]


def unknown_of(agent: str, kind: str, words: list, knows: dict) -> list:
    seen = reviewed(agent, kind.rstrip("*"))
    of_family = knows[family(kind)]
    if kind.endswith("*"):
        return sorted({part for text in words for part in taken_apart(text, of_family | {known.squashed(word) for word in seen})})
    passed = {known.squashed(word) for word in seen}

    def knows_it(word: str) -> bool:
        last = word.rpartition(".")[2] if kind == "fields" else word
        names = {known.squashed(word), known.squashed(last)}
        groups = {".".join(word.split(".")[:depth]) + ".*" for depth in (1, 2)}
        return bool(names & of_family or names & passed or groups & seen.keys())
    return [word for word in words if not knows_it(word)]


def examine(agent: str, words: vocabulary.Words) -> dict:
    tested = BY_NAME[agent].version
    version, folder, missing = bundles.fetch(agent, words.package, words.parts)
    found = vocabulary.read(words, bundles.texts(folder))
    if missing and not any(found.values()):  # a release whose parts are not on npm; the one that is tested is there
        missing.append(f"read instead: {tested}")
        _, folder, more = bundles.fetch(agent, words.package, words.parts, tested)
        missing += more
        found = vocabulary.read(words, bundles.texts(folder))
    knows = known.of(agent, words.dialect)
    unknown = {kind.rstrip("*"): unknown_of(agent, kind, some, knows) for kind, some in found.items()}
    events = {known.squashed(event) for event in found["hook events"]}
    return {"package": words.package, "version": version, "tested": tested, "missing": missing,
            "found": {kind.rstrip("*"): some for kind, some in found.items()},
            "unknown": {kind: some for kind, some in unknown.items() if some},
            "gone": sorted(event for event in knows["asked"] if events and event not in events and event not in
                           {known.squashed(word) for word in reviewed(agent, "gone")}),
            "unreadable": sorted(kind.rstrip("*") for kind, some in found.items() if not some)}


def report(agent: str, result: dict, whole: bool):
    tested = "tested" if result["tested"] == result["version"] else f"tested is {result['tested']}"
    print(f"{agent} {result['version']} ({result['package']}; {tested})")
    for part in result["missing"]:
        print(f"  not on npm     {part}")
    for kind in result["unreadable"]:
        print(f"  not found      {kind}: its pattern in tests/agents/vocabulary.py finds none any more")
    for event in result["gone"]:
        print(f"  gone           {event}: `headway install` asks for it")
    for kind, some in (result["found"] if whole else {}).items():
        print(f"  {kind:14} {' '.join(some)}")
    for kind, some in result["unknown"].items():
        print(f"  NOT KNOWN      {kind}: {' '.join(some)}")
    if not result["unknown"] and not result["gone"] and not result["unreadable"]:
        print("  all of its words are known")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(vocabulary.AGENTS))
    parser.add_argument("--json", action="store_true", help="print one JSON document for programs")
    parser.add_argument("--all", action="store_true", help="print all words that were found")
    options = parser.parse_args()
    wrong = [name for name in options.agents if name not in vocabulary.AGENTS]
    if wrong:
        parser.error(f"no agent {' '.join(wrong)}; there are: {' '.join(vocabulary.AGENTS)}")
    document = {"agents": {}, "away": {}}
    for agent in options.agents or vocabulary.AGENTS:
        try:
            result = examine(agent, vocabulary.AGENTS[agent])
        except Away as error:
            document["away"][agent] = str(error)
            if not options.json:
                print(f"{agent}: skipped, {error}")
            continue
        document["agents"][agent] = result
        if not options.json:
            report(agent, result, options.all)
        sys.stdout.flush()
    if options.json:
        print(json.dumps(document, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
