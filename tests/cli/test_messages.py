"""What `validate` prints for documents with faults, whole: the text is what a person has to go by."""
import json

from harness import Folder, Run, main

PERSON = {
    "title": "Person", "type": "object", "additionalProperties": False,
    "required": ["name", "age", "email", "address"],
    "properties": {"name": {"type": "string", "minLength": 2, "maxLength": 40}, "age": {"type": "integer"},
                   "email": {"type": "string", "format": "email"}, "address": {"type": "string"},
                   "color": {"enum": ["red", "green", "blue"]}}}

NODE = {"oneOf": [{"title": "Group", "type": "object", "required": ["type", "children"],
                   "properties": {"type": {"const": "group"}, "children": {"type": "array", "items": {"$ref": "#"}}}},
                  {"title": "Leaf", "type": "object", "required": ["type", "value"],
                   "properties": {"type": {"const": "leaf"}, "value": {"type": "integer"}}}]}

REFERENCE = {
    "oneOf": [{"$ref": "#/$defs/reference"}, {"$ref": "#/$defs/schema"}],
    "$defs": {"reference": {"title": "Reference", "type": "object", "required": ["$ref"],
                            "properties": {"$ref": {"type": "string"}}, "additionalProperties": False},
              "schema": {"title": "Schema", "type": "object", "additionalProperties": False,
                         "properties": {"type": {"enum": ["string", "number"]}}}}}

