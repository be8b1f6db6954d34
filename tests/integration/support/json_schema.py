# SPDX-License-Identifier: Apache-2.0
"""JSON Schema 2020-12, as much of it as api/openapi.json says. A keyword that is not here is an error, not ignored."""
import re

ANNOTATIONS = {"description", "default", "example", "examples", "format", "title", "deprecated", "discriminator", "contentMediaType",
               "contentSchema"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: not isinstance(v, bool) and (isinstance(v, int) or isinstance(v, float) and v.is_integer()),
}


def resolve(document: dict, reference: str):
    """Target of a `#/...` points to; KeyError when there is nothing."""
    if not reference.startswith("#/"):
        raise KeyError(f"{reference} is not within the document")
    found = document
    for part in reference[2:].split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def same(a, b) -> bool:
    """Equal as JSON: true is not 1."""
    return isinstance(a, bool) == isinstance(b, bool) and a == b


class Schemas:
    """Validates against schemas of one document, within which their references lead."""

    def __init__(self, document: dict):
        self.document = document

    def errors(self, schema: dict, value, where: str = "") -> list:
        """Errors of `value`, as lines that begin with a JSON pointer; none when it is right."""
        found = []
        for keyword, rule in schema.items():
            check = getattr(self, "_" + keyword.replace("$", ""), None)
            if check is not None:
                found += check(rule, value, where, schema)
            elif keyword not in ANNOTATIONS:
                raise ValueError(f"the keyword {keyword} is not known")
        return found

    def _ref(self, reference, value, where, _):
        return self.errors(resolve(self.document, reference), value, where)

    def _type(self, names, value, where, _):
        names = [names] if isinstance(names, str) else names
        if any(TYPES[name](value) for name in names):
            return []
        return [f"{where}: {shown(value)} is no {' or '.join(names)}"]

    def _enum(self, allowed, value, where, _):
        return [] if any(same(value, one) for one in allowed) else [f"{where}: {shown(value)} is none of {shown(allowed)}"]

    def _const(self, only, value, where, _):
        return [] if same(value, only) else [f"{where}: {shown(value)} is not {shown(only)}"]

    # objects

    def _properties(self, properties, value, where, _):
        if not isinstance(value, dict):
            return []
        return [error for name, schema in properties.items() if name in value
                for error in self.errors(schema, value[name], f"{where}/{name}")]

    def _required(self, names, value, where, _):
        return [f"{where}/{name} is missing" for name in names if isinstance(value, dict) and name not in value]

    def _additionalProperties(self, rule, value, where, schema):
        if not isinstance(value, dict):
            return []
        others = [name for name in value if name not in schema.get("properties", {})]
        if rule is False:
            return [f"{where}/{name} is unknown" for name in others]
        if rule is True:
            return []
        return [error for name in others for error in self.errors(rule, value[name], f"{where}/{name}")]

    def _propertyNames(self, schema, value, where, _):
        return [error for name in value for error in self.errors(schema, name, f"{where}/{name}")] \
            if isinstance(value, dict) else []

    def _maxProperties(self, most, value, where, _):
        return [f"{where}: more than {most} members"] if isinstance(value, dict) and len(value) > most else []

    # arrays

    def _items(self, schema, value, where, _):
        if not isinstance(value, list):
            return []
        return [error for i, item in enumerate(value) for error in self.errors(schema, item, f"{where}/{i}")]

    def _minItems(self, least, value, where, _):
        return [f"{where}: fewer than {least} items"] if isinstance(value, list) and len(value) < least else []

    def _maxItems(self, most, value, where, _):
        return [f"{where}: more than {most} items"] if isinstance(value, list) and len(value) > most else []

    # strings and numbers

    def _pattern(self, pattern, value, where, _):
        # In JSON Schema $ is the end; in Python also what stands before a last line feed.
        if not isinstance(value, str) or re.search(re.sub(r"\$$", r"\\Z", pattern), value):
            return []
        return [f"{where}: {shown(value)} does not match {pattern}"]

    def _minLength(self, least, value, where, _):
        return [f"{where}: shorter than {least}"] if isinstance(value, str) and len(value) < least else []

    def _maxLength(self, most, value, where, _):
        return [f"{where}: longer than {most}"] if isinstance(value, str) and len(value) > most else []

    def _minimum(self, least, value, where, _):
        return [f"{where}: {value} is below {least}"] if TYPES["number"](value) and value < least else []

    def _maximum(self, most, value, where, _):
        return [f"{where}: {value} is above {most}"] if TYPES["number"](value) and value > most else []

    # combinations

    def _anyOf(self, schemas, value, where, _):
        tries = [self.errors(schema, value, where) for schema in schemas]
        return [] if any(not errors for errors in tries) else nearest(tries)

    def _oneOf(self, schemas, value, where, _):
        tries = [self.errors(schema, value, where) for schema in schemas]
        fits = sum(not errors for errors in tries)
        if fits == 1:
            return []
        return nearest(tries) if fits == 0 else [f"{where}: fits {fits} of the schemas of which it must fit one"]


SAMPLES = {"object": {}, "boolean": True, "null": None, "number": 0.5}


def sample(document: dict, schema: dict):
    """A value with everything that the schema allows; of several schemas it is for the first. Patterns need an example."""
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        return sample(document, resolve(document, schema["$ref"]))
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "properties" in schema:
        return {name: sample(document, inner) for name, inner in schema["properties"].items()}
    if "anyOf" in schema:
        return sample(document, schema["anyOf"][0])
    kind = schema.get("type", "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "array":
        return [sample(document, schema["items"])]
    if kind == "integer":
        return max(1, schema.get("minimum", 1))
    return SAMPLES.get(kind, "x")


def nearest(tries: list) -> list:
    """The errors of the schema that was meant: not of one for another constant, such as the type of another event."""
    return min(tries, key=lambda errors: (any(" is not " in error for error in errors), len(errors)))


def shown(value, longest: int = 200) -> str:
    text = repr(value)
    return text if len(text) <= longest else text[:longest] + "..."


def keywords() -> set:
    """All that may stand in a schema."""
    checks = {name[1:] for name in vars(Schemas) if name.startswith("_") and not name.startswith("__")}
    return (checks - {"ref"}) | {"$ref"} | ANNOTATIONS
