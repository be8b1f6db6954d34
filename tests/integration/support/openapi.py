# SPDX-License-Identifier: Apache-2.0
"""The daemon's OpenAPI document, and what of requests and replies does not agree with it."""
import functools
import json
import re
import subprocess
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from .daemon import BINARY
from .http import Reply
from .json_schema import Schemas, resolve

METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
PROBLEM = "application/problem+json"
# Replies to any request, whatever its operation; the document has them once, as `default`.
ANYWHERE = {400, 404, 405, 408, 411, 413, 421, 429, 431, 500, 505}


@functools.cache
def document_text() -> str:
    """As the daemon serves it."""
    return subprocess.run([str(BINARY), "routes", "--openapi"], capture_output=True, text=True, check=True).stdout


@dataclass
class Operation:
    method: str  # upper case
    path: str  # the template
    said: dict
    parameters: dict  # (in, name) -> parameter

    @property
    def id(self) -> str:
        return self.said["operationId"]


class OpenApi:
    def __init__(self, document: dict | None = None):
        self.document = document or json.loads(document_text())
        self.schemas = Schemas(self.document)
        self.operations = [self._operation(method, path, item)
                           for path, item in self.document["paths"].items() for method in METHODS if method in item]

    def _operation(self, method: str, path: str, item: dict) -> Operation:
        said = item[method]
        both = item.get("parameters", []) + said.get("parameters", [])
        parameters = [self.whole(parameter) for parameter in both]
        return Operation(method.upper(), path, said, {(p["in"], p["name"]): p for p in parameters})

    def whole(self, component: dict) -> dict:
        """The component itself where a reference to it stands."""
        return resolve(self.document, component["$ref"]) if "$ref" in component else component

    def schema(self, name: str) -> dict:
        return self.document["components"]["schemas"][name]

    def find(self, method: str, target: str) -> Operation | None:
        """The operation of a request; a path without parameters goes before one with them."""
        path, found = urlsplit(target).path, []
        for operation in self.operations:
            pattern = re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(operation.path))
            if operation.method == method and re.fullmatch(pattern, path):
                found.append(operation)
        return min(found, key=lambda operation: operation.path.count("{"), default=None)

    # requests

    def request_errors(self, operation: Operation, target: str, body: bytes = b"", kind: str = "application/json") -> list:
        parts = urlsplit(target)
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(operation.path))
        given = [("path", name, unquote(text)) for name, text in re.fullmatch(pattern, parts.path).groupdict().items()]
        for pair in filter(None, parts.query.split("&")):
            name, _, text = pair.partition("=")
            given.append(("query", unquote_plus(name), unquote_plus(text)))
        errors = [error for where, name, text in given for error in self._parameter_errors(operation, where, name, text)]
        named = {(where, name) for where, name, _ in given}
        errors += [f"{name} in {where} is missing" for (where, name), parameter in operation.parameters.items()
                   if parameter.get("required") and (where, name) not in named]
        return errors + self._body_errors(operation.said.get("requestBody"), body, kind)

    def _parameter_errors(self, operation: Operation, where: str, name: str, text: str) -> list:
        parameter = operation.parameters.get((where, name))
        if parameter is None:
            return [f"{name} in {where} is unknown"]
        schema = self.whole(parameter["schema"])
        if schema.get("type") == "array":
            value = [as_json(self.whole(schema["items"]), item) for item in text.split(",")]
        else:
            value = as_json(schema, text)
        return self.schemas.errors(parameter["schema"], value, name)

    def _body_errors(self, said: dict | None, body: bytes, kind: str) -> list:
        if not body:
            return ["a body is missing"] if said is not None and said["required"] else []
        if said is None:
            return ["no body is expected"]
        if kind not in said["content"]:
            return [f"a body of {kind} is unknown"]
        if kind == "application/x-ndjson":
            return self._line_errors("ReportEvent", body)
        form = kind == "application/x-www-form-urlencoded"
        return self.schemas.errors(said["content"][kind]["schema"], dict(parse_qsl(body.decode())) if form else json.loads(body))

    def _line_errors(self, schema: str, lines: bytes) -> list:
        return [error for line in lines.splitlines() for error in self.schemas.errors(self.schema(schema), json.loads(line))]

    def variants(self, name: str) -> dict:
        """Type of event -> its schema, of a schema that is one of several by `type`."""
        found = {}
        for one in self.schema(name)["oneOf"]:
            variant = self.whole(one)
            found[variant["properties"]["type"]["const"]] = variant
        return found

    # replies

    def reply_errors(self, operation: Operation, reply: Reply) -> list:
        responses = operation.said["responses"]
        if str(reply.status) not in responses and reply.status not in ANYWHERE:
            return [f"status {reply.status} is unknown: {reply.body[:300]!r}"]
        response = self.whole(responses.get(str(reply.status), responses["default"]))
        errors = []
        for name, header in response.get("headers", {}).items():
            header = self.whole(header)
            if name.lower() in reply.headers:
                errors += self.schemas.errors(header["schema"], reply.headers[name.lower()], name)
            elif header.get("required"):
                errors.append(f"the header {name} is missing")
        return errors + self._content_errors(response.get("content"), reply)

    def _content_errors(self, content: dict | None, reply: Reply) -> list:
        if content is None:
            return [f"a body that is unknown: {reply.body[:300]!r}"] if reply.body else []
        kind = reply.headers.get("content-type")
        if kind not in content:
            return [f"the content type {kind} is unknown"]
        if kind == "text/event-stream":
            return self.stream_errors(content[kind]["x-sse-events"], reply.body.decode())
        if kind == "application/x-ndjson":
            return self._line_errors("Event", reply.body)
        if kind in ("application/json", PROBLEM):
            return self.schemas.errors(content[kind]["schema"], reply.json())
        return self.schemas.errors(content[kind]["schema"], reply.body.decode())

    def stream_errors(self, events: dict, text: str) -> list:
        """Checks whole frames of Server-Sent Events; `*` are the types of events."""
        errors = []
        for frame in filter(None, text.split("\n\n")):
            fields = dict(line.split(": ", 1) for line in frame.split("\n") if not line.startswith(":"))
            if "data" not in fields:
                continue
            schema = events.get(fields["event"], events.get("*"))
            if schema is None:
                errors.append(f"the stream's event {fields['event']} is unknown")
            else:
                errors += self.schemas.errors(schema, json.loads(fields["data"]), fields["event"])
        return errors


def as_json(schema: dict, text: str):
    """The value that a parameter's text stands for; the text itself where it is no such value."""
    if schema.get("type") == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if schema.get("type") == "integer" and re.fullmatch("-?[0-9]+", text):
        return int(text)
    return text


def references(node, where: str = "#"):
    """All `$ref` below a node: (where it stands, what it says). Examples are data and have none."""
    if isinstance(node, dict):
        for name, child in node.items():
            if name == "$ref" and isinstance(child, str):
                yield where, child
            elif name != "example":
                yield from references(child, f"{where}/{name}")
    elif isinstance(node, list):
        for i, child in enumerate(node):
            yield from references(child, f"{where}/{i}")
