#!/usr/bin/env python3
"""gen_meta.py - writes src/schema/meta_text.c: the meta-schemas of the five dialects.

They are the standard's data. They are taken from the Python package jsonschema-specifications (and
written without what has no effect: titles, descriptions, comments, defaults), so that the table can
be made again: python3 tools/gen_meta.py > src/schema/meta_text.c
"""
import json
import pathlib
import sys
from importlib import metadata

import jsonschema_specifications

VERSION = metadata.version("jsonschema-specifications")
FOLDERS = ["draft4", "draft6", "draft7", "draft201909", "draft202012"]
WITHOUT = {"title", "description", "$comment", "default"}
# Names of these members are names of properties, not keywords.
MAPS = {"properties", "definitions", "$defs", "patternProperties", "dependentSchemas", "$vocabulary"}


def strip(value, is_map=False):
    if isinstance(value, dict):
        return {k: strip(v, not is_map and k in MAPS) for k, v in value.items() if is_map or k not in WITHOUT}
    if isinstance(value, list):
        return [strip(v) for v in value]
    return value


def literal(text):
    """C string literals of at most 90 columns, one a line; an escape is never cut."""
    lines, line = [], ""
    for char in text:
        piece = {"\\": "\\\\", '"': '\\"'}.get(char, char)
        if len(line) + len(piece) > 88:
            lines.append(line)
            line = ""
        line += piece
    lines.append(line)
    return "\n".join(f'      "{line}"' for line in lines)


def main():
    base = pathlib.Path(jsonschema_specifications.__file__).parent / "schemas"
    rows = []
    for folder in FOLDERS:
        files = [base / folder / "metaschema.json"] + sorted(
            path for path in (base / folder / "vocabularies").glob("*") if path.is_file())
        for path in files:
            schema = json.loads(path.read_text())
            if folder == "draft7":  # the package has it without this keyword of draft-07
                schema["properties"].setdefault("writeOnly", {"type": "boolean"})
            uri = (schema.get("$id") or schema["id"]).rstrip("#")
            rows.append((uri, json.dumps(strip(schema), separators=(",", ":"))))
    assert len({uri for uri, _ in rows}) == len(rows)
    out = sys.stdout
    out.write(f"""/* meta_text.c - the meta-schemas of draft-04 to 2020-12 and their vocabularies, as JSON text.
 *
 * Written by tools/gen_meta.py from the package jsonschema-specifications {VERSION}, without titles,
 * descriptions, comments and defaults. Do not edit.
 */
#include "base/features.h"

#include "schema/meta.h"

/* clang-format off */
const struct meta_row meta_rows[] = {{
""")
    for uri, text in rows:
        out.write(f'    {{ "{uri}",\n{literal(text)} }},\n')
    out.write("};\n\nconst size_t meta_row_count = sizeof(meta_rows) / sizeof(meta_rows[0]);\n")


main()
