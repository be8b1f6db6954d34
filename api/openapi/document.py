#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""document.py PROGRAM OUTPUT FILE...: writes openapi.json, made of the daemon's own tables and of the descriptions in FILE (README.md).

PROGRAM is headway_tables, which prints routes, events, structures that are decoded, words of enumerations and codes of problems. All
that the tables have is taken from there; a description that names what they do not have is an error.
"""
import json
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field

from notation import Types, closed, component

# Paths of the table that stand for more than one segment.
SEVERAL_SEGMENTS = {"/assets/{asset}": "/assets/{hash}/{file}", "/ping/{ping}": "/ping/{id}/{action}"}
# `{id}` is a session's, with these exceptions.
OTHER_IDS = {"/v1/webhooks/": "Webhook", "/v1/tokens/": "TokenId"}
# The callers that satisfy a guard: anonymous ones in access.mode "local", a token with one of the scopes, or a login. The scopes
# stand apart (`x-scopes`), since tools take those within `security` for OAuth's.
LOGIN, LOCAL, TOKEN = {"login": []}, {}, {"bearer": []}
SECURITY = {
    "public": ([], []),
    "any_token": ([LOCAL, TOKEN, LOGIN], []),
    "report": ([LOCAL, TOKEN, LOGIN], ["report:"]),
    "read": ([LOCAL, TOKEN, LOGIN], ["read", "report:"]),
    "overview": ([LOCAL, TOKEN, LOGIN], ["read", "report:"]),
    "control": ([LOCAL, TOKEN, LOGIN], ["control"]),
    "approve": ([TOKEN, LOGIN], ["approve"]),
    "admin": ([TOKEN, LOGIN], ["admin"]),
}
ERRORS = {"400": "BadRequest", "401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "409": "Conflict", "413": "BodyTooLarge",
          "415": "UnsupportedMediaType", "422": "IdempotencyMismatch", "429": "TooMany", "503": "Unavailable", "507": "StorageFull",
          "default": "Problem"}
DEPRECATED = ("Deprecation", "X-Deprecated", "X-Deprecation-Message")


@dataclass
class Line:
    """A line of a description, `name type # words`, and the lines below it."""
    where: str
    name: str
    type: str
    words: str
    below: list = field(default_factory=list)

    def fail(self, why: str):
        raise SystemExit(f"{self.where}: {self.name}: {why}")


def lines_of(path: pathlib.Path) -> list:
    top = Line(str(path), "", "", "")
    open_lines = [(-1, top)]
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        depth = len(text) - len(text.lstrip())
        said, _, words = text.strip().partition(" # ")
        name, _, kind = said.strip().partition(" ")
        if name in ("schema", "event", "operation", "parameter", "header", "response", "tag", "security") and depth == 0:
            inner, _, kind = kind.strip().partition(" ")
            name = f"{name} {inner}"
        line = Line(f"{path.name}:{number}", name, kind.strip(), words.strip())
        while open_lines[-1][0] >= depth:
            open_lines.pop()
        open_lines[-1][1].below.append(line)
        open_lines.append((depth, line))
    return top.below


def pascal(event: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"[._]", event))


class Document:
    def __init__(self, tables: dict, lines: list):
        self.tables = tables
        self.types = Types(tables, lines)
        self.lines = {kind: {} for kind in ("schema", "event", "operation", "parameter", "header", "response", "tag", "security")}
        self.tag_of = {}  # operation -> its tag
        tag = ""
        for line in lines:
            kind, name = line.name.split(" ", 1)
            if name in self.lines[kind]:
                line.fail("is described twice")
            self.lines[kind][name] = line
            tag = name if kind == "tag" else tag
            if kind == "operation":
                self.tag_of[name] = tag.replace("_", " ")
        self.parameters = {name: self.parameter(line.below[0]) for name, line in self.lines["parameter"].items()}

    def made(self) -> dict:
        info = json.loads((pathlib.Path(__file__).parent / "info.json").read_text(encoding="utf-8"))
        schemas = {name: self.types.schema(line) for name, line in self.lines["schema"].items()}
        schemas |= self.events()
        return info | {
            "tags": [{"name": name.replace("_", " "), "description": line.words} for name, line in self.lines["tag"].items()],
            "paths": self.paths(),
            "components": {
                "securitySchemes": {name: json.loads(line.type) | {"description": line.words} for name, line in self.lines["security"].items()},
                "parameters": self.parameters,
                "headers": {name: self.header(line) for name, line in self.lines["header"].items()},
                "responses": {name: self.problem(line) for name, line in self.lines["response"].items()},
                "schemas": schemas,
            },
        }

    # routes

    def paths(self) -> dict:
        """In the order of the descriptions, as people read them."""
        paths, rows = {}, {row["name"]: row for row in self.tables["routes"]}
        for name in rows.keys() - self.lines["operation"].keys():
            raise SystemExit(f"operation {name} of the table of routes is not described")
        for name, line in self.lines["operation"].items():
            if name not in rows:
                line.fail("is no operation of the table of routes")
            row = rows[name]
            path = SEVERAL_SEGMENTS.get(row["path"], row["path"])
            item = paths.setdefault(path, {})
            names = re.findall(r"\{(\w+)\}", path)
            if names:
                item["parameters"] = [component("parameters", self.path_parameter(path, part)) for part in names]
            item[row["method"].lower()] = self.operation(row, path, line)
        return paths

    def path_parameter(self, path: str, name: str) -> str:
        if name == "id":
            return next((other for prefix, other in OTHER_IDS.items() if path.startswith(prefix)), "Session")
        return next(key for key, parameter in self.parameters.items() if parameter["in"] == "path" and parameter["name"] == name)

    def operation(self, row: dict, path: str, line: Line) -> dict:
        security, scopes = SECURITY[row["guard"]]
        replies, parameters, body, errors = {}, [], None, self.errors(row, path)
        for below in self.lines_of_operation(line):
            if below.name[0] in "?^":
                parameters.append(self.parameter(below))
            elif below.name in ("body", "body?"):
                body = self.body(below)
            elif below.name == "errors":
                for code in below.type.split():
                    errors = errors - {code[1:]} if code[0] == "-" else errors | {code[1:]}
            elif below.name.isdigit():
                replies[below.name] = self.reply(below, row)
            else:
                below.fail("is no parameter, body, status or `errors`")
        replies |= {code: component("responses", ERRORS[code]) for code in ERRORS if code in errors - set(replies)}
        said = {"operationId": row["name"], "tags": [self.tag_of[row["name"]]], "summary": row["summary"],
                "description": line.words}
        said |= {"deprecated": True} if row["deprecated"] else {}
        said |= {"parameters": parameters} if parameters else {}
        said |= {"requestBody": body} if body else {}
        if (body is not None) != row["takes_body"]:
            line.fail(f"the table of routes has {'a' if row['takes_body'] else 'no'} body")
        self.check_query(row, line, parameters)
        return said | {"responses": replies, "security": security} | ({"x-scopes": scopes} if scopes else {})

    def lines_of_operation(self, line: Line) -> list:
        """With those of the operation that it is an alias `of`."""
        if not line.type:
            return line.below
        return self.lines_of_operation(self.lines["operation"][line.type.removeprefix("of ")]) + line.below

    def errors(self, row: dict, path: str) -> set:
        """Errors that a route of this kind may reply with."""
        codes = {"401", "403", "default"}
        if row["parameters"] != "*":
            codes |= {"400"}
        if row["guard"] not in ("public", "any_token"):
            codes |= {"503"}
        if "{" in path and row["guard"] != "report":  # a report opens the session that it names
            codes |= {"404"}
        if row["takes_body"]:
            codes |= {"413", "415"}
        if row["effect"] != "reads":
            codes |= {"409", "507"}
        return codes

    def check_query(self, row: dict, line: Line, parameters: list):
        whole = [self.parameters[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p for p in parameters]
        query = {p["name"] for p in whole if p["in"] == "query"}
        if row["parameters"] != "*" and query != set(row["parameters"].split()):
            line.fail(f"the table of routes has the parameters {row['parameters'] or '(none)'}")

    def parameter(self, line: Line) -> dict:
        """`?name type` of the query, `^Name type` of the headers, `{name} type` of the path; `= Name` is a component."""
        where = {"?": "query", "^": "header", "{": "path"}[line.name[0]]
        if line.type.startswith("= "):
            return component("parameters", line.type[2:])
        name = line.name.strip("?^{}!")
        schema = self.types.of(line.type, line)
        said = {"name": name, "in": where}
        said |= {"required": True} if where == "path" or line.name.endswith("!") else {}
        said |= {"description": line.words} if line.words else {}
        said |= {"allowEmptyValue": True} if schema.pop("allowEmptyValue", False) else {}
        return said | ({"style": "form", "explode": False} if schema.get("type") == "array" else {}) | {"schema": schema}

    def header(self, line: Line) -> dict:
        kind = line.type.removesuffix(" required")
        said = {"description": line.words} | ({"required": True} if kind != line.type else {})
        return said | {"schema": self.types.of(kind, line)}

    def problem(self, line: Line) -> dict:
        said = {"description": line.words}
        if line.type:
            said["headers"] = {line.type: component("headers", line.type)}
        return said | {"content": {"application/problem+json": {"schema": component("schemas", "Problem")}}}

    def body(self, line: Line) -> dict:
        content = self.content(line)
        said = {"description": line.words} if line.words else {}
        return said | {"required": line.name == "body", "content": content}

    def content(self, line: Line) -> dict:
        """The media types of a body or a reply: `type` is application/json, and `for MEDIA type` below it another."""
        content, last = {}, None
        if line.type:
            last = content.setdefault("application/json", {"schema": self.types.of(line.type, line)})
        for below in line.below:
            if below.name == "example":
                last["example"] = json.loads(below.type)
            elif below.name == "for":
                media, _, kind = below.type.partition(" = ")
                last = content.setdefault(media, {"schema": self.types.of(kind, below)})
            elif below.name == "events":
                last = content.setdefault("text/event-stream", self.stream(below))
        return content

    def stream(self, line: Line) -> dict:
        """`name=Schema` for each event of a stream; `*` are the types of events."""
        events = {name: component("schemas", kind) for name, kind in (pair.split("=") for pair in line.type.split())}
        kinds = [json.loads(text) for text in dict.fromkeys(map(json.dumps, events.values()))]
        return {"schema": {"type": "string", "description": "Server-Sent Events; `x-sse-events` says what the data of each is.",
                           "contentMediaType": "application/json", "contentSchema": {"anyOf": kinds}}, "x-sse-events": events}

    def reply(self, line: Line, row: dict) -> dict:
        names = [name for below in line.below if below.name == "headers" for name in below.type.split()]
        names += DEPRECATED if row["deprecated"] else ()
        content = self.content(line)
        said = {"description": line.words}
        said |= {"headers": {name: component("headers", name) for name in names}} if names else {}
        return said | ({"content": content} if content else {})

    # events

    def events(self) -> dict:
        """For each type its data and its envelope, as it is stored and as it is reported."""
        schemas, kinds = {}, {"Event": {}, "ReportEvent": {}}
        for event in self.tables["events"]:
            name, line = pascal(event["type"]), self.lines["event"].get(event["type"])
            if line is None:
                raise SystemExit(f"event {event['type']} is not described")
            schemas[f"{name}Data"] = self.types.structure(event["data"], line, "stored")
            more = [below for below in line.below if below.name[0] == "+"]
            schemas[f"{name}Event"] = self.envelope("envelope.stored", event["type"], f"{name}Data", True, more)
            kinds["Event"][event["type"]] = f"{name}Event"
            if event["reported"]:
                data = "ApprovalAsk" if name == "ApprovalRequested" else f"{name}Report"
                if data.endswith("Report"):
                    schemas[data] = self.types.structure(event["data"], line, "reported")
                needs = "required" in schemas.get(data, {"required": []})
                schemas[f"Reported{name}"] = self.envelope("envelope.reported", event["type"], data, needs)
                kinds["ReportEvent"][event["type"]] = f"Reported{name}"
        for name, words in (("Event", "An event as it was stored."), ("ReportEvent", "An event as it is reported.")):
            found = {event: f"#/components/schemas/{kind}" for event, kind in kinds[name].items()}
            schemas[name] = {"description": words, "oneOf": [{"$ref": ref} for ref in found.values()],
                             "discriminator": {"propertyName": "type", "mapping": found}}
        return schemas

    def envelope(self, which: str, event: str, data: str, needs_data: bool, more: list = ()) -> dict:
        said = self.types.members([*self.lines["event"][which].below, *more])
        said["properties"] |= {"type": {"const": event}, "data": component("schemas", data)}
        return closed(said["properties"], [*said.get("required", []), "type", *(["data"] if needs_data else [])])


def main(program: str, output: pathlib.Path, paths: list):
    tables = json.loads(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout)
    made = Document(tables, [line for path in paths for line in lines_of(path)]).made()
    text = json.dumps(made, indent=2, ensure_ascii=False) + "\n"
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), [pathlib.Path(path) for path in sys.argv[3:]])
