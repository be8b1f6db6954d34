# SPDX-License-Identifier: Apache-2.0
"""Headway for agents in Python: `with headway.Session(goal="...") as s`, `@s.tool`, `s.advice()`.

It never raises because Headway is away, slow or wrong: calls run then as they would without it."""
from ._call import Call, Decision
from ._errors import Denied, Stop
from ._session import Session, current

__all__ = ["Call", "Decision", "Denied", "Session", "Stop", "current"]
__version__ = "0.1.0"
