#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document: how it is made, its form, and the daemon against it: requests and replies are as it says.

A reply that is not in the document fails here, and so does a promise that the daemon does not keep.
"""
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import TestCase

from support.case import OwnDaemonCase, SharedDaemonCase
from support.daemon import PROJECT
from support.examples import ExampleRunner, examples, judge_config
from support.http import RawConnection
from support.json_schema import Schemas, keywords, resolve, sample
from support.llm import LlmServer
from support.mutations import Mutator, texts_out_of_bounds
from support.openapi import METHODS, PROBLEM, OpenApi, Operation, references
from support.sse import EventStream

sys.path.insert(0, str(PROJECT / "api" / "openapi"))
import document  # noqa: E402

class Validator(TestCase):
    """support/json_schema.py itself."""

    CASES = [
        ({"type": "integer"}, [0, -1, 2.0], [True, "1", 1.5, None]),
        ({"type": "number"}, [1, 1.5], [False, "1"]),
        ({"type": ["string", "null"]}, ["", None], [0, [], {}]),
        ({"enum": ["a", 1, None]}, ["a", 1, None], ["b", True, 0]),
        ({"const": True}, [True], [1, "true"]),
        ({"type": "object", "required": ["a"]}, [{"a": None}, {"a": 1, "b": 2}], [{}, {"b": 1}]),
        ({"properties": {"a": {"type": "string"}}, "additionalProperties": False}, [{}, {"a": ""}, []], [{"a": 1}, {"b": ""}]),
        ({"additionalProperties": {"type": "integer"}}, [{"a": 1}], [{"a": ""}]),
        ({"additionalProperties": True}, [{"a": 1}], []),
        ({"propertyNames": {"enum": ["a"]}}, [{"a": 1}, 7], [{"b": 1}]),
        ({"maxProperties": 1}, [{"a": 1}], [{"a": 1, "b": 2}]),
        ({"items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, [[1], [1, 2], "no array"], [[], [""], [1, 2, 3]]),
        ({"pattern": "^a+$"}, ["a", "aaa", 5], ["", "ab", "a\n"]),
        ({"minLength": 1, "maxLength": 2}, ["a", "ab", 5], ["", "abc"]),
        ({"minimum": 0, "maximum": 1}, [0, 0.5, 1, "x"], [-1, 1.1]),
        ({"anyOf": [{"type": "string"}, {"minimum": 5}]}, ["a", 7], [1]),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": 1}, {"b": 1}], [{}, {"a": 1, "b": 1}]),
        ({"$ref": "#/short", "description": "a sibling"}, ["ab"], ["abc", 1]),
        ({"properties": {"n": {"items": {"$ref": "#/short"}}}}, [{"n": ["a"]}], [{"n": ["abc"]}]),
        ({"format": "date-time", "default": 1, "examples": []}, ["anything"], []),
    ]

    def test_each_keyword_takes_what_it_should_and_refuses_the_rest(self):
        schemas = Schemas({"short": {"type": "string", "maxLength": 2}})
        for schema, good, bad in self.CASES:
            for value in good:
                self.assertEqual(schemas.errors(schema, value), [], (schema, value))
            for value in bad:
                self.assertNotEqual(schemas.errors(schema, value), [], (schema, value))
        self.assertEqual(keywords() - {word for schema, _, _ in self.CASES for word in words_of(schema)}, {"title", "deprecated",
                         "example", "discriminator", "contentMediaType", "contentSchema"})

    def test_an_unknown_keyword_or_reference_is_an_error(self):
        with self.assertRaises(ValueError):
            Schemas({}).errors({"multipleOf": 2}, 4)
        with self.assertRaises(KeyError):
            Schemas({}).errors({"$ref": "#/nowhere"}, 4)

    def test_errors_name_the_place(self):
        schema = {"properties": {"a": {"items": {"type": "integer"}}}, "required": ["b"], "additionalProperties": False}
        self.assertEqual(Schemas({}).errors(schema, {"a": [1, "x"], "c": 1}),
                         ["/a/1: 'x' is no integer", "/b is missing", "/c is unknown"])

    def test_the_errors_are_those_of_the_intended_variant(self):
        variants = [{"properties": {"type": {"const": t}, "data": {"type": kind}}} for t, kind in
                    (("a", "string"), ("b", "integer"))]
        self.assertEqual(Schemas({}).errors({"oneOf": variants}, {"type": "b", "data": "x"}), ["/data: 'x' is no integer"])

    def test_a_mutation_is_refused_by_the_schema_and_differs_in_one_place(self):
        schema = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 3}}, "required": ["a"],
                  "additionalProperties": False}
        made = {mutation.name: mutation.body for mutation in Mutator(Schemas({})).of(schema, {"a": 1})}
        self.assertEqual(made["above 3 at /a"], {"a": 4})
        self.assertEqual(made["nothing at /a"], {})
        self.assertEqual(made["an unknown member at /surprise"], {"a": 1, "surprise": 1})
        self.assertEqual(made["'wrong' at /a"], {"a": "wrong"})


def words_of(node):
    """The keywords in a schema."""
    for name, child in node.items():
        yield name
        children = child.values() if name == "properties" else child if name in ("anyOf", "oneOf") else [child]
        for inner in children:
            if isinstance(inner, dict):
                yield from words_of(inner)


class Document(TestCase):
    def setUp(self):
        self.api = OpenApi()
        self.document = self.api.document

    def all_schemas(self):
        """(where, schema) of every schema in the document, within others too."""
        def within(node, where):
            yield where, node
            for name in ("properties", ):
                for key, child in node.get(name, {}).items():
                    yield from within(child, f"{where}/{key}")
            for name in ("items", "additionalProperties", "propertyNames"):
                if isinstance(node.get(name), dict):
                    yield from within(node[name], f"{where}/{name}")
            for name in ("anyOf", "oneOf"):
                for i, child in enumerate(node.get(name, [])):
                    yield from within(child, f"{where}/{name}/{i}")

        def search(node, where):
            if isinstance(node, dict):
                for key, child in node.items():
                    if key == "schema" or where == "#/components/schemas":
                        yield from within(child, f"{where}/{key}")
                    else:
                        yield from search(child, f"{where}/{key}")
            elif isinstance(node, list):
                for i, child in enumerate(node):
                    yield from search(child, f"{where}/{i}")
        return search(self.document, "#")

    def test_it_has_the_structure_of_openapi_3_1(self):
        self.assertRegex(self.document["openapi"], r"^3\.1\.\d+$")
        self.assertLessEqual(set(self.document), {"openapi", "info", "servers", "tags", "paths", "components"})
        self.assertLessEqual({"title", "version"}, set(self.document["info"]))
        tags = [tag["name"] for tag in self.document["tags"]]
        self.assertEqual(len(tags), len(set(tags)))
        for path, item in self.document["paths"].items():
            self.assertTrue(path.startswith("/"), path)
            self.assertLessEqual(set(item), {*METHODS, "parameters"}, path)
        for operation in self.api.operations:
            said = operation.said
            with self.subTest(operation.id):
                self.assertLessEqual(set(said), {"operationId", "tags", "summary", "description", "deprecated", "parameters",
                                                 "requestBody", "responses", "security", "x-scopes"})
                self.assertLessEqual({"operationId", "tags", "summary", "description", "responses", "security"}, set(said))
                self.assertLessEqual(set(said["tags"]), set(tags))
                for status, response in said["responses"].items():
                    self.assertRegex(status, r"^([1-5]\d\d|default)$")
                    self.check_response(self.api.whole(response))
                self.check_problems(said["responses"])
                for parameter in operation.parameters.values():
                    self.assertLessEqual(set(parameter), {"name", "in", "required", "description", "schema", "style", "explode",
                                                          "allowEmptyValue"})
                    self.assertIn(parameter["in"], ("query", "header", "path", "cookie"))
                for alternative in said["security"]:
                    self.assertLessEqual(set(alternative), set(self.document["components"]["securitySchemes"]))
        used = {tag for operation in self.api.operations for tag in operation.said["tags"]}
        self.assertEqual(used, set(tags))

    def check_response(self, response: dict):
        self.assertLessEqual(set(response), {"description", "headers", "content"})
        self.assertTrue(response["description"])
        for kind, media in response.get("content", {}).items():
            self.assertRegex(kind, r"^\w+/[\w.+-]+(; [\w-]+=[\w.-]+)?$")
            self.assertLessEqual(set(media), {"schema", "x-sse-events"})

    def check_problems(self, responses: dict):
        """Every error is problem+json; only readiness is a document in any case."""
        for status, response in responses.items():
            content = self.api.whole(response).get("content", {})
            if status == "default" or status >= "400":
                self.assertIn(list(content), ([PROBLEM], ["application/json"]))
                if PROBLEM in content:
                    self.assertEqual(content[PROBLEM]["schema"], {"$ref": "#/components/schemas/Problem"})

    def test_every_reference_leads_somewhere_and_every_component_is_used(self):
        found = list(references(self.document))
        for where, reference in found:
            try:
                resolve(self.document, reference)
            except KeyError:
                self.fail(f"{reference} at {where} leads nowhere")
        used = {reference for _, reference in found}
        unused = [f"#/components/{kind}/{name}" for kind, components in self.document["components"].items()
                  for name in components if kind != "securitySchemes" and f"#/components/{kind}/{name}" not in used]
        self.assertEqual(unused, [])

    def test_operation_ids_are_unique_and_words(self):
        ids = [operation.id for operation in self.api.operations]
        self.assertEqual(sorted(ids), sorted(set(ids)))
        for name in ids:
            self.assertRegex(name, r"^[a-z][A-Za-z]+$")

    def test_path_parameters_are_those_of_the_path(self):
        for operation in self.api.operations:
            declared = {name for (where, name), parameter in operation.parameters.items() if where == "path"}
            self.assertEqual(declared, set(re.findall(r"\{(\w+)\}", operation.path)), operation.path)
            for (where, name), parameter in operation.parameters.items():
                self.assertEqual(parameter.get("required", False), where == "path" or (name == "sessionId" and operation.id == "getChatStatus"),
                                 (operation.id, name))

    def test_every_schema_says_only_what_the_validator_knows(self):
        count = 0
        for where, schema in self.all_schemas():
            count += 1
            self.assertLessEqual(set(schema), keywords(), where)
            for name in schema.get("required", []):
                if "properties" in schema:
                    self.assertIn(name, schema["properties"], where)
            if "pattern" in schema:
                re.compile(schema["pattern"])
            for example in schema.get("examples", []):
                self.assertEqual(self.api.schemas.errors(schema, example), [], where)
        self.assertGreater(count, 1000)

    def test_objects_are_closed_unless_they_are_free(self):
        for where, schema in self.all_schemas():
            if schema.get("type") == "object" and "properties" in schema:
                self.assertIs(schema.get("additionalProperties"), False, where)

    def test_every_operation_says_what_it_is(self):
        for operation in self.api.operations:
            self.assertLess(len(operation.said["summary"]), 60, operation.id)
            self.assertFalse(operation.said["summary"].endswith("."), operation.id)
        for where, schema in self.all_schemas():
            self.assertLess(len(schema.get("description", "")), 160, where)


class Maker(TestCase):
    """api/openapi/document.py: what a description may say, and what is refused."""

    ROUTE = {"method": "POST", "path": "/v1/things/{id}", "name": "openThing", "metric": "thing", "guard": "control", "effect": "writes",
             "takes_body": True, "parameters": "limit", "deprecated": False, "summary": "Open a thing"}
    TABLES = {"routes": [ROUTE], "events": [], "problems": [], "words": {"Colour": ["red", "blue"]},
              "structures": {"Thing": [{"name": "name", "type": "string", "required": True}, {"name": "at", "type": "Time", "required": False},
                                       {"name": "colour", "type": "Colour?", "required": False}, {"name": "count", "type": "uint", "required": False}]}}
    TEXT = """tag Things # All of them.
