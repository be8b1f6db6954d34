# SPDX-License-Identifier: Apache-2.0
"""Values of an agent as bounded JSON that is safe to send: no code of the agent's objects is run to make it."""
from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import hashlib
import ipaddress
import json
import math
import numbers
import operator
import pathlib
import re
import sys
import uuid
from collections import ChainMap, UserDict
from collections.abc import Mapping
from typing import Any

DEPTH_MAX = 40
# A text that is cut stays above the 64 KiB that an approval may have: a call of which a person could not see all is refused there.
NODES_MAX, CHARS_MAX = 50_000, 1 << 20
CUT_CHARS = 1 << 16
# For a daemon that is away: enough to compare calls by.
BRIEF_NODES_MAX, BRIEF_CHARS_MAX = 100, 2048
TEXT_BYTES_MAX = 2000  # of each text that goes to a model
CHANGED = "The arguments have changed since a person was asked, so the call may not run. Ask again."
ESCAPED = 12  # bytes of a character outside of ASCII, at most
_AS_TEXT = (pathlib.PurePath, uuid.UUID, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, complex, range,
            ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network)
# Their text or their items are all that they are, whatever they keep beside it.
_WHOLE = {"builtins", "pathlib", "uuid", "datetime", "decimal", "ipaddress"}
_EXACT = {str, int, float, bytes, dict, list, tuple, type(None)}
_SCALARS = (str, int, float, bytearray, bytes, *_AS_TEXT)
_URLS = {("pydantic.networks", "_BaseUrl"), ("pydantic.networks", "_BaseMultiHostUrl"),
         ("pydantic_core._pydantic_core", "Url"), ("pydantic_core._pydantic_core", "MultiHostUrl")}


def _digest(data: bytes) -> str:
    """Tells long values apart."""
    return hashlib.sha256(data).hexdigest()


def _is_whole(value: Any) -> bool:
    kind = type(value)
    known = kind.__module__.partition(".")[0] in _WHOLE and getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind
    return known or kind in (UserDict, ChainMap)


