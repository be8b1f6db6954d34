# SPDX-License-Identifier: Apache-2.0
"""Where each agent keeps its words: the names of its hook events, their fields, kinds of notifications, classes of errors, by patterns
over the bytes of its bundle. A pattern that finds nothing is said: the agent is built otherwise now."""
import re
from dataclasses import dataclass, field
from typing import Callable


def all_of(pattern: str) -> Callable:
    """Every first group."""
    compiled = re.compile(pattern.encode(), re.S | re.M)
    return lambda data: {found.group(1).decode() for found in compiled.finditer(data)}


def list_with(first: str) -> Callable:
    """The texts of the lists that begin with this JSON."""
    compiled = re.compile(rb"\[" + re.escape(first.encode()) + rb'(?:, ?"[\w.-]+")*\]')
    return lambda data: {word.decode() for found in compiled.finditer(data) for word in re.findall(rb'"([\w.-]+)"', found.group(0))}


def inside(begin: str, end: str, pattern: str, most: int = 4000) -> Callable:
    """Every first group between two patterns."""
    outer = re.compile(f"{begin}.{{0,{most}}}?{end}".encode(), re.S)
    inner = re.compile(pattern.encode())
    return lambda data: {word.group(1).decode() for found in outer.finditer(data) for word in inner.finditer(found.group(0))}


def run_together(begin: str, end: str, most: int = 3000) -> Callable:
    """A native program has its words without a mark between them: the longest such text, to be taken apart by what is known."""
    compiled = re.compile(f"{begin}[A-Za-z_]{{0,{most}}}?{end}".encode())

    def find(data):
        found = {match.group(0).decode() for match in compiled.finditer(data)}
        return {max(found, key=len)} if found else set()
    return find


def zod_fields(data: bytes) -> set:
    """EVENT.field of the schemas of Claude Code."""
    bare = re.compile(rb'\.describe\((?:"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`)(?:\+(?:"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'))*\)')
    found = set()
    for event in re.finditer(rb'hook_event_name:\w+\("(\w+)"\)((?:(?!hook_event_name|\}\)\)\)).){0,3000})', data, re.S):
        fields = re.findall(rb"(?:^|[,{])(\w+):", bare.sub(b"", event.group(2)))
        found |= {f"{event.group(1).decode()}.{name.decode()}" for name in fields}
    return found


def schema_fields(data: bytes) -> set:
    """EVENT.field of the JSON schemas in Codex."""
    found = set()
    for schema in re.finditer(rb'"properties": \{((?:(?!"properties": \{).){0,6000}?)"title": "[a-z-]+\.command\.input"', data, re.S):
        event = re.search(rb'"hook_event_name": \{\s+"const": "(\w+)"', schema.group(1))
        names = re.findall(rb'\n    "(\w+)": ', schema.group(1))
        if event:
            found |= {f"{event.group(1).decode()}.{name.decode()}" for name in names}
    return found


@dataclass(frozen=True)
class Words:
    package: str
    parts: str  # pattern of the packages beside it that hold its code
    dialect: str  # file of api/hooks, or of a plugin in clients
    kinds: dict = field(default_factory=dict)  # kind -> (data) -> words; a kind that ends in * is run together
    files: str = ""  # pattern of the names of the files that count; empty: all