operation openThing # Opens it.
  ?limit int(1..9) # How many.
  body ThingReport
  200 Thing # Opened.
schema Thing stored:Thing
  name # Of the thing.
schema ThingReport reported:Thing
  count (..5)
schema Time string
parameter Session
  {id} string # A session.
"""

    def made(self, text: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "things.txt")
            path.write_text(text, encoding="utf-8")
            return document.Document(self.TABLES, document.lines_of(path)).made()

    def test_a_structure_is_described_as_it_is_decoded_and_as_it_is_stored(self):
        schemas = self.made(self.TEXT)["components"]["schemas"]
        colour = {"type": "string", "enum": ["red", "blue"]}
        time = {"$ref": "#/components/schemas/Time"}
        self.assertEqual(schemas["ThingReport"], {"type": "object", "properties": {
            "name": {"type": "string", "maxLength": 512}, "at": time, "colour": colour,
            "count": {"type": "integer", "minimum": 0, "maximum": 5}}, "required": ["name"], "additionalProperties": False})
        self.assertEqual(schemas["Thing"], {"type": "object", "properties": {
            "name": {"type": "string", "description": "Of the thing."}, "at": {"anyOf": [time, {"type": "null"}]}, "colour": colour,
            "count": {"type": "integer", "minimum": 0}}, "required": ["name", "at", "count"], "additionalProperties": False})

    def test_an_operation_has_what_its_route_says(self):
        said = self.made(self.TEXT)["paths"]["/v1/things/{id}"]["post"]
        self.assertEqual(list(said["responses"]), ["200", "400", "401", "403", "404", "409", "413", "415", "503", "507", "default"])
        self.assertEqual((said["summary"], said["tags"], said["x-scopes"]), ("Open a thing", ["Things"], ["control"]))

    def test_a_description_that_the_tables_contradict_is_refused_with_its_place(self):
        for old, new, error in (
                ("operation openThing", "operation openThink", "operation openThing of the table of routes is not described"),
                ("  body ThingReport\n", "", "things.txt:2: operation openThing: the table of routes has a body"),
                ("?limit", "?limits", "things.txt:2: operation openThing: the table of routes has the parameters limit"),
                ("  count (..5)", "  cuont (..5)", "things.txt:9: cuont: is no member of the structure"),
                ("  count (..5)", "  count uint;", "things.txt:9: count: `;` is no type"),
                ("reported:Thing", "reported:Think", "things.txt:8: schema ThingReport: the tables have no structure Think"),
                ("schema Time", "schema Thing", "things.txt:10: schema Thing: is described twice"),
        ):
            with self.subTest(new), self.assertRaises(SystemExit) as caught:
                self.made(self.TEXT.replace(old, new, 1))
            self.assertEqual(str(caught.exception), error)


class Page(TestCase):
    """/docs/api: what a policy without inline scripts and styles lets through, and small."""

    def setUp(self):
        self.files = {name: (PROJECT / "web" / name).read_text(encoding="utf-8") for name in ("reference.html", "reference.js", "docs.css")}

    def test_it_is_small(self):
        texts = [re.sub(r".*SPDX-License-Identifier.*\n", "", text) for text in self.files.values()]
        self.assertLess(sum(len(text.encode()) for text in texts), 15_200)

    def test_it_has_no_inline_script_or_style_and_no_foreign_request(self):
        html = self.files["reference.html"]
        self.assertEqual(re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", html), [])
        for target in re.findall(r'(?:src|href)="([^"]+)"', html):
            self.assertRegex(target, r"^(@ASSETS@/[\w.]+|/[\w./-]*)$")
        for name, text in self.files.items():
            self.assertEqual(re.findall(r"https?://|@import|\burl\(", text), [], name)

    def test_what_it_shows_is_put_in_as_text(self):
        self.assertEqual(re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|\.style\b",
                                    self.files["reference.js"]), [])


class Recorder:
    """Sends requests, and collects deviations of them and of their replies from the document."""

    def __init__(self, test: TestCase, api: OpenApi, client):
        self.test, self.api, self.client = test, api, client
        self.answered = set()  # operations that have replied with what they are for

    def note(self, method: str, target: str, body: bytes, reply, kind: str = "application/json"):
        operation = self.api.find(method, target)
        self.test.assertIsNotNone(operation, f"{method} {target} is not described")
        with self.test.subTest(f"{method} {target} {reply.status}"):
            errors = self.api.reply_errors(operation, reply)
            if reply.status < 400:
                self.answered.add(operation.id)
                errors += self.api.request_errors(operation, target, body, kind)
            self.test.assertEqual(errors, [])

    def send(self, method: str, target: str, body=None, headers: dict | None = None, status: int | None = None):
        """The reply, whose status must be this, or else a success."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        reply = self.client.request(method, target, raw or None, headers)
        self.note(method, target, raw, reply, (headers or {}).get("Content-Type", "application/json"))
        good = reply.status == status if status else reply.status < 400
        self.test.assertTrue(good, f"{method} {target}: {reply.status}, not {status or 'a success'}: {reply.body[:500]!r}")
        return reply.json() if reply.headers.get("content-type") == "application/json" else reply

    def get(self, target: str, **more):
        return self.send("GET", target, **more)

    def post(self, target: str, body=None, **more):
        return self.send("POST", target, body, **more)

    def report(self, session: str, kind: str, **data):
        return self.post(f"/v1/sessions/{session}/events", {"type": kind, "data": data})


