"""Field cases of wire schemas (shared/cases/replies.jsonl): what a provider must be sent for a schema that it once refused.

Each case is judged by a check of its own, written from what the case says must and must not be; the shared data has
the schemas.
"""
import json
import os

from harness import ROOT, Run, Skip, main

CASES = os.path.join(os.environ.get("STRUCTURE_SHARED") or os.path.join(ROOT, "..", "shared"), "cases", "replies.jsonl")
MODELS = {"openai": "openai/gpt-4.1", "gemini": "gemini/gemini-2.5-flash", "anthropic": "anthropic/claude-sonnet-4-5",
          "ollama": "ollama/x", "llama.cpp": "llama-server/x", "any-inlining": "groq/openai/gpt-oss-20b"}


def places(schema):
    """Every subschema of a wire schema."""
    yield schema
    for name in ("properties", "$defs", "definitions"):
        for child in schema.get(name, {}).values():
            yield from places(child)
    for name in ("anyOf", "prefixItems"):
        for child in schema.get(name, []):
            yield from places(child)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from places(schema[name])


def keywords(schema):
    return {name for place in places(schema) for name in place}


def no_dangling_reference(wire):
    for place in places(wire):
        if "$ref" in place:
            at = wire
            for token in place["$ref"].split("/")[1:]:
                at = at[token]
    return True


def closed_and_required(wire):
    return all(set(place.get("required", [])) == set(place["properties"]) for place in places(wire) if "properties" in place)


def optional_count(wire):
    return sum(len(place["properties"]) - len(place.get("required", [])) for place in places(wire) if "properties" in place)


CHECKS = {
    "P087": lambda wire: "pattern" not in keywords(wire),
    "P094": lambda wire: closed_and_required(wire) and wire["properties"]["roles"]["type"] == ["array", "null"],
    "P099": lambda wire: not any("" in place.get("enum", []) for place in places(wire)),
    "P100": lambda wire: all(isinstance(v, int) for v in wire["properties"]["minutes"].get("enum", [])) and
    wire["properties"]["minutes"]["type"] == "integer",
    "P113": lambda wire: len(wire["properties"]["child"]["anyOf"]) == 2,
    "P118": lambda wire: "$ref" not in keywords(wire),
    "P120": lambda wire: "anyOf" in wire["properties"]["a"] and "anyOf" in wire["properties"]["b"],
    # Sent strict: items are JSON texts in strings, which the case did not know of.
    "P123": lambda wire: wire["properties"]["rows"]["items"]["type"] == "string",
    "P125": no_dangling_reference,
    "P126": no_dangling_reference,
    "P127": lambda wire: not keywords(wire) & {"minimum", "maximum", "minLength", "maxLength", "maxItems"} and
    "at least 1; at most 10" in wire["properties"]["score"]["description"],
    "P129": lambda wire: optional_count(wire) <= 24,
    "P132": lambda wire: "maxItems" not in keywords(wire),
    "P133": lambda wire: "default" not in keywords(wire),
    "P134": lambda wire: list(wire["properties"]) == ["reasoning", "answer"],
    "P135": lambda wire: wire["properties"]["id"]["pattern"] == "^[0-9]+$",
    "P136": lambda wire: "maxLength" not in keywords(wire) and wire["properties"]["none"]["type"] == "object",
}


def find_schema(value):
    if isinstance(value, dict):
        if "properties" in value and "type" in value:
            return value
        for child in value.values():
            found = find_schema(child)
            if found:
                return found
    return None


def cases():
    if not os.path.exists(CASES):
        raise Skip("the shared data is not here")
    for line in open(CASES, encoding="utf-8"):
        case = json.loads(line)
        if str(case.get("expected", {}).get("outcome", "")).startswith("lowered"):
            yield case


def test_every_case():
    seen = set()
    for case in cases():
        seen.add(case["id"])
        model = MODELS[case["expected"]["provider"]]
        done = Run("tool", "--for", model, "-s", json.dumps(case["schema"]), "-v").expect(0)
        wire = find_schema(done.json())
        assert CHECKS[case["id"]](wire), (case["id"], done.out)
    assert seen == set(CHECKS), seen ^ set(CHECKS)


main(globals())
