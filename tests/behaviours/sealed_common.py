# SPDX-License-Identifier: Apache-2.0
"""What the sealed behaviours share: how one session is written, in the words of the harness that it pretends to be.

A behaviour is a function that takes a Session and makes calls on it. The dialect (how tools are named, how a shell
command ends) is chosen by the behaviour; what a harness reports besides (starts, rounds, durations, digests, beats) is
drawn for each behaviour from its name, in the same way for both labels.
"""

import hashlib
import json
import random

BEHAVIOURS = {"legit": [], "stuck": []}
SECOND = {"legit": [], "stuck": []}
ALNUM = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
NOUNS = ("order", "invoice", "cart", "session", "ledger", "ticket", "parcel", "route", "quota", "tenant", "schema",
         "cursor", "payload", "vendor", "coupon", "refund", "batch", "shard", "bucket", "worker", "stream", "lease")
VERBS = ("load", "merge", "parse", "flush", "apply", "check", "build", "split", "fetch", "store", "render", "encode",
         "resolve", "retry", "commit", "expand", "verify", "rotate", "attach", "reduce")


def behaviour(label, dialect="lang"):
    """Registers a function under its own name."""
    def register(function):
        BEHAVIOURS[label].append((function, dialect))
        return function
    return register


def second(label, dialect="lang"):
    """As `behaviour`, for the second set."""
    def register(function):
        SECOND[label].append((function, dialect))
        return function
    return register


