# SPDX-License-Identifier: Apache-2.0
"""Code shared by the adapters to frameworks."""
from __future__ import annotations

import json
from typing import Any, Callable, Optional

from ._session import Session, current


def session_of(given: Optional[Session], agent: str) -> Callable[[], Session]:
    """The given session, else that of the `with` block around, else one that is opened once and ends with the process."""
    made: list[Session] = []

    def find() -> Session:
        found = given or current()
        if found is not None:
            return found
        if not made:
            made.append(Session(agent=agent).start())
        return made[0]
    return find


def arguments(text: Any) -> Any:
    """Arguments that a framework has as JSON text."""
    if not isinstance(text, str):
        return {} if text is None else text
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {"input": text}


def count(use: Any, *names: str) -> int:
    """The first of these members that is a number."""
    for name in names:
        value = use.get(name) if isinstance(use, dict) else getattr(use, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return max(value, 0)
    return 0