# name: (schema, instance, what is printed, FILE for its name)
CASES = {
    "missing members are one block, a misspelt member is one fault": (
        PERSON, '{\n  "name": "B",\n  "age": "42",\n  "emial": "a@b",\n  "color": "Red",\n  "x": 1\n}',
        'FILE:1:1: required member "address" is missing (expected required ["name","age","email","address"])\n'
        '     1 | {\n'
        '       | ^\n'
        '  schema: /required, Person\n'
        'FILE:2:11 /name: length must be ≥ 2 and ≤ 40 characters (expected minLength 2, found 1 character)\n'
        '     2 |   "name": "B",\n'
        '       |           ^^^\n'
        '  schema: /properties/name/minLength\n'
        'FILE:3:10 /age: value must be an integer (expected type "integer", found string)\n'
        '     3 |   "age": "42",\n'
        '       |          ^^^^\n'
        '  schema: /properties/age/type\n'
        '  hint: write the number without quotes\n'
        'FILE:4:3 /emial: member "emial" is not allowed (expected additionalProperties false)\n'
        '     4 |   "emial": "a@b",\n'
        '       |   ^^^^^^^\n'
        '  schema: /additionalProperties, Person\n'
        '  hint: did you mean "email"?\n'
        'FILE:5:12 /color: value must be one of "red", "green", "blue" (expected enum ["red","green","blue"])\n'
        '     5 |   "color": "Red",\n'
        '       |            ^^^^^\n'
        '  schema: /properties/color/enum\n'
        '  hint: did you mean "red"?\n'
        'FILE:6:3 /x: member "x" is not allowed (expected additionalProperties false)\n'
        '     6 |   "x": 1\n'
        '       |   ^^^\n'
        '  schema: /additionalProperties, Person\n'
        '  hint: allowed: "name", "age", "email", "address", "color"\n'),
    "several missing": (
        {"required": ["a", "b", "c"]}, '{"b": 1}',
        'FILE:1:1: required members "a" and "c" are missing (expected required ["a","b","c"])\n'
        '     1 | {"b": 1}\n'
        '       | ^\n'
        '  schema: /required\n'),
    "unions: the alternative that was meant": (
        NODE, '{"type": "group", "children": [{"type": "leef", "value": 1},\n {"type": "leaf", "value": "7"}]}',
        'FILE:1:41 /children/0/type: value must be one of "group", "leaf" (expected by /oneOf)\n'
        '     1 | {"type": "group", "children": [{"type": "leef", "value": 1},\n'
        '       |                                         ^^^^^^\n'
        '  judged as alternative 1 of 2, "Group", chosen by member "type"\n'
        '  hint: did you mean "leaf"?\n'
        'FILE:2:28 /children/1/value: value must be an integer (expected type "integer", found string)\n'
        '     2 |  {"type": "leaf", "value": "7"}]}\n'
        '       |                            ^^^\n'
        '  judged as alternative 2 of 2, "Leaf", chosen by member "type"\n'
        '  schema: /oneOf/1/properties/value/type\n'
        '  hint: write the number without quotes\n'),
    "unions: a misspelt member tells which": (
        REFERENCE, '{"$reff": "#/x"}',
        'FILE:1:2 /$reff: member "$reff" is not allowed (expected additionalProperties false)\n'
        '     1 | {"$reff": "#/x"}\n'
        '       |  ^^^^^^^\n'
        '  judged as alternative 1 of 2, "Reference"\n'
        '  schema: /$defs/reference/additionalProperties, Reference\n'
        '  hint: did you mean "$ref"?\n'),
    "unions: none is likelier": (
        {"anyOf": [{"required": ["email"]}, {"required": ["phone"]}]}, '{"name": "x"}',
        'FILE:1:1: value must match at least one of 2 alternatives (expected by /anyOf)\n'
        '     1 | {"name": "x"}\n'
        '       | ^\n'
        '  hint: alternatives are 1: an object with member "email"; 2: an object with member "phone"\n'),
    "unions: two fit": (
        {"oneOf": [{"title": "Small", "maximum": 10}, {"title": "Even", "multipleOf": 2}]}, '4',
        'FILE:1:1: value must match exactly one of 2 alternatives but matches number 1 ("Small") and '
        'number 2 ("Even") (expected by /oneOf)\n'
        '     1 | 4\n'
        '       | ^\n'
        '  hint: alternatives are 1: "Small"; 2: "Even"\n'),
    "a condition is named": (
        {"if": {"properties": {"country": {"const": "US"}}}, "then": {"required": ["state"]}}, '{"country": "US"}',
        'FILE:1:1: required member "state" is missing (expected required ["state"])\n'
        '     1 | {"country": "US"}\n'
        '       | ^\n'
        '  judged as the case where "if" holds\n'
        '  schema: /then/required\n'),
    "members that exclude each other": (
        {"not": {"required": ["a", "b"]}}, '{"a": 1, "b": 2}',
        'FILE:1:1: members "a" and "b" must not stand together (expected by /not)\n'
        '     1 | {"a": 1, "b": 2}\n'
        '       | ^\n'),
    "lists: the item is shown": (
        {"prefixItems": [{}, {}, {}], "items": False, "uniqueItems": True, "contains": {"type": "string"}},
        '[1, 2, 1, 3]',
        'FILE:1:1: number of items that match "contains" must be ≥ 1 (expected by /contains)\n'
        '     1 | [1, 2, 1, 3]\n'
        '       | ^\n'
        '  hint: an item that counts is a string\n'
        'FILE:1:8: items must differ, but number 1 and number 3 are equal (expected uniqueItems true)\n'
        '     1 | [1, 2, 1, 3]\n'
        '       |        ^\n'
        '  schema: /uniqueItems\n'
        'FILE:1:11: number of items must be ≤ 3 (expected items false, found 4 items)\n'
        '     1 | [1, 2, 1, 3]\n'
        '       |           ^\n'
        '  schema: /items\n'),
    "the shape of a format": (
        {"format": "date"}, '"2023-02-30"',
        'FILE:1:1: value must match format "date" (expected format "date")\n'
        '     1 | "2023-02-30"\n'
        '       | ^^^^^^^^^^^^\n'
        '  schema: /format\n'
        '  hint: write it as YYYY-MM-DD, a day that exists\n'),
    "only the quotes are wrong": (
        {"properties": {"a": {"enum": [1, 2]}, "b": {"enum": ["1", "2"]}, "c": {"type": "string"}}},
        '{"a": "1", "b": 1, "c": 2}',
        'FILE:1:7 /a: value must be one of 1, 2 (expected enum [1,2])\n'
        '     1 | {"a": "1", "b": 1, "c": 2}\n'
        '       |       ^^^\n'
        '  schema: /properties/a/enum\n'
        '  hint: write the value without quotes\n'
        'FILE:1:17 /b: value must be one of "1", "2" (expected enum ["1","2"])\n'
        '     1 | {"a": "1", "b": 1, "c": 2}\n'
        '       |                 ^\n'
        '  schema: /properties/b/enum\n'
        '  hint: write the value in quotes\n'
        'FILE:1:25 /c: value must be a string (expected type "string", found number)\n'
        '     1 | {"a": "1", "b": 1, "c": 2}\n'
        '       |                         ^\n'
        '  schema: /properties/c/type\n'
        '  hint: write the value in quotes\n'),
    "the caret stands under wide and combining characters": (
        {"properties": {"z": {"type": "integer"}}}, '{"e\u0301\u65e5\u672c": "\u65e5", "z": "\u65e5"}\r\n',
        'FILE:1:20 /z: value must be an integer (expected type "integer", found string)\n'
        '     1 | {"e\u0301\u65e5\u672c": "\u65e5", "z": "\u65e5"}\n'
        '       |                      ^^^^\n'
        '  schema: /properties/z/type\n'),
}


def test_blocks():
    for name, (schema, instance, text) in CASES.items():
        with Folder(schema=json.dumps(schema), instance=instance) as folder:
            path = folder.path("instance")
            done = Run("validate", "-s", folder.path("schema"), path).expect(1, out="")
            got = done.err.replace(path, "FILE")
            assert got == text, "%s: got\n%s\ninstead of\n%s" % (name, got, text)


def test_place_of_items_and_names():
    """SARIF marks what the caret marks."""
    schema = '{"uniqueItems":true,"items":{"additionalProperties":false}}'
    done = Run("validate", "-s", schema, "--output", "sarif", stdin='[1,{"ab":"cdef"},1]').expect(1)
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in done.json()["runs"][0]["results"]]
    assert [(r["startColumn"], r["endColumn"]) for r in regions] == [(5, 9), (18, 19)], regions


def test_output_that_cannot_be_written():
    with Folder() as folder:
        done = Run("validate", "--json", "-o", folder.path(""), "-s", "true", stdin="1").expect(2)
        assert "Is a directory" in done.json()["error"]["message"]


main(globals())