def sha(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def clock(seconds):
    return f"{6 + seconds // 3600 % 18:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def pytest_out(failures, passed, secs, header=True):
    """What pytest prints; `failures` is a list of (test id, error line)."""
    lines = ["=" * 29 + " test session starts " + "=" * 29,
             "platform linux -- Python 3.11.9, pytest-8.2.0"] if header else []
    if failures:
        lines.append("=" * 35 + " FAILURES " + "=" * 35)
        for test, error in failures:
            lines += [f"____ {test.split('::')[-1]} ____", f"E   {error}"]
        lines.append("=" * 27 + " short test summary info " + "=" * 27)
        lines += [f"FAILED {test} - {error}" for test, error in failures]
        lines.append(f"==== {len(failures)} failed, {passed} passed in {secs:.2f}s ====")
    else:
        lines.append(f"==== {passed} passed in {secs:.2f}s ====")
    return "\n".join(lines)


class Session:
    """One agent's report, event by event."""

    def __init__(self, name, dialect, seed="headway-sealed-1"):
        self.rng = random.Random(f"{seed}:{name}")
        self.dialect = dialect
        draw = self.rng.random
        self.announces, self.rounds, self.timed, self.digests, self.beats = (
            draw() < 0.5, draw() < 0.35, draw() < 0.5, draw() < 0.35, draw() < 0.25)
        self.events, self.files = [], {}
        self.count = self.turn = self.iteration = 0
        self.hold = False

    # --- plain events

    def emit(self, kind, **data):
        self.events.append({"type": kind, "data": {key: value for key, value in data.items() if value is not None}})

    def ack(self):
        """A directive.acknowledged of the newest change_approach directive; whoever plays the file fills in its id."""
        self.events.append({"ack": True})

    def user(self, text):
        self.emit("message", role="user", text=text)

    def say(self, text):
        self.emit("message", role="assistant", text=text)

    def beat(self, **data):
        self.emit("heartbeat", **data)

    def plan(self, *steps, text=None):
        self.emit("plan.updated", text=text, steps=[{"title": title, "status": status} for title,
                                                    status in steps] or None)

    def estimate(self, percent, reasoning=None, **data):
        self.emit("progress.estimated", percent=percent, reasoning=reasoning, **data)

    def reflect(self, assessment, confidence, next_action=None, text=None):
        self.emit("reflection", assessment=assessment, confidence=confidence, next_action=next_action, text=text)

    def tests(self, passed, failures=(), command=None):
        self.emit("test.result", passed=passed, failed=len(failures), errors=0, failures=list(failures),
                  command=command)

    # --- calls

    def new_id(self):
        self.count += 1
        tail = "".join(self.rng.choice(ALNUM) for _ in range(20))
        return {"claude": "toolu_01", "codex": "call_", "gemini": "run-", "openhands": "chatcmpl-tool-"}.get(
            self.dialect, f"c{self.count}-") + tail

    def same_turn(self):
        """The calls until the next `next_turn` belong to one turn of the model."""
        self.turn += 1
        self.hold = True

    def next_turn(self):
        self.hold = False

    def begin(self, tool, args):
        """tool.started of a call that `finish` will end; its id."""
        call_id = self.new_id()
        if not self.hold:
            self.turn += 1
        self.emit("tool.started", call_id=call_id, tool=tool, args=args, round=self.turn if self.rounds else None)
        return call_id

    def finish(self, tool, args, result=None, ok=True, error=None, error_class=None, call_id=None, changed=None,
               secs=None, **data):
        if secs is None:
            secs = self.rng.uniform(0.03, 2.5)
        self.emit("tool.finished", tool=tool, call_id=call_id, args=args, ok=ok, result=result,
                  error=None if error is None else {"message": error} | ({"class": error_class} if error_class else {}),
                  mutated=[{"path": path, "digest": sha(text)} for path, text in (changed or {}).items()] or None
                  if self.digests else None,
                  duration_ms=int(secs * 1000) if self.timed else None, round=self.turn if self.rounds else None,
                  **data)

    def call(self, tool, args, result=None, **rest):
        """A call from start to end, with what this harness sends around it."""
        if self.announces:
            call_id = self.begin(tool, args)
            wait = rest.get("secs") or 0
            if self.beats and wait >= 20:
                for counter in range(min(3, int(wait // 10))):
                    self.beat(phase="execution", in_flight={"call_id": call_id, "counter": counter})
        else:
            call_id = None
            if not self.hold:
                self.turn += 1
        self.finish(tool, args, result, call_id=call_id, **rest)
        if self.beats and self.rng.random() < 0.25:
            self.iteration += 1
            self.beat(phase="execution", iteration=self.iteration)

    def sh(self, command, out="", rc=0, changed=None, secs=None):
        """A shell command."""
        rest = {"changed": changed, "secs": secs}
        took = secs if secs is not None else self.rng.uniform(0.02, 1.9)
        if self.dialect == "claude":
            args = {"command": command}
            if rc:
                self.call("Bash", args, ok=False, error=f"Exit code {rc}\n{out}".strip(), **rest)
            else:
                self.call("Bash", args, out, **rest)
        elif self.dialect == "codex":
            self.call("shell", {"command": ["bash", "-lc", command], "workdir": "/srv/work"},
                      {"output": out, "metadata": {"exit_code": rc, "duration_seconds": round(took, 1)}}, ok=rc == 0,
                      **rest)
        elif self.dialect == "gemini":
            self.call("run_shell_command", {"command": command},
                      f"Command: {command}\nDirectory: (root)\nStdout: {out or '(empty)'}\nStderr: (empty)\nError: "
                      "(none)\n"
                      f"Exit Code: {rc}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: "
                      f"{self.rng.randint(2000, 90000)}",
                      **rest)
        elif self.dialect == "mini":
            self.call("bash", {"command": command}, f"<returncode>{rc}</returncode>\n<output>\n{out}\n</output>",
                      ok=rc == 0, **rest)
        elif self.dialect == "openhands":
            self.call("execute_bash", {"command": command, "is_input": "false"},
                      f"{out}\n[The command completed with exit code {rc}.]\n[Current working directory: /workspace]",
                      **rest)
        elif rc:
            self.call("run_command", {"cmd": command}, ok=False, error=f"command failed with status {rc}: {out}",
                      **rest)
        else:
            self.call("run_command", {"cmd": command}, out, **rest)

    def read(self, path, text, start=None, lines=None):
        """A file, or a window of it."""
        if self.dialect == "claude":
            args = {"file_path": "/repo/" + path} | ({"offset": start, "limit": lines} if start else {})
            self.call("Read", args, "\n".join(f"{(start or 1) + i:6d}\u2192{line}" for i,
                                              line in enumerate(text.splitlines())))
        elif self.dialect == "gemini":
            self.call("read_file", {"absolute_path": "/repo/" + path} | ({"offset": start, "limit": lines} if start
                                                                         else {}), text)
        elif self.dialect == "openhands":
            args = {"command": "view", "path": "/workspace/" + path}
            if start:
                args["view_range"] = [start, start + lines - 1]
            self.call("str_replace_editor", args,
                      f"Here's the result of running `cat -n` on /workspace/{path}:\n{text}")
        elif self.dialect == "lang":
            self.call("read_file", {"path": path} | ({"start": start, "lines": lines} if start else {}), text)
        else:
            self.sh(f"sed -n '{start},{start + lines - 1}p' {path}" if start else f"cat {path}", text)

    def edit(self, path, old, new, fail=False):
        """One replacement in a file; with `fail` the old text was not found."""
        changed = None
        if not fail:
            text = self.files.get(path, f"...\n{old}\n...")
            self.files[path] = text.replace(old, new, 1) if old in text else text + "\n" + new
            changed = {path: self.files[path]}
        if self.dialect == "claude":
            args = {"file_path": "/repo/" + path, "old_string": old, "new_string": new}
            if fail:
                self.call("Edit", args, ok=False, error=f"String to replace not found in file.\nString: {old}")
            else:
                self.call("Edit", args, f"The file /repo/{path} has been updated.", changed=changed)
        elif self.dialect == "codex":
            minus, plus = ("\n".join(sign + line for line in text.splitlines()) for sign,
                           text in (("-", old), ("+", new)))
            args = {"input": f"*** Begin Patch\n*** Update File: {path}\n@@\n{minus}\n{plus}\n*** End Patch"}
            if fail:
                self.call("apply_patch", args, ok=False,
                          error=f"apply_patch verification failed: Failed to find expected lines in {path}:\n{old}")
            else:
                self.call("apply_patch", args, f"Success. Updated the following files:\nM {path}", changed=changed)
        elif self.dialect == "gemini":
            args = {"file_path": "/repo/" + path, "old_string": old, "new_string": new}
            if fail:
                self.call("replace", args, ok=False, error="Failed to edit, could not find the string to replace.")
            else:
                self.call("replace", args, f"Successfully modified file: /repo/{path} (1 replacements).",
                          changed=changed)
        elif self.dialect == "openhands":
            args = {"command": "str_replace", "path": "/workspace/" + path, "old_str": old, "new_str": new}
            if fail:
                self.call("str_replace_editor", args,
                          f"ERROR:\nNo replacement was performed, old_str `{old}` did not appear verbatim in "
                          f"/workspace/{path}.",
                          ok=False)
            else:
                self.call("str_replace_editor", args,
                          f"The file /workspace/{path} has been edited. Here's the result of running `cat -n` on a "
                          f"snippet:\n{new}",
                          changed=changed)
        elif self.dialect == "mini":
            self.sh(f"python3 - <<'PY'\np = '{path}'\ns = open(p).read()\nold = {old!r}\nassert old in s, 'old text "
                    "not found'\n"
                    f"open(p, 'w').write(s.replace(old, {new!r}, 1))\nPY",
                    "Traceback (most recent call last):\n  File \"<stdin>\", line 4, in <module>\nAssertionError: old "
                    "text not found"
                    if fail else "", rc=1 if fail else 0, changed=changed)
        elif fail:
            self.call("edit_file", {"path": path, "find": old, "replace": new}, ok=False,
                      error="0 matches for the text to find")
        else:
            self.call("edit_file", {"path": path, "find": old, "replace": new}, {"replaced": 1}, changed=changed)

    def write(self, path, text):
        """A whole file."""
        self.files[path] = text
        changed = {path: text}
        if self.dialect == "claude":
            self.call("Write", {"file_path": "/repo/" + path, "content": text},
                      f"File created successfully at: /repo/{path}",
                      changed=changed)
        elif self.dialect == "codex":
            body = "\n".join("+" + line for line in text.splitlines())
            self.call("apply_patch", {"input": f"*** Begin Patch\n*** Add File: {path}\n{body}\n*** End Patch"},
                      f"Success. Updated the following files:\nA {path}", changed=changed)
        elif self.dialect == "openhands":
            self.call("str_replace_editor", {"command": "create", "path": "/workspace/" + path, "file_text": text},
                      f"File created successfully at: /workspace/{path}", changed=changed)
        elif self.dialect == "mini":
            self.sh(f"cat > {path} <<'EOT'\n{text}\nEOT", changed=changed)
        else:
            self.call("write_file", {"file_path" if self.dialect == "gemini" else "path": path, "content": text},
                      f"Successfully created and wrote to new file: {path}.", changed=changed)

    def grep(self, pattern, path, hits=()):
        """A search in files; `hits` are its lines."""
        text = "\n".join(hits)
        if self.dialect == "claude":
            self.call("Grep", {"pattern": pattern, "path": "/repo/" + path, "output_mode": "content"},
                      text or "No matches found")
        elif self.dialect == "gemini":
            self.call("search_file_content", {"pattern": pattern, "path": path},
                      f"Found {len(hits)} matches for pattern \"{pattern}\" in path \"{path}\":\n---\n{text}" if hits
                      else f"No matches found for pattern \"{pattern}\" in path \"{path}\".")
        else:
            self.sh(f"grep -rn '{pattern}' {path}", text, rc=0 if hits else 1)

    def look_around(self, *files):
        """The first steps of many sessions, whatever becomes of them."""
        rng = self.rng
        log = "\n".join(f"{rng.getrandbits(28):07x} {rng.choice(VERBS)} {rng.choice(NOUNS)}" for _ in range(5))
        title = f"# {rng.choice(NOUNS)} service"
        steps = [lambda: self.sh("git log --oneline -5", log),
                 lambda: self.sh("ls", "Makefile\nREADME.md\ndocs\nscripts\nsrc\ntests"),
                 lambda: self.sh("git status --short", ""),
                 lambda: self.read("README.md", f"{title}\n\nRun `make test` before a change is sent.")]
        for step in rng.sample(steps, rng.randint(1, 3)):
            step()
        for path in files:
            self.read(path, f"# {path}\ndef {rng.choice(VERBS)}_{rng.choice(NOUNS)}(value):\n    return value\n")

    def lines(self):
        return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in self.events)
