# SPDX-License-Identifier: Apache-2.0
"""Work that may take long, for coroutines."""
from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any, Callable, Optional

from ._wire import Abort


async def beside(work: Callable[[Abort], Any]) -> Any:
    """On a thread of its own, since a person may take a day: the loop's executor has few. A cancellation ends it."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # of another library
        return work(Abort())
    future: "asyncio.Future[Any]" = loop.create_future()
    abort = Abort()
    context = contextvars.copy_context()

    def settle(result: Any, error: Optional[BaseException]) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def run() -> None:
        result, error = None, None
        try:
            result = context.run(work, abort)
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # the loop is closed
            pass

    try:
        threading.Thread(target=run, name="headway-question", daemon=True).start()
    except RuntimeError:
        return None
    try:
        return await future
    except asyncio.CancelledError:
        abort.fire()
        raise
