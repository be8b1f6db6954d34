# SPDX-License-Identifier: Apache-2.0
"""Bodies that a schema refuses, each made from one that it takes by a single change."""
from dataclasses import dataclass

from .json_schema import Schemas, resolve

OF_EVERY_TYPE = (True, 7.5, "wrong", [[]], {"wrong": [0]})


@dataclass
class Mutation:
    what: str
    pointer: str  # where the change is
    body: object

    @property
    def name(self) -> str:
        return f"{self.what} at {self.pointer}"


class Mutator:
    def __init__(self, schemas: Schemas):
        self.schemas = schemas

    def of(self, schema: dict, body) -> list:
        """An unknown member in every object, every value of another type or out of its bounds, every required one gone."""
        made = []
        self._walk(schema, body, "", lambda value: value, made)
        return [mutation for mutation in made if self.schemas.errors(schema, mutation.body)]

    def _walk(self, schema, value, pointer, put, made):
        """`put(x)` is the whole body with x in place of this value."""
        schema = self._for(schema, value)
        for wrong in OF_EVERY_TYPE:
            if self.schemas.errors(schema, wrong):
                made.append(Mutation(f"{wrong!r}", pointer, put(wrong)))
        for what, wrong in out_of_bounds(schema, value):
            made.append(Mutation(what, pointer, put(wrong)))
        if isinstance(value, dict):
            self._walk_object(schema, value, pointer, put, made)
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                self._walk(schema["items"], item, f"{pointer}/{i}",
                           lambda x, i=i: put(value[:i] + [x] + value[i + 1:]), made)

    def _walk_object(self, schema, value, pointer, put, made):
        if schema.get("additionalProperties") is False:
            made.append(Mutation("an unknown member", f"{pointer}/surprise", put({**value, "surprise": 1})))
        for name in schema.get("required", ()):
            made.append(Mutation("nothing", f"{pointer}/{name}", put({k: v for k, v in value.items() if k != name})))
        rest = schema.get("additionalProperties") or None
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, rest)
            if inner is not None:
                self._walk(inner, item, f"{pointer}/{name}", lambda x, name=name: put({**value, name: x}), made)

    def _for(self, schema: dict, value) -> dict:
        """The schema itself: behind references, and of several the one for this value."""
        while True:
            if "$ref" in schema:
                schema = resolve(self.schemas.document, schema["$ref"])
            elif "anyOf" in schema and "type" not in schema:
                schema = next(one for one in schema["anyOf"] if not self.schemas.errors(one, value))
            else:
                break
        if "oneOf" in schema:  # the variant says more about the properties
            variant = next((one for one in schema["oneOf"] if not self.schemas.errors(one, value)), {})
            if "$ref" in variant:
                return self._for(variant, value)
            schema = {**schema, "properties": {**schema["properties"], **variant.get("properties", {})},
                      "required": schema.get("required", []) + variant.get("required", [])}
        return schema


def out_of_bounds(schema: dict, value):
    if "minimum" in schema:
        yield f"below {schema['minimum']}", schema["minimum"] - 1
    if "maximum" in schema:
        yield f"above {schema['maximum']}", schema["maximum"] + 1
    if "minLength" in schema:
        yield f"shorter than {schema['minLength']}", "x" * (schema["minLength"] - 1)
    if "maxLength" in schema:
        yield f"longer than {schema['maxLength']}", "x" * (schema["maxLength"] + 1)
    if "minItems" in schema:
        yield f"fewer than {schema['minItems']}", value[:schema["minItems"] - 1]
    if "maxItems" in schema and value:
        yield f"more than {schema['maxItems']}", value[:1] * (schema["maxItems"] + 1)
    if "maxProperties" in schema:
        yield f"more than {schema['maxProperties']}", {f"k{i}": "v" for i in range(schema["maxProperties"] + 1)}


def texts_out_of_bounds(schemas: Schemas, schema: dict) -> list:
    """Texts of a parameter that its schema refuses."""
    schema = resolve(schemas.document, schema["$ref"]) if "$ref" in schema else schema
    if schema.get("type") == "array":
        inner = texts_out_of_bounds(schemas, schema["items"])
        most = schema.get("maxItems", 0)
        return inner + ([",".join(f"s{i}" for i in range(most + 1))] if most else [])
    texts = []
    if schema.get("type") in ("integer", "boolean") or "enum" in schema:
        texts += ["wrong", "", "1.5"]
    if schema.get("type") == "integer":
        texts += [str(schema[word] + step) for word, step in (("minimum", -1), ("maximum", 1)) if word in schema]
    if "pattern" in schema:
        texts += ["!", "%2F"]
    if "maxLength" in schema:
        texts.append("x" * (schema["maxLength"] + 1))
    return texts