ERROR_CLASSES = r"(?:Fatal\w+|\w*Quota|ModelNotFound|ValidationRequired|AccountSuspended|Forbidden|Unauthorized|BadRequest)Error"
BUS = r"(?:session|permission|question|message|todo|suggestion)"
OPENCODE = {
    "hook events": all_of(r'\.trigger\("((?:chat|tool|command|shell|experimental|permission)\.[\w.]+)"'),
    "bus events": all_of(rf'type: ?"({BUS}\.[a-z0-9_.]+)"'),
    "error classes": inside(r'\w+\.create\("MessageOutputLengthError"', r";", r'create\("(\w+Error)"'),
}
AGENTS = {
    "claude": Words("@anthropic-ai/claude-code", r"@anthropic-ai/claude-code-linux-x64", "claude", {
        "hook events": list_with('"PreToolUse","PostToolUse","PostToolUseFailure"'),
        "fields": zod_fields,
        "notifications": list_with('"permission_prompt","idle_prompt"'),
        "sources of prompts": list_with('"user","sdk","system"'),
        "error classes": list_with('"authentication_failed"'),
    }),
    "codex": Words("@openai/codex", r"@openai/codex-linux-x64", "codex", {
        "hook events": all_of(r'"hook_event_name": \{\s+"const": "(\w+)"'),
        "fields": schema_fields,
        "error classes*": run_together("contextWindowExceeded", "activeTurnNotSteerable"),
        "codes of telemetry*": run_together("turn_abortedsession_budget", "usage_accounting_failed"),
    }, files=r".*/bin/codex"),
    "gemini": Words("@google/gemini-cli", "", "gemini", {
        "hook events": all_of(r'HookEventName\d*\["\w+"\] = "(\w+)"'),
        "notifications": all_of(r'NotificationType\d*\["\w+"\] = "(\w+)"'),
        "error classes": all_of(rf"var ({ERROR_CLASSES})\d* = class"),
        "tool errors": all_of(r'ToolErrorType\d*\["\w+"\] = "(\w+)"'),
        "stream events": all_of(r'GeminiEventType\d*\["\w+"\] = "(\w+)"'),
    }),
    "qwen": Words("@qwen-code/qwen-code", "", "qwen", {
        "hook events": all_of(r'HookEventName\d*\["\w+"\] = "(\w+)"'),
        "notifications": all_of(r'fireNotificationHook\w*\([^;]{0,300}?"(\w+)" /\*'),
        "error classes": inside(r"function classifyApiError\(", r"\n\}", r'return "(\w+)"'),
        "its own ends": all_of(r'fireStopFailureEvent\(\s*"(\w+)"'),
    }),
    "opencode": Words("opencode-ai", r"opencode-linux-x64", "opencode", OPENCODE, files=r".*/bin/opencode"),
    "kilo": Words("@kilocode/cli", r"@kilocode/cli-linux-x64", "opencode", OPENCODE, files=r".*/bin/kilo"),
    "copilot": Words("@github/copilot", r"@github/copilot-linux-x64", "copilot", {
        "hook events": all_of(r'"path":"hooks\.(\w+)"'),
        "notifications": all_of(r'"const": ?"((?:agent|shell|workflow)_(?:\w+_)?(?:completed|idle))"'),
        "error classes": inside(r'"errorType":\s*\{[^}]*?"description": ?"Category of error', r"\}", r'\\"(\w+)\\"'),
        "error codes": inside(r'"errorCode":\s*\{[^}]*?"description": ?"Fine-grained error code', r"\}", r'\\"(\w+_\w+)\\"'),
    }),
    "cline": Words("cline", r"@cline/(?:core|shared|cli-linux-x64)", "cline", {
        "hook events": inside(r"enum HookConfigFileName \{", r"\}", r' (\w+) = "'),
        "names in the body": inside(r"HookEventNameSchema: z\.ZodEnum<\{", r"\}", r' (\w+): "'),
        "fields": inside(r"interface HookEventPayloadBase \{", r"\n\}", r"\n    (\w+)\??: "),
    }, files=r".*\.d\.ts"),
    "pi": Words("@earendil-works/pi-coding-agent", r"@earendil-works/pi-(?:ai|agent-core)", "pi", {
        "hook events": all_of(r'on\(event: "(\w+)"'),
        "ends of answers": inside(r'stopReason: "pending"', r";", r'"(\w+)"'),
        "retries": all_of(r'"(auto_retry_\w+)"'),
    }),
}


def read(words: Words, texts) -> dict:
    """kind -> sorted words of a release."""
    found = {kind: set() for kind in words.kinds}
    for name, data in texts:
        if words.files and not re.fullmatch(words.files, name):
            continue
        for kind, pattern in words.kinds.items():
            found[kind] |= pattern(data)
    return {kind: sorted(some) for kind, some in found.items()}
