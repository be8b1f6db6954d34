# SPDX-License-Identifier: Apache-2.0
"""Forms of HEADWAY_URL; the other clients, the CLI and the hook read it alike (tests/support/daemon_urls.txt)."""
from __future__ import annotations

import re
from typing import Optional

DEFAULT_URL = "http://127.0.0.1:7717"
NO_ADDRESS = "HEADWAY_URL is no URL of a daemon; write http://HOST:PORT, https://HOST:PORT or unix:/PATH. Nothing is supervised."
_HTTP = re.compile(r"(?:(https?)://)?(\[[0-9a-f:.]*:[0-9a-f:.]*\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?((?:/[a-z0-9._~!$&'()*+,;=:@%-]+)*)", re.I | re.A)
_UNIX = re.compile(r'unix:(?://)?(/(?!/)[^"\\\x00-\x1f\x7f]*)', re.I | re.A)


class Address:
    """`path` is that of a socket, or what stands before each path of the API. `name` is its normal form, and has no secret."""

    def __init__(self, scheme: str, host: str, port: Optional[int], path: str, name: str) -> None:
        self.scheme, self.host, self.port, self.path, self.name = scheme, host, port, path, name

    @property
    def base(self) -> str:
        return "" if self.scheme == "unix" else self.path


def address_of(text: str) -> Optional[Address]:
    """None if it is no URL of a daemon."""
    socket = _UNIX.fullmatch(text)
    if socket is not None:
        return Address("unix", "", None, socket[1], "unix:" + socket[1])
    found = _HTTP.fullmatch(text.rstrip("/"))
    if found is None:
        return None
    scheme, host, port, path = (found[1] or "http").lower(), found[2], found[3], found[4]
    if port is not None and not 0 < int(port) < 65536:
        return None
    name = f"{scheme}://{host}{'' if port is None else ':' + port}{path}"
    return Address(scheme, host.strip("[]"), None if port is None else int(port), path, name)
