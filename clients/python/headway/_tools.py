# SPDX-License-Identifier: Apache-2.0
"""Functions as supervised tools."""
from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Optional

from ._call import Call
from ._errors import Denied

if TYPE_CHECKING:
    from ._session import Session


_VALUES = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, type(None))


class _Arguments:
    """Converts arguments of a function for reports, and applies a person's edit of them."""

    def __init__(self, function: Any) -> None:
        self.function, self.made = function, None
        try:
            self.signature: Optional[inspect.Signature] = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = None

    def has_receiver(self, args: tuple[Any, ...]) -> bool:
        """True if the first argument is the object or class whose method this is, not a value that a person has to see.

        A parameter's name says nothing: a plain function may call its own `self` or `cls`."""
        if not args or isinstance(args[0], _VALUES):
            return False
        name = str(getattr(self.function, "__name__", ""))
        place, module = str(getattr(self.function, "__qualname__", "")).rpartition(".")[0], getattr(self.function, "__module__", None)
        for kind in (args[0] if isinstance(args[0], type) else type(args[0])).__mro__:
            held = vars(kind).get(name)
            if isinstance(held, staticmethod):
                return False
            if kind.__qualname__ == place and kind.__module__ == module or held is not None and held is self.made:
                return True
        return False

    def told(self, args: tuple[Any, ...], more: dict[str, Any]) -> dict[str, Any]:
        if self.signature is None:
            return {**({"args": list(args)} if args else {}), **more}
        try:
            bound = self.signature.bind(*args, **more)
        except TypeError:  # the function itself will say so
            return {**({"args": list(args)} if args else {}), **more}
        told: dict[str, Any] = {}
        for at, (name, value) in enumerate(bound.arguments.items()):
            if at == 0 and self.has_receiver(args):
                continue
            kind = self.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                again = {key: item for key, item in value.items() if key in told}
                told.update({key: item for key, item in value.items() if key not in told})
                if again:  # beside a parameter of the same name
                    told["**" + name] = again
            else:
                told[name] = list(value) if kind is inspect.Parameter.VAR_POSITIONAL else value
        return told

    def edited(self, args: tuple[Any, ...], edit: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call with these arguments instead; raises TypeError where the function has no such ones."""
        if self.signature is None:
            raise TypeError("its parameters are not known")
        names = list(self.signature.parameters.values())
        first: list[Any] = []
        if names and self.has_receiver(args):
            first.append(args[0])
            names = names[1:]
        more = dict(edit)
        if any(key.startswith("**") for key in more):
            raise TypeError("it has two arguments of one name")
        for parameter in names:
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY and parameter.name in more:
                first.append(more.pop(parameter.name))
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL and more.get(parameter.name):
                raise TypeError("it has any number of arguments")
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                more.pop(parameter.name, None)
        self.signature.bind(*first, **more)
        return tuple(first), more


class _Refused(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _arranged(call: Call, known: _Arguments, raises: bool, args: tuple[Any, ...],
              more: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments that the call runs with. Raises Stop or Denied, or _Refused where the reason is to be the result."""
    if not call:
        if call.stop or raises:
            call.check()
        raise _Refused(call.denied)
    if not call.edited:
        return args, more
    try:
        return known.edited(args, call.args)
    except TypeError:
        reason = "This was approved with other arguments, which the tool does not take."
        call.denied = reason
        call.fail(reason)
        if raises:
            raise Denied(reason) from None
        raise _Refused(reason) from None


def supervised(session: "Session", function: Any, name: Optional[str], require: Optional[bool], raises: bool) -> Any:
    tool = name or str(getattr(function, "__name__", type(function).__name__))
    known = _Arguments(function)

    def call_of(args: tuple[Any, ...], more: dict[str, Any]) -> Call:
        return session.call(tool, known.told(args, more), require=require, raises=False)

    if inspect.isasyncgenfunction(function):
        async def asyncgen(*args: Any, **more: Any) -> Any:
            try:
                async with call_of(args, more) as call:
                    args, more = _arranged(call, known, raises, args, more)
                    items = function(*args, **more)
                    count = 0
                    try:
                        async for item in items:
                            count += 1
                            yield item
                    finally:
                        call.result = f"{count} items"
                        await items.aclose()
            except _Refused as refused:
                yield refused.reason
        made: Any = asyncgen
    elif inspect.isgeneratorfunction(function):
        def generator(*args: Any, **more: Any) -> Any:
            try:
                with call_of(args, more) as call:
                    args, more = _arranged(call, known, raises, args, more)
                    returned = yield from function(*args, **more)
                    call.result = returned
                    return returned
            except _Refused as refused:
                yield refused.reason
        made = generator
    elif inspect.iscoroutinefunction(function):
        async def coroutine(*args: Any, **more: Any) -> Any:
            try:
                async with call_of(args, more) as call:
                    args, more = _arranged(call, known, raises, args, more)
                    result = await function(*args, **more)
                    call.result = result
                    return result
            except _Refused as refused:
                return refused.reason
        made = coroutine
    else:
        def plain(*args: Any, **more: Any) -> Any:
            try:
                with call_of(args, more) as call:
                    args, more = _arranged(call, known, raises, args, more)
                    result = function(*args, **more)
                    call.result = result
                    return result
            except _Refused as refused:
                return refused.reason
        made = plain
    functools.update_wrapper(made, function)
    known.made = made
    return made