class Replies(OwnDaemonCase):
    """Every reply of the daemon, against the document."""

    def setUp(self):
        self.api = OpenApi()
        llm = LlmServer()
        self.addCleanup(llm.stop)
        self.daemon = self.start({"budget.updates": "on", "budget.day.max_cost_usd": "1000"}, config=judge_config(llm))
        self.record = Recorder(self, self.api, self.client(self.daemon, token=self.daemon.operator_token()))

    def test_every_operation_replies_as_it_is_described(self):
        runner = ExampleRunner(self.daemon)
        for example in examples()[0]:
            reply = runner.run(example)
            self.record.note(example.method, runner.filled(example.path), runner.filled(example.body).encode(), reply)
        # The page has put another operator's token in force.
        self.record.client = self.client(self.daemon, token=self.daemon.operator_token())
        self.other_routes()
        self.first_designs()
        self.approvals()
        self.logins()
        self.pages()
        self.streams()
        self.assertEqual({operation.id for operation in self.api.operations} - self.record.answered, set())

    def other_routes(self):
        record = self.record
        made = record.post("/v1/sessions", {"goal": "g" * 5000}, headers={"Idempotency-Key": "k"}, status=201)
        self.assertEqual(record.post("/v1/sessions", {"goal": "g" * 5000}, headers={"Idempotency-Key": "k"}, status=200), made)
        record.post("/v1/sessions", {"goal": "another"}, headers={"Idempotency-Key": "k"}, status=422)
        lines = b'{"type":"message","data":{"text":"one"}}\n' + 2 * b'{"type":"heartbeat","event_id":"e"}\n'
        for _ in range(2):
            advice = record.post("/v1/sessions/lines/events", lines, headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual([result.get("duplicate") for result in advice["results"]], [None, True, True])
        record.get("/v1/sessions/lines/events?limit=2", headers={"Accept": "application/x-ndjson"})
        record.get("/v1/sessions/lines/events?order=newest&before=3&limit=1&types=message,heartbeat")
        record.get("/ping/docs-ping")
        record.send("POST", "/ping/docs-ping?rid=5e8f6a50-7c1b-4f6c-9f0e-2f6f0f3f9a11", "done")
        record.get("/v1/sessions?view=row&verdict=ended,exploring&limit=200")
        record.get("/v1/sessions?q=docs&label=team:night&agent=coder&ids=docs-open,lines")
        record.get("/v1/sessions?parent=absent&open=false&view=document&cursor=5")
        record.get("/v1/sessions/absent/wait?missing=wait&wait=1ms&mode=ever&after=0&until=event,stuck")
        record.get("/v1/wait?all=lines,absent&missing=wait&wait=1ms")
        for message in ({"id": 1, "method": "tools/list"}, {"id": "a", "method": "no/such"}, {"method": "notifications/x"}):
            record.post("/mcp", {"jsonrpc": "2.0", **message})
        for signal, kind in (("logs", "Logs"), ("traces", "Spans")):
            record.post(f"/v1/{signal}", {f"resource{kind}": [{"scope" + kind: [{"logRecords": [{}], "spans": [{}]}]}]})
        for target in ("/v1/overview", "/v1/overview?minutes=60", "/v1/system", "/livez", "/readyz", "/metrics", "/v1/version"):
            record.get(target)
        record.get("/v1/approvals?status=all&session=docs-asks&kind=tool&limit=1")
        record.get("/v1/analytics/budgets?agent=")
        record.get("/v1/budget/day")
        record.post("/v1/budget/day", {"extend": {"max_cost_usd": 1}})

    def first_designs(self):
        record = self.record
        for prefix in ("", "/api/autonomous"):
            record.post(f"{prefix}/check-status", {"sessionId": "lines", "checkId": "lines-check"})
            record.get(f"{prefix}/check-status/lines-check?wait=2m")
            record.get(f"{prefix}/progress/lines")
        for path in ("/v1/sessions/logs-in/approve-agent", "/v1/chat/logs-in/approve-agent"):
            record.post("/v1/sessions/logs-in/approvals", {"kind": "auth"})
            record.post(path, {"approved": False})

    def logins(self):
        code = self.record.post("/v1/login-codes", status=201)["url"].split("/", 3)[3]
        reply = self.record.get(f"/{code}", status=303)
        self.assertEqual(reply.headers["location"], f"/#/{code}")
        body = {"code": code.partition("code=")[2]}
        secret = self.record.post("/v1/login", body)["secret"]
        self.record.post("/v1/login", body, status=403)  # used
        operator, self.record.client = self.record.client, self.client(self.daemon)
        self.assertEqual(self.record.get("/v1/me")["logged_in"], False)
        self.assertEqual(self.record.get("/v1/me", headers={"Headway-Login": secret})["logged_in"], True)
        self.record.post("/v1/logout", headers={"Headway-Login": secret}, status=204)
        self.record.client = operator

    def pages(self):
        page = self.record.get("/").body.decode()
        for target in re.findall(r'"(/assets/[^"]+)"', page + self.record.get("/docs/api").body.decode()):
            self.record.get(target)
        self.record.get("/assets/other/reference.js")
        self.record.get("/assets/other/nothing.js", status=404)
        self.record.get("/docs/nothing", status=404)
        for target in ("/docs", "/docs/getting-started"):
            tag = self.record.get(target).headers["etag"]
            self.record.get(target, headers={"If-None-Match": tag}, status=304)
        link = "id=unknown.a1&from=team&code=0"
        self.record.get(f"/decide?{link}")
        self.record.post("/decide", f"{link}&decision=reject".encode(), headers={"Content-Type": "application/x-www-form-urlencoded"})
        served = self.record.get("/openapi.json")
        self.assertEqual(served, self.api.document)

    def streams(self):
        """The first frames of each, and the document of a progress stream."""
        for target, frames in (("/v1/stream?last_event_id=0", 50), ("/v1/stream?last_event_id=999999", 2),
                               ("/v1/sessions/lines/stream?last_event_id=1", 3), ("/progress/lines/stream", 2),
                               ("/api/autonomous/progress/lines/stream", 2)):
            with RawConnection(self.daemon.port) as connection:
                connection.send(connection.format("GET", target))
                reply = connection.stream_reply()
                reply.body += b"".join(connection.read_until(b"\n\n") for _ in range(frames - 1))
            self.record.note("GET", target, b"", reply)

    def test_every_type_of_event_is_written_as_it_is_described(self):
        self.everything_at_once()
        self.judged()
        self.budgets()
        self.approvals()
        self.a_run()
        for event in ("permission", "stop"):
            self.record.post("/v1/hooks/generic", {"event": event, "session": "dialog", "tool": "bash", "args": {}, "dialog": True, "hold_ms": 1})
        self.record.report("opened-by-a-report", "heartbeat")
        self.record.send("PUT", "/v1/sessions/opened-by-a-report", {"goal": "said afterwards", "agent": {"type": "coder"}}, status=200)
        self.assertGreater(self.record.get("/v1/overview")["needs_you_total"], 1)
        self.record.get("/v1/sessions?view=row")
        seen = {}
        for session in self.record.get("/v1/sessions?limit=200")["sessions"]:
            for event in self.record.get(f"/v1/sessions/{session['id']}/events?limit=1000")["events"]:
                seen.setdefault(event["type"], session["id"])
        self.assertEqual(set(self.api.schema("EventType")["enum"]) - set(seen), set())
        with EventStream(self.daemon.port, "/v1/stream", last_event_id=0) as stream:
            head = stream.next().data["head"]
            frames = stream.until(lambda event: event.id == head)
        for frame in frames:
            self.assertEqual(self.api.schemas.errors(self.api.schema("Event"), frame.data), [], frame)

    def everything_at_once(self):
        """Every field of every event that may be reported, short and long."""
        for kind, variant in self.api.variants("ReportEvent").items():
            data = sample(self.api.document, variant["properties"]["data"])
            if kind == "session.ended":
                continue  # below
            if kind == "approval.requested":  # not all members go together
                data = {"tool": "x", "args": {}, "summary": "may I?", "expires_in_ms": 60_000, "on_expiry": "escalate"}
            self.record.report("whole", kind, **data)
            texts = {name: "long " * 1000 for name in ("text", "message", "result", "reasoning", "summary") if name in data}
            if texts:
                self.record.report("whole", kind, **{**data, **texts})
        for call in range(10):
            failed = {"ok": False, "error": {"message": "no"}}
            advice = self.record.report("whole", "tool.finished", tool="bash", call_id=f"c{call}", **failed)
        self.assertIn("feedback", advice)
        self.record.post("/v1/sessions/whole/nudge", {"text": "another way", "by": "ann"})
        self.record.post("/v1/sessions/whole/cancel", {"reason": "enough"})
        self.record.post("/v1/sessions/whole/end", {"outcome": "failed", "reason": "r" * 5000, "result": ["x" * 5000]})
        for target in ("", "/comparison", "/wait", "/budget"):
            self.record.get(f"/v1/sessions/whole{target}")

    def judged(self):
        self.record.report("judged", "tool.finished", tool="bash", result="fine")
        asked = self.record.post("/check-status", {"sessionId": "judged"}, status=202)
        self.record.get(f"/check-status/{asked['checkId']}?wait=2m")

    def budgets(self):
        limits = {"timeout_seconds": 300, "max_steps": 5, "max_tokens": 1000, "max_cost_usd": 2.5}
        self.record.send("PUT", "/v1/sessions/family", {"budget": limits})
        self.record.send("PUT", "/v1/sessions/child", {"parent": "family", "budget": limits})
        self.record.post("/v1/sessions/child/heartbeat", {"iteration": 4, "usage": {"tokens": 700, "cost_usd": 0.5}})
        self.record.get("/v1/sessions/family")
        self.record.get("/v1/sessions/child/budget")
        self.record.post("/v1/sessions/child/budget", {"extend": {"max_steps": 5}, "by": "ann"})
        self.record.post("/v1/sessions/child/budget", {"set": {"max_steps": 100, "max_cost_usd": 1}})
        self.record.get("/v1/sessions/child")
        usage = {"input_tokens": 10, "cached_tokens": 9, "cache_write_tokens": 8, "output_tokens": 7, "reasoning_tokens": 6, "model": "claude-opus-5"}
        self.record.post("/v1/sessions/child/heartbeat", {"usage": usage})
        self.record.post("/v1/sessions/child/heartbeat", {"usage": {"input_tokens": 10, "model": "unheard-of"}})
        self.record.get("/v1/sessions/child")
        self.record.get("/v1/budget/day")
        self.record.post("/v1/budget/day", {"extend": {"max_cost_usd": 1}})
        self.record.report("family", "tool.finished", tool="make", ok=True)  # with budget.updates
        self.record.report("opened-later", "heartbeat")
        self.record.send("PUT", "/v1/sessions/opened-later", {"goal": "known afterwards"})

    def approvals(self):
        ask, decide = self.ask, self.decide
        decide(ask(call_id="c1", args={"n": 1}), "reject", reason="no", then="change_approach")
        self.record.report("asks", "tool.finished", tool="bash", call_id="c1", args={"n": 1}, result="ran")
        (alarm,) = self.record.get("/v1/sessions/asks")["alarms"]
        self.record.get("/progress/asks")
        self.assertEqual(self.record.get("/v1/overview")["alarm"], "executed_though_rejected")
        self.record.post("/v1/sessions/asks/alarms/acknowledge", {"n": alarm["n"], "by": "ann"})
        granted = ask(call_id="c2", args={"n": 2})
        decide(granted, "approve", scope="until", until="2036-01-01T00:00:00Z", match="tool")
        self.record.get(f"/v1/approvals/{granted}")
        ask(call_id="c3", args={"n": 3}, status=201)
        self.record.post(f"/v1/approvals/{granted}/revoke", {"by": "ann", "reason": "enough"})
        edited = ask(call_id="c4", args={"n": 4})
        decide(edited, "edit", edited_args={"n": 5})
        self.record.post("/v1/sessions/asks/heartbeat")
        self.record.post(f"/v1/approvals/{edited}/redeem", {"args": {"n": 4}}, status=409)
        self.record.post(f"/v1/approvals/{edited}/redeem", {"args": {"n": 5}, "key": "once"})
        decide(ask(kind="question", tool=None, summary="which?", options=["a", "b"]), "respond", response="b" * 5000)
        decide(ask(kind="budget_extension", tool=None, extend={"max_steps": 5}), "ignore")
        late = ask(call_id="c6", args={"n": 6}, expires_in_ms=1, on_expiry="reject")
        self.assertEqual(self.record.get(f"/v1/approvals/{late}?wait=2m")["status"], "expired")
        decide(late, "approve", status=409)
        ask(call_id="c7", args={"n": 7}, risk="high")
        self.record.get("/v1/approvals?status=all")

    def ask(self, status: int | None = None, **body) -> str:
        body = {name: value for name, value in {"tool": "bash", **body}.items() if value is not None}
        return self.record.post("/v1/sessions/asks/approvals", body, status=status)["id"]

    def decide(self, approval: str, decision: str, status: int = 200, **more):
        return self.record.post(f"/v1/approvals/{approval}/decision", {"decision": decision, "by": "ann", **more}, status=status)

    def a_run(self):
        """Two sessions of one parent that take back each other's content."""
        for session in ("one", "other"):
            self.record.send("PUT", f"/v1/sessions/{session}", {"parent": "family"})
        for reason in ("the limit", "a test", "the review", "the docs"):
            for session, content in (("one", "v1"), ("other", "v2")):
                self.record.report(session, "tool.finished", tool="edit", target="limits.py", args={"why": reason, "as": session},
                                   result=f"done for {reason}", mutated=[{"path": "limits.py", "digest": content}])


class Problems(SharedDaemonCase):
    """Every way to fail that needs no broken disk: its status is described, and its body is a Problem."""

    CASES = [  # method, target, body, headers, status, code
        ("GET", "/v1/sessions/absent", None, {}, 404, "unknown_session"),
        ("GET", "/v1/sessions/no%20body", None, {}, 400, "invalid_id"),
        ("GET", "/v1/sessions/absent/events", None, {}, 404, "unknown_session"),
        ("GET", "/v1/sessions/absent/wait", None, {}, 404, "unknown_session"),
        ("GET", "/v1/wait?any=absent", None, {}, 404, "unknown_session"),
        ("GET", "/v1/sessions/absent/stream", None, {}, 404, "unknown_session"),
        ("GET", "/v1/sessions/absent/budget", None, {}, 404, "unknown_session"),
        ("GET", "/v1/sessions/absent/comparison", None, {}, 404, "unknown_session"),
        ("GET", "/progress/absent", None, {}, 404, "unknown_session"),
        ("GET", "/progress/absent/stream", None, {}, 404, "unknown_session"),
        ("GET", "/api/chat/autonomous/status?sessionId=absent", None, {}, 404, "unknown_session"),
        ("GET", "/v1/approvals?session=absent", None, {}, 404, "unknown_session"),
        ("GET", "/v1/approvals/absent.a1", None, {}, 404, "unknown_approval"),
        ("GET", "/v1/approvals/absent", None, {}, 400, "invalid_id"),
        ("POST", "/v1/approvals/absent.a1/decision", {"decision": "approve"}, {}, 404, "unknown_approval"),
        ("POST", "/v1/approvals/absent.a1/redeem", {"args": {}}, {}, 404, "unknown_approval"),
        ("POST", "/v1/approvals/absent.a1/revoke", None, {}, 404, "unknown_approval"),
        ("GET", "/check-status/nothing", None, {}, 404, "unknown_check"),
        ("POST", "/check-status", {"sessionId": "absent"}, {}, 404, "unknown_session"),
        ("POST", "/check-status", {"sessionId": "open"}, {}, 409, "no_judge"),
        ("DELETE", "/v1/tokens/ABSENT", None, {}, 404, "unknown_token"),
        ("DELETE", "/v1/tokens/operator", None, {}, 400, "invalid_id"),
        ("POST", "/v1/sessions/absent/end", {"outcome": "failed"}, {}, 404, "unknown_session"),
        ("POST", "/v1/sessions/ended/end", {"outcome": "failed"}, {}, 409, "session_ended"),
        ("POST", "/v1/sessions/ended/heartbeat", None, {}, 409, "session_ended"),
        ("POST", "/v1/sessions/ended/cancel", None, {}, 409, "session_ended"),
        ("POST", "/v1/sessions/ended/nudge", {"text": "go"}, {}, 409, "session_ended"),
        ("POST", "/v1/sessions/ended/approvals", {"tool": "bash"}, {}, 409, "session_ended"),
        ("POST", "/v1/sessions/absent/budget", {"set": {}}, {}, 404, "unknown_session"),
        ("POST", "/v1/sessions/ended/budget", {"set": {}}, {}, 409, "session_ended"),
        ("PUT", "/v1/sessions/open", {"goal": "another"}, {}, 409, "session_exists"),
        ("POST", "/v1/sessions/open/approve-agent", {"approved": True}, {}, 409, "approval_unclear"),
        ("POST", "/v1/sessions/open/events", [], {}, 400, "empty_report"),
        ("POST", "/v1/sessions/open/events", [{"type": "heartbeat"}] * 1001, {}, 400, "too_many_events"),
        ("POST", "/v1/sessions/open/events", b"{", {}, 400, "invalid_json"),
        ("POST", "/v1/sessions/open/events", b" " * 1_100_000, {}, 413, "body_too_large"),
        ("POST", "/v1/sessions/open/end", b" " * 70_000, {}, 413, "body_too_large"),
        ("POST", "/v1/sessions/open/events", b"{}", {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        ("PUT", "/v1/sessions/open", b"{}", {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        ("GET", "/v1/sessions", None, {"Origin": "http://elsewhere.example"}, 403, "forbidden_origin"),
        ("GET", "/livez", None, {"Host": "elsewhere.example"}, 421, "unknown_host"),
        ("GET", "/livez", None, {"X": "x" * 9000}, 431, "header_too_large"),
    ]

    def setUp(self):
        super().setUp()
        self.api = OpenApi()
        self.operator = self.daemon.operator()
        self.addCleanup(self.operator.close)

    def check(self, reply, operation, status: int, code: str):
        self.assertEqual((reply.status, reply.headers["content-type"]), (status, PROBLEM), reply.body)
        self.assertEqual(reply.json()["code"], code)
        self.assertEqual(self.api.reply_errors(operation, reply), [])

    def test_each_is_described(self):
        self.client.open("open", goal="one")
        self.client.open("ended")
        self.client.end("ended")
        for method, target, body, headers, status, code in self.CASES:
            with self.subTest(f"{method} {target} {code}"):
                reply = self.operator.request(method, target, body, headers)
                self.check(reply, self.api.find(method, target), status, code)

    def test_a_wrong_token_is_401_everywhere_and_one_without_the_scope_403(self):
        body = {"name": "narrow", "scopes": ["report:narrow-"]}
        narrow = self.daemon.client(token=self.operator.post("/v1/tokens", body).json()["token"])
        self.addCleanup(narrow.close)
        for number, operation in enumerate(self.api.operations):
            with self.subTest(operation.id):
                target = target_of(operation)
                # From an address of its own, because repeated failures are rate-limited.
                wrong = self.daemon.client(token="hw_wrong_wrong", source=f"127.0.1.{number + 1}")
                self.check(wrong.request(operation.method, target), operation, 401, "unauthorized")
                wrong.close()
                if any(scheme.get("bearer") in (["control"], ["approve"], ["admin"]) for scheme in operation.said["security"]):
                    self.check(narrow.request(operation.method, target), operation, 403, "forbidden")

    def test_without_a_token_only_what_the_document_opens_is_open(self):
        for operation in self.api.operations:
            security = operation.said["security"]
            if security and {} not in security:
                with self.subTest(operation.id):
                    self.check(self.client.request(operation.method, target_of(operation)), operation, 401, "unauthorized")


def target_of(operation) -> str:
    """A path of nothing that exists."""
    names = {"id": "absent", "approval": "absent.a1", "check": "nothing", "hash": "other", "file": "nothing.js", "page": "nothing",
             "agent": "generic", "action": "start"}
    return re.sub(r"\{(\w+)\}", lambda hole: names[hole[1]], operation.path)


class Requests(SharedDaemonCase):
    """The daemon refuses what the document refuses, and names the place."""

    def setUp(self):
        self.api = OpenApi()
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)

    def bodies(self, operation) -> list:
        """Bodies that the schema takes: the example, and one with every member."""
        media = operation.said["requestBody"]["content"]["application/json"]
        found = [media["example"]]
        if operation.id == "reportEvents":
            found.append([media["example"]])
            for kind, variant in self.api.variants("ReportEvent").items():
                found.append({"type": kind, "data": sample(self.api.document, variant["properties"]["data"]), "event_id": "e",
                              "attempt": 1})
        elif operation.id not in ("changeBudget", "replayWebhook"):  # takes either of its members
            found.append(sample(self.api.document, media["schema"]))
        return found

    def test_every_body_with_one_mistake_is_refused(self):
        mutator, count = Mutator(self.api.schemas), 0
        for operation in self.api.operations:
            # A hook is answered whatever it is (test_hooks), unknown members of telemetry and MCP are skipped, what a ping says is
            # text, and a link is decided by a form (test_decision_links).
            free = ("reportHook", "exportLogs", "exportTraces", "callMcp", "pingWithText", "pingOfWithText", "decideByLink")
            if "requestBody" not in operation.said or operation.id in free:
                continue
            schema = operation.said["requestBody"]["content"]["application/json"]["schema"]
            for body in self.bodies(operation):
                self.assertEqual(self.api.schemas.errors(schema, body), [], operation.id)
                mutations = mutator.of(schema, body)
                count += len(mutations)
                replies = [self.client.request(operation.method, target_of(operation), mutation.body) for mutation in mutations]
                # Last, since it may change something. Where members do not go together another one may be named.
                readable = self.client.request(operation.method, target_of(operation), body).status != 400
                for mutation, reply in zip(mutations, replies):
                    with self.subTest(f"{operation.id}: {mutation.name}"):
                        self.assertEqual(reply.status, 400, (mutation.body, reply.body))
                        place = reply.json().get("field", "")
                        if readable and mutation.what != "nothing":
                            self.assertTrue(place.startswith(mutation.pointer), (place, mutation.pointer, reply.body))
        self.assertGreater(count, 2000)

    def test_every_parameter_out_of_bounds_is_refused(self):
        count = 0
        for operation in self.api.operations:
            for (where, name), parameter in operation.parameters.items():
                if where != "query":
                    continue
                for text in texts_out_of_bounds(self.api.schemas, parameter["schema"]):
                    count += 1
                    target = f"{target_of(operation)}?{name}={text}"
                    if operation.id == "waitForSessions" and name not in ("any", "all"):
                        target += "&any=absent"
                    with self.subTest(f"{operation.id}: {name}={text[:50]}"):
                        reply = self.client.request(operation.method, target)
                        self.assertEqual((reply.status, reply.json()["field"]), (400, name), reply.body)
                        self.assertEqual(self.api.reply_errors(operation, reply), [])
        self.assertGreater(count, 100)

    def test_a_head_is_answered_like_a_get_without_its_body(self):
        for operation in self.api.operations:
            # A stream has no end to wait for.
            if operation.method != "GET" or "text/event-stream" in operation.said["responses"].get("200", {}).get("content", {}):
                continue
            with self.subTest(operation.id):
                reply = self.client.request("GET", target_of(operation))
                head = self.client.request("HEAD", target_of(operation))
                self.assertEqual((head.status, head.headers.get("content-type"), head.body),
                                 (reply.status, reply.headers.get("content-type"), b""))

    def test_a_parameter_that_is_not_described_is_refused(self):
        for operation in self.api.operations:
            if "400" in operation.said["responses"] and "requestBody" not in operation.said:
                with self.subTest(operation.id):
                    reply = self.client.request(operation.method, target_of(operation) + "?surprise=1")
                    self.assertEqual((reply.status, reply.json()["code"]), (400, "invalid_parameter"), reply.body)


if __name__ == "__main__":
    unittest.main()
