"""Schemas and instances at random: small, so that they meet often, and over every keyword."""
import random

DIALECTS = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
}
NAMES = ["a", "b", "ab", "c", "é"]
STRINGS = ["", "a", "ab", "abc", "é", "\U0001d11e", "1"]
NUMBERS = [0, 1, 2, 3, -1, 1.5, 2.5, 1.0, 10, 100]
PATTERNS = ["^a", "b$", "^[a-c]*$", "^.$", "[0-9]", "^(a|é)", "."]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]


class Maker:
    def __init__(self, seed, dialect):
        self.random = random.Random(seed)
        self.dialect = dialect
        self.is_new = dialect != "draft-07"
        self.is_2020 = dialect == "2020-12"

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, values):
        return self.random.choice(values)

    def scalar(self):
        kind = self.random.randrange(8)
        if kind < 2:
            return self.pick([None, True, False])
        return self.pick(NUMBERS) if kind < 5 else self.pick(STRINGS)

    def instance(self, depth=3):
        kind = self.random.randrange(10)
        if depth == 0 or kind < 3:
            return self.scalar()
        if kind < 6:
            return [self.instance(depth - 1) for _ in range(self.random.randrange(4))]
        return {name: self.instance(depth - 1) for name in self.random.sample(NAMES, self.random.randrange(4))}

    def names(self):
        return self.random.sample(NAMES, self.random.randrange(1, 3))

    def schemas(self, depth):
        return [self.schema(depth) for _ in range(self.random.randrange(1, 4))]

    def reference(self):
        return self.pick(["#/$defs/p", "#/$defs/q", "#/$defs/q", "#"] if self.is_new else
                         ["#/definitions/p", "#/definitions/q", "#"])

    def simple(self, depth):
        """A keyword that applies no schema."""
        return self.pick([
            lambda: {"type": self.pick(TYPES)},
            lambda: {"type": self.random.sample(TYPES, self.random.randrange(1, 5))},
            lambda: {"const": self.instance(2)},
            lambda: {"enum": self.unique([self.instance(1) for _ in range(self.random.randrange(1, 5))])},
            lambda: {"minimum": self.pick(NUMBERS)},
            lambda: {"exclusiveMinimum": self.pick(NUMBERS)},
            lambda: {"maximum": self.pick(NUMBERS)},
            lambda: {"exclusiveMaximum": self.pick(NUMBERS)},
            lambda: {"multipleOf": self.pick([1, 2, 0.5, 1.5])},
            lambda: {"minLength": self.random.randrange(4)},
            lambda: {"maxLength": self.random.randrange(3)},
            lambda: {"pattern": self.pick(PATTERNS)},
            lambda: {"minItems": self.random.randrange(3)},
            lambda: {"maxItems": self.random.randrange(3)},
            lambda: {"uniqueItems": self.chance(80)},
            lambda: {"minProperties": self.random.randrange(3)},
            lambda: {"maxProperties": self.random.randrange(3)},
            lambda: {"required": self.names()},
            lambda: {"dependentRequired": {name: self.names() for name in self.names()}} if self.is_new else
            {"dependencies": {name: self.names() for name in self.names()}},
            lambda: {"title": "t", "default": 1},
        ])()

    def unique(self, values):
        kept = []
        for value in values:
            if not any(repr(value) == repr(other) or value == other for other in kept):
                kept.append(value)
        return kept

    def applicator(self, depth):
        def members():
            return {name: self.schema(depth) for name in self.names()}

        choices = [
            lambda: {"properties": members()},
            lambda: {"properties": members(), "required": self.names()},
            lambda: {"patternProperties": {self.pick(PATTERNS): self.schema(depth)}},
            lambda: {"additionalProperties": self.schema(depth)},
            lambda: {"properties": members(), "additionalProperties": self.schema(depth)},
            lambda: {"propertyNames": self.schema(depth)},
            lambda: {"contains": self.schema(depth)},
            lambda: {"allOf": self.schemas(depth)},
            lambda: {"anyOf": self.schemas(depth)},
            lambda: {"oneOf": self.schemas(depth)},
            lambda: {"not": self.schema(depth)},
            lambda: {"if": self.schema(depth), "then": self.schema(depth), "else": self.schema(depth)},
            lambda: {"if": self.schema(depth), "then": self.schema(depth)},
            lambda: {"items": self.schema(depth)},
            lambda: {"$ref": self.reference()},
        ]
        if self.is_2020:
            choices += [lambda: {"prefixItems": self.schemas(depth)},
                        lambda: {"prefixItems": self.schemas(depth), "items": self.schema(depth)}]
        else:
            choices += [lambda: {"items": self.schemas(depth)},
                        lambda: {"items": self.schemas(depth), "additionalItems": self.schema(depth)}]
        if self.is_new:
            choices += [lambda: {"unevaluatedProperties": self.schema(depth)},
                        lambda: {"unevaluatedProperties": False},
                        lambda: {"unevaluatedItems": self.schema(depth)},
                        lambda: {"dependentSchemas": members()},
                        lambda: {"contains": self.schema(depth), "minContains": self.random.randrange(3)},
                        lambda: {"contains": self.schema(depth), "maxContains": self.random.randrange(3)}]
        else:
            choices += [lambda: {"dependencies": members()}]
        return self.pick(choices)()

    def schema(self, depth=3):
        if depth == 0 or self.chance(8):
            return self.chance(75)
        schema = {}
        for _ in range(self.random.randrange(1, 4)):
            schema.update(self.applicator(depth - 1) if self.chance(55) else self.simple(depth))
        return schema

    def root(self):
        root = self.schema(4)
        if isinstance(root, bool):
            root = {"not": root}
        root["$defs" if self.is_new else "definitions"] = {"p": self.schema(2), "q": self.schema(2)}
        if self.is_2020 and self.chance(15):
            root = {"$id": "https://a.example/root", "$dynamicAnchor": "m", "$ref": "tree",
                    "unevaluatedProperties": self.schema(1), "$defs": {"tree": {
                        "$id": "tree", "$dynamicAnchor": "m", "properties": {
                            "a": {"$dynamicRef": "#m"}, "b": {"items": {"$dynamicRef": "#m"}}},
                        "required": self.names()[:1] if self.chance(40) else []}}}
        return root
