# SPDX-License-Identifier: Apache-2.0
"""JSON Schemas of the types that a description writes, and of the structures in the daemon's tables. README.md has the notation."""
import json
import re

STRING_MAX = 512  # limits::kStringBytesMax
ITEMS_MAX = 256   # limits::kListItemsMax
PLAIN = {"string": {"type": "string"}, "int": {"type": "integer"}, "uint": {"type": "integer", "minimum": 0}, "number": {"type": "number"},
         "bool": {"type": "boolean"}, "null": {"type": "null"}, "any": {}, "free": {"type": "object"}}
BOUNDS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems"), "integer": ("minimum", "maximum"),
          "number": ("minimum", "maximum")}
TOKEN = re.compile(r"\s*(?:(?P<word>'[^']*')|(?P<name>[A-Za-z]\w*(?::\w+)?)|(?P<const>=\S+)|(?P<bounds>\([\d.]*\.\.[\d.]*\))|(?P<mark>[\[\]{}|-]))")
# Types of members that are never left out where they are stored, whatever their value.
ALWAYS = {"bool", "number", "uint", "Time"}


def component(kind: str, name: str) -> dict:
    return {"$ref": f"#/components/{kind}/{name}"}


def closed(properties: dict, required: list) -> dict:
    said = {"type": "object", "properties": properties}
    return said | ({"required": required} if required else {}) | {"additionalProperties": False}


def number(text: str):
    return float(text) if "." in text else int(text)


def bounded(schema: dict, bounds: str) -> dict:
    """`(1..9)`, `(..9)`, `(1..)`: a value, a length or a count of items, by the type."""
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    low, _, high = bounds.strip("()").partition("..")
    return schema | {name: number(text) for name, text in zip(BOUNDS[kind], (low, high)) if text}


