# SPDX-License-Identifier: Apache-2.0
"""Recorded agent sessions, as what a client of ours would send; synthetic ones where none are there."""
import json
import os
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
STRING_BYTES_MAX = 512
OUTCOMES = {"success": "completed", "completed": "completed", "fail": "failed", "failed": "failed"}


@dataclass
class Recording:
    """One session: how it opens, its events (with event_id), how it ends."""
    name: str
    about: dict
    events: list = field(default_factory=list)
    outcome: str = "completed"


def corpus_folder() -> Path | None:
    folder = Path(os.environ.get("HEADWAY_CORPUS", PROJECT.parent / "shared" / "corpus"))
    return folder if (folder / "data").is_dir() else None


def recordings(count: int | None = None, seed: int = 1) -> list:
    """`count` sessions of the corpus in a seeded order, or all of them; synthetic ones without a corpus."""
    folder = corpus_folder()
    if folder is None:
        return [synthetic(i, seed) for i in range(count or 200)]
    files = sorted((folder / "data").glob("*/*.jsonl"))
    random.Random(seed).shuffle(files)
    return [read_recording(path) for path in files[:count]]


def read_recording(path: Path) -> Recording:
    name = re.sub(r"[^A-Za-z0-9._:-]", "-", f"{path.parent.name}:{path.stem}")[-128:]
    recording = Recording(name, {})
    for line in path.read_text(encoding="utf-8").splitlines():
        add_line(recording, json.loads(line))
    return recording


def add_line(recording: Recording, line: dict):
    kind = line["type"]
    if kind == "session_start":
        agent = {"name": cut(line.get("agent")), "model": cut(line.get("model"))}
        recording.about = {"goal": line.get("task") or "", "agent": {k: v for k, v in agent.items() if v}}
    elif kind == "end":
        recording.outcome = OUTCOMES.get(line.get("outcome"), "cancelled")
    elif kind in MAPPINGS:
        our_type, mapping = MAPPINGS[kind]
        data = {k: v for k, v in mapping(line).items() if v is not None}
        recording.events.append({"type": our_type, "event_id": str(line["seq"]), "data": data})


def cut(text) -> str | None:
    """Fields that the API takes as short strings."""
    if text is None:
        return None
    return str(text).encode()[:STRING_BYTES_MAX].decode(errors="ignore")


def tool_finished(line: dict) -> dict:
    error = line.get("error")
    duration = line.get("duration")
    return {"tool": cut(line["tool"]), "args": line.get("args"), "target": cut(line.get("target")), "ok": line.get("ok"),
            "error": None if error is None else {"message": str(error)}, "result": line.get("result"),
            "args_digest": line.get("args_hash"), "result_digest": line.get("result_hash"),
            "duration_ms": None if duration is None else int(duration * 1000)}


def message(line: dict) -> dict:
    return {"role": cut(line.get("role")), "text": line.get("text"), "digest": line.get("text_hash")}


def test_result(line: dict) -> dict:
    return {k: line.get(k) for k in ("passed", "failed", "errors")}


def phase(line: dict) -> dict:
    return {"name": cut(line.get("phase") or line.get("name") or "unknown")}


def heartbeat(line: dict) -> dict:
    return {"phase": cut(line.get("phase")), "iteration": line.get("iteration")}


def progress(line: dict) -> dict:
    return {"percent": line.get("percent", 0), "reasoning": line.get("reasoning")}


MAPPINGS = {"tool_call": ("tool.finished", tool_finished), "message": ("message", message),
            "test_result": ("test.result", test_result), "phase": ("phase.started", phase),
            "heartbeat": ("heartbeat", heartbeat), "progress": ("progress.estimated", progress)}


def synthetic(number: int, seed: int) -> Recording:
    """A session that never happened, with the same kinds of lines in similar proportions."""
    dice = random.Random(f"{seed}/{number}")
    recording = Recording(f"synthetic:{seed}-{number}", {"goal": f"task {number}", "agent": {"name": "synthetic"}})
    for seq in range(1, dice.randint(3, 30)):
        kind = dice.choices(["tool_call", "message", "test_result", "phase", "heartbeat"], [55, 30, 5, 5, 5])[0]
        text = dice.choice(["ok", "naïve ünïcode ✓ \U0001f600", "x" * dice.randint(1, 6000), 'quotes " and \\ and \n'])
        add_line(recording, {"seq": seq, "type": kind, "tool": dice.choice(["bash", "edit", "search"]),
                             "args": {"command": text[:80]}, "ok": dice.random() < 0.8, "result": text, "role": "assistant",
                             "text": text, "passed": dice.randint(0, 9), "failed": dice.randint(0, 3), "phase": f"phase {seq}"})
    recording.outcome = dice.choice(["completed", "failed", "cancelled"])
    return recording
