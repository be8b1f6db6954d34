# SPDX-License-Identifier: Apache-2.0
"""The third set's registry, and six more dialects than the first sets have."""

from sealed_common import Session

THIRD = {"legit": [], "stuck": []}
# Shell, reading, editing and writing: the tool, and the names of its arguments.
WORDS = {
    "qwen": (("run_shell_command", "command"), ("read_file", "absolute_path"),
             ("edit", "file_path", "old_string", "new_string"), ("write_file", "file_path", "content")),
    "opencode": (("bash", "command"), ("read", "filePath"), ("edit", "filePath", "oldString", "newString"),
                 ("write", "filePath", "content")),
    "pi": (("bash", "command"), ("read", "path"), ("edit", "path", "oldText", "newText"), ("write", "path", "content")),
    "copilot": (("bash", "command"), ("view", "path"), ("edit", "path", "old_str", "new_str"),
                ("create", "path", "file_text")),
    "cursor": (("Shell", "command"), ("Read", "path"), ("StrReplace", "path", "old_string", "new_string"),
               ("Write", "path", "contents")),
    "goose": (("developer__shell", "command"), ("developer__read", "path"),
              ("developer__edit", "path", "before", "after"), ("developer__write", "path", "content")),
}


def third(label, dialect="lang"):
    """Registers a behaviour of the third set under its function's name."""
    def register(function):
        THIRD[label].append((function, dialect))
        return function
    return register


class Agent(Session):
    """A session in one of the dialects of `WORDS`, or of the first sets."""

    def sh(self, command, out="", rc=0, changed=None, secs=None):
        if self.dialect not in WORDS:
            return super().sh(command, out, rc, changed, secs)
        tool, key = WORDS[self.dialect][0]
        tail = f"\n<exited with exit code {rc}>" if self.dialect == "copilot" else ""
        if rc and self.dialect in ("pi", "cursor", "goose"):
            return self.call(tool, {key: command}, ok=False, error=f"{out}\n\nCommand exited with code {rc}",
                             changed=changed, secs=secs)
        return self.call(tool, {key: command}, out + tail, ok=rc == 0, changed=changed, secs=secs)

    def read(self, path, text, start=None, lines=None):
        if self.dialect not in WORDS:
            return super().read(path, text, start, lines)
        tool, key = WORDS[self.dialect][1]
        return self.call(tool, {key: "/repo/" + path} | ({"offset": start, "limit": lines} if start else {}), text)

    def edit(self, path, old, new, fail=False):
        if self.dialect not in WORDS:
            return super().edit(path, old, new, fail)
        tool, key, before, after = WORDS[self.dialect][2]
        args = {key: "/repo/" + path, before: old, after: new}
        if fail:
            return self.call(tool, args, ok=False, error="The text to replace was not found.")
        text = self.files.get(path, f"...\n{old}\n...")
        self.files[path] = text.replace(old, new, 1) if old in text else text + "\n" + new
        return self.call(tool, args, f"Edited /repo/{path}.", changed={path: self.files[path]})

    def write(self, path, text):
        if self.dialect not in WORDS:
            return super().write(path, text)
        self.files[path] = text
        tool, key, body = WORDS[self.dialect][3]
        return self.call(tool, {key: "/repo/" + path, body: text}, f"Wrote {len(text)} bytes to /repo/{path}.",
                         changed={path: text})