class Types:
    def __init__(self, tables: dict, lines: list):
        self.tables = tables
        self.names = {}  # (how, structure) or ("words", enumeration) -> its schema
        for line in lines:
            kind, name = line.name.split(" ", 1)
            how, _, source = line.type.partition(" ")[0].partition(":")
            if kind == "schema" and source:
                self.names.setdefault((how, source), name)

    # what is written

    def of(self, text: str, line) -> dict:
        """The schema of a type as it is written; a JSON object behind it adds what the notation has no sign for."""
        text, more = self.cut_json(text)
        tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None:
                line.fail(f"`{text[at:]}` is no type")
            tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        if not tokens:
            return more
        schema = self.alternatives(tokens, line)
        if tokens:
            line.fail(f"`{tokens[0][1]}` is too much")
        return schema | more

    @staticmethod
    def cut_json(text: str) -> tuple:
        start = text.find('{"')
        return (text[:start].strip(), json.loads(text[start:])) if start >= 0 else (text.strip(), {})

    def alternatives(self, tokens: list, line) -> dict:
        found = [self.one(tokens, line)]
        while tokens and tokens[0] == ("mark", "|"):
            tokens.pop(0)
            found.append(self.one(tokens, line))
        if len(found) == 1:
            return found[0]
        if all("enum" in schema for schema in found):
            return {"type": "string", "enum": [word for schema in found for word in schema["enum"]]}
        if all(set(schema) <= {"type", "minimum"} or schema.get("type") == "object" for schema in found):
            merged = {key: value for schema in found for key, value in schema.items()}
            return merged | {"type": [schema["type"] for schema in found]}
        return {"anyOf": found}

    def one(self, tokens: list, line) -> dict:
        kind, text = tokens.pop(0) if tokens else ("nothing", "")
        if text in ("[", "{"):
            inner = self.alternatives(tokens, line)
            schema = {"type": "array", "items": inner} if text == "[" else {"type": "object", "additionalProperties": inner}
            if not tokens or tokens.pop(0)[1] not in "]}":
                line.fail(f"`{text}` is not closed")
        elif kind == "word":
            schema = {"type": "string", "enum": [text[1:-1]]}
        elif kind == "const":
            schema = {"const": json.loads(text[1:])}
        elif kind == "name":
            schema = self.named(text, line)
        else:
            line.fail(f"`{text}` is no type")
        while tokens and tokens[0] == ("mark", "-"):
            schema["enum"].remove(tokens[1][1].strip("'"))
            del tokens[:2]
        if tokens and tokens[0][0] == "bounds":
            schema = bounded(schema, tokens.pop(0)[1])
        return schema

    def named(self, text: str, line) -> dict:
        how, _, source = text.partition(":")
        if how == "words":
            if source not in self.tables["words"]:
                line.fail(f"the tables have no enumeration {source}")
            return {"type": "string", "enum": list(self.tables["words"][source])}
        if source:
            return self.structure(source, line, how)
        if text == "object":
            return self.members(line.below)
        if text == "problems":
            return {"type": "string", "enum": list(dict.fromkeys(self.tables["problems"]))}
        return dict(PLAIN[text]) if text in PLAIN else component("schemas", text)

    def schema(self, line) -> dict:
        """The schema that a line of its own describes."""
        said = self.of(line.type or "object", line)
        return ({"description": line.words} if line.words else {}) | said

    def members(self, lines: list) -> dict:
        properties, required = {}, []
        for line in lines:
            name = line.name.strip("+?")
            said = self.of(line.type, line)
            properties[name] = said | ({"description": line.words} if line.words else {})
            required += [] if line.name.endswith("?") else [name]
        return closed(properties, required)

    # what the tables have

    def structure(self, source: str, line, how: str) -> dict:
        """A structure that is decoded, as it is `stored` or as it is `reported`, with what the lines below say of its members."""
        properties, required = {}, []
        if source not in self.tables["structures"]:
            line.fail(f"the tables have no structure {source}")
        for member in self.tables["structures"][source]:
            properties[member["name"]] = self.member(member["type"], member["required"], how, line)
            if member["required"] or (how == "stored" and self.always(member["type"])):
                required.append(member["name"])
        for below in line.below:
            self.amend(properties, required, below, how)
        return ({"description": line.words} if line.words else {}) | closed(properties, required)

    def always(self, kind: str) -> bool:
        return kind in ALWAYS or (kind in self.tables["words"] and kind != "Cause")

    def member(self, kind: str, required: bool, how: str, line) -> dict:
        if kind.endswith("?"):
            return self.member(kind[:-1], True, how, line)
        reported = how != "stored"
        if kind.startswith("["):
            return {"type": "array", "items": self.member(kind[1:-1], True, how, line)} | ({"maxItems": ITEMS_MAX} if reported else {})
        if kind == "string":
            return {"type": "string"} | ({"maxLength": STRING_MAX} if reported else {})
        if kind == "Text":
            return {"type": "string"} if reported else component("schemas", "Text")
        if kind == "Json":
            return {"description": "Any JSON value."} if reported else component("schemas", "Json")
        if kind == "ExactJson":
            return {"description": "Any JSON, whole."}
        if kind == "Time":
            time = component("schemas", "Time")
            return time if reported or required else {"anyOf": [time, {"type": "null"}]}
        if kind in self.tables["words"]:
            name = self.names.get(("words", kind))
            return component("schemas", name) if name else self.named(f"words:{kind}", line)
        if kind in self.tables["structures"]:
            name = self.names.get((how, kind)) or self.names.get(("both", kind))
            return component("schemas", name) if name else self.structure(kind, type(line)(line.where, "", "", ""), how)
        return component("schemas", kind) if kind == "Labels" else dict(PLAIN[kind])

    def amend(self, properties: dict, required: list, line, how: str):
        """`name type # words`: without a type only the words, with bounds alone these too; `<` only as stored, `>` as reported."""
        if line.name[0] == "+" or line.name[0] in "<>" and (line.name[0] == "<") != (how == "stored"):
            return
        name = line.name.strip("<>?!")
        if name not in properties:
            line.fail("is no member of the structure")
        if line.type == "-":
            del properties[name]
        elif line.type.startswith("("):
            properties[name] = bounded(properties[name], line.type)
        elif line.type.startswith('{"'):
            properties[name] |= json.loads(line.type)
        elif line.type:
            properties[name] = self.of(line.type, line)
        for below in line.below if not line.type else ():
            self.amend(properties[name]["properties"], properties[name].get("required", []), below, how)
        if line.words and name in properties:
            properties[name] = properties[name] | {"description": line.words}
        if line.name.endswith("!") and name not in required:
            required.append(name)
        if (line.name.endswith("?") or name not in properties) and name in required:
            required.remove(name)