def _names(value: Any) -> "set[str]":
    """The attributes of an instance itself."""
    names = set(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            private = slot.startswith("__") and not slot.endswith("__")
            name = f"_{kind.__name__.lstrip('_')}{slot}" if private else slot
            if hasattr(value, name):
                names.add(name)
    return {name for name in names if name not in ("__dict__", "__weakref__") and not name.startswith("__pydantic_")}


def _member(value: Any, name: str) -> Any:
    own = getattr(value, "__dict__", {})
    return own[name] if name in own else getattr(value, name, None)  # a slot


def _is_url(value: Any) -> bool:
    return any((kind.__module__, kind.__name__) in _URLS for kind in type(value).__mro__)


def cut(text: object, most: int = TEXT_BYTES_MAX, newest: bool = False) -> str:
    """`text` of at most so many bytes, with a "…" where something is missing; "" if it is none."""
    if not isinstance(text, str):
        return ""
    if len(text) * 4 <= most:
        return text
    part = text[-most:] if newest else text[:most]
    data = part.encode("utf-8", "replace")
    if len(data) <= most and len(part) == len(text):
        return text
    room = most - len("…".encode())
    kept = (data[-room:] if newest else data[:room]).decode("utf-8", "ignore")
    return "…" + kept if newest else kept + "…"


def attribute(value: object, name: str) -> Any:
    """None where it has none, or where reading it fails."""
    try:
        return getattr(value, name, None)
    except (Exception, SystemExit):
        return None


def amount(value: object) -> float:
    """A number from 0 on; what is none is 0."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (Exception, SystemExit):
        return 0.0
    return min(max(number, 0.0), float(1 << 53)) if number == number else 0.0


def error_text(error: BaseException, most: int = 8000) -> str:
    """An exception as its tool's failure; its __str__ may be broken."""
    try:
        said = str(error)
    except (Exception, SystemExit):
        said = ""
    name = type(error).__name__
    for stream in ("stderr", "stdout", "output"):  # of a subprocess
        more = attribute(error, stream) if attribute(error, "returncode") is not None else None
        if isinstance(more, bytes):
            more = more[-most:].decode("utf-8", "replace")
        if isinstance(more, str) and more.strip():
            said += "\n" + more[-most:]
            break
    return cut(f"{name}: {said}" if said else name, most)


def _unshown(value: Any) -> str:
    """In place of a dataclass field that its author keeps out of texts: other values are other arguments."""
    return "<not shown, sha256 " + hashlib.sha256(json_of(value).encode()).hexdigest() + ">"


class _Writer:
    def __init__(self, nodes: int, chars: int) -> None:
        self.nodes, self.chars = nodes, chars
        self.deep = False
        self.member = ""  # of the whole
        self.formless = ""  # the first member of which another value would look the same

    def text(self, value: str) -> str:
        size = 1 if value.isascii() else ESCAPED  # bytes of a character
        if len(value) * size <= self.chars:
            self.chars -= len(value) * size
            return value
        head, self.chars = value[:self.chars // size], 0
        return f"{head}… ({len(value)} characters, {_digest(value.encode('utf-8', 'surrogatepass'))})"

    def number(self, value: int) -> Any:
        if -(1 << 63) <= value < 1 << 64:
            return value
        bits = value.bit_length()
        return self.text(str(value)) if bits <= 4096 else f"<int of {bits} bits, {_digest(value.to_bytes(bits // 8 + 1, 'big', signed=True))}>"

    def mapping(self, items: list[tuple[Any, Any]], depth: int) -> Any:
        out: dict[str, Any] = {}
        for key, value in items:
            if self.nodes <= 0:
                out["…"] = f"{len(items)} members"
                break
            name = key if type(key) is str else self.key(key)
            if depth == 0:
                self.member = name
            name = self.text(name)
            if name in out:  # as 1 and "1": a person would see one of the two
                self.no_form()
            out[name] = self.value(value, depth + 1)
        return out

    def key(self, key: Any) -> str:
        """Keys with parts, as tuples are, have no form as a name."""
        self.nodes -= 1
        if key is None:
            return "null"
        try:
            said = self.scalar(key)
        except (Exception, SystemExit):  # of a type that lies about itself
            said = None
        if said is None:
            self.no_form()
            return self.of_type(key)
        return said if isinstance(said, str) else json.dumps(said)

    def no_form(self) -> None:
        self.formless = self.formless or self.member or "value"

    def sequence(self, items: list[Any], depth: int) -> Any:
        out: list[Any] = []
        for item in items:
            if self.nodes <= 0:
                out.append(f"… ({len(items)} items)")
                break
            out.append(self.value(item, depth + 1))
        return out

    def no_more(self, value: Any, shown: "frozenset[str]" = frozenset()) -> None:
        """Attributes beside what is shown have no form."""
        if not _is_whole(value) and not _names(value) <= shown:
            self.no_form()

    def scalar(self, value: Any) -> Any:
        """JSON of a value without parts; None for anything else."""
        if isinstance(value, enum.Enum):
            return self.text(f"{type(value).__name__}.{value.name}") if not isinstance(value, (str, int)) else self.plain_enum(value)
        if isinstance(value, bool):
            return value
        if type(value) not in _EXACT and isinstance(value, _SCALARS):
            self.no_more(value)
        if isinstance(value, str):
            return self.text(str.__str__(value))
        if isinstance(value, int):
            return self.number(int.__index__(value))
        if isinstance(value, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else float.__repr__(number)
        if isinstance(value, (bytes, bytearray, memoryview)):
            data = bytes(value)
            return f"<{len(data)} bytes, {_digest(data)}>"
        if isinstance(value, _AS_TEXT) or _is_url(value):
            return self.text(str(value))
        if isinstance(value, numbers.Integral):  # of numpy
            return self.number(operator.index(value))
        return None

    def plain_enum(self, value: Any) -> Any:
        return self.text(str.__str__(value)) if isinstance(value, str) else self.number(int.__index__(value))

    def value(self, value: Any, depth: int) -> Any:
        self.nodes -= 1
        if value is None:
            return None
        try:
            plain = self.scalar(value)
            if plain is not None:
                return plain
            if depth < DEPTH_MAX:
                return self.parts(value, depth)
            if isinstance(value, (dict, list, tuple)) and value:
                return self.too_deep()
        except (Exception, SystemExit):  # of a type that lies about itself
            pass
        self.no_form()
        return self.text(self.of_type(value))

    def of_type(self, value: Any) -> str:
        return cut(f"<{type(value).__module__}.{type(value).__qualname__}>", 200)

    def too_deep(self) -> str:
        said = f"… (more than {DEPTH_MAX} levels)"
        first, self.deep = not self.deep, True
        return self.text(said.ljust(CUT_CHARS) if first else said)

    def parts(self, value: Any, depth: int) -> Any:
        if type(value) not in _EXACT and isinstance(value, (dict, Mapping, list, tuple, set, frozenset)):
            self.no_more(value)
        if isinstance(value, (dict, Mapping)):
            return self.mapping(list(value.items()), depth)
        if isinstance(value, (list, tuple)):
            return self.sequence(list(value), depth)
        if isinstance(value, (set, frozenset)):
            return sorted(self.sequence(list(value), depth), key=lambda item: json.dumps(item, sort_keys=True))
        fields = getattr(type(value), "__dataclass_fields__", None)
        if isinstance(fields, dict) and dataclasses.is_dataclass(value):
            self.no_more(value, frozenset(fields))
            known = [(field, _member(value, field.name)) for field in dataclasses.fields(value)]
            return self.mapping([(field.name, own if field.repr else _unshown(own)) for field, own in known], depth)
        fields = getattr(type(value), "__pydantic_fields__", None)
        if isinstance(fields, dict):
            extra = getattr(value, "__pydantic_extra__", None)  # members that the model chose itself
            more = list(extra.items()) if isinstance(extra, dict) else []
            if not set(vars(value)) <= set(fields):
                self.no_form()
            return self.mapping([(name, vars(value).get(name)) for name in fields] + more, depth)
        raise TypeError("no parts")


def json_of(value: Any, brief: bool = False) -> str:
    """Compact JSON in ASCII. Never fails; what JSON cannot express is text, what is too long is cut and says so."""
    return shown(value, brief)[0]


def shown(value: Any, brief: bool = False) -> tuple[str, str]:
    """json_of(), and the name of the first member in which another value would look the same; "" without one."""
    writer = _Writer(BRIEF_NODES_MAX, BRIEF_CHARS_MAX) if brief else _Writer(NODES_MAX, CHARS_MAX)
    try:
        text = json.dumps(writer.value(value, 0), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        return text, writer.formless
    except (Exception, SystemExit):
        return json.dumps(f"<{type(value).__name__}>"), writer.formless or "value"


def not_shown(member: str) -> str:
    """Why a person can decide about no call with this argument."""
    return cut(f"This call needs a person's approval, and the argument {member!r} has a value that cannot be shown: another one would "
               "look the same. Pass plain values, dicts with texts as keys, a dataclass or a pydantic model.")


def same_kind(edit: Any, args: Any) -> bool:
    """True if both are objects, lists, texts, numbers or truth values: all that a person can put in place of arguments."""
    kinds = {"{": "object", "[": "list", '"': "text", "t": "truth", "f": "truth", "n": "null"}
    edit_kind, args_kind = (kinds.get(json_of(value)[:1], "number") for value in (edit, args))
    return edit_kind == args_kind


def id_of(text: str, most: int = 128) -> str:
    """A name that the daemon takes as a session's id."""
    name = re.sub(r"[^A-Za-z0-9._~:-]", "-", text)[:most]
    return name if name not in ("", ".", "..") else "session"
