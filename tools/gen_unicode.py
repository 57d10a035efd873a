#!/usr/bin/env python3
"""Writes src/regex/unicode_tables.c: the general category of every code point, from the Unicode
data that this Python carries (unicodedata.unidata_version).

Usage: tools/gen_unicode.py > src/regex/unicode_tables.c
"""
import unicodedata

NAMES = [
    ("Lu", "Uppercase_Letter"), ("Ll", "Lowercase_Letter"), ("Lt", "Titlecase_Letter"),
    ("Lm", "Modifier_Letter"), ("Lo", "Other_Letter"), ("Mn", "Nonspacing_Mark"),
    ("Mc", "Spacing_Mark"), ("Me", "Enclosing_Mark"), ("Nd", "Decimal_Number"),
    ("Nl", "Letter_Number"), ("No", "Other_Number"), ("Pc", "Connector_Punctuation"),
    ("Pd", "Dash_Punctuation"), ("Ps", "Open_Punctuation"), ("Pe", "Close_Punctuation"),
    ("Pi", "Initial_Punctuation"), ("Pf", "Final_Punctuation"), ("Po", "Other_Punctuation"),
    ("Sm", "Math_Symbol"), ("Sc", "Currency_Symbol"), ("Sk", "Modifier_Symbol"),
    ("So", "Other_Symbol"), ("Zs", "Space_Separator"), ("Zl", "Line_Separator"),
    ("Zp", "Paragraph_Separator"), ("Cc", "Control"), ("Cf", "Format"), ("Cs", "Surrogate"),
    ("Co", "Private_Use"), ("Cn", "Unassigned"),
]
GROUPS = [
    ("L", "Letter"), ("M", "Mark"), ("N", "Number"), ("P", "Punctuation"), ("S", "Symbol"),
    ("Z", "Separator"), ("C", "Other"),
]
ALIASES = [("Nd", "digit"), ("P", "punct"), ("Cc", "cntrl"), ("M", "Combining_Mark")]
INDEX = {short: i for i, (short, _) in enumerate(NAMES)}


def mask(prefix):
    return sum(1 << i for short, i in INDEX.items() if short.startswith(prefix))


def runs():
    last = None
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category != last:
            yield code << 8 | INDEX[category]
            last = category


def main():
    print("/* unicode_tables.c - the general category of every code point, Unicode %s."
          % unicodedata.unidata_version)
    print(" *\n * Written by tools/gen_unicode.py: change that, not this.\n */")
    print('#include "base/features.h"\n\n#include "regex/unicode.h"\n')
    table = list(runs())
    print("const uint32_t unicode_runs[] = {")
    for i in range(0, len(table), 8):
        print("    " + " ".join("0x%07x," % value for value in table[i:i + 8]))
    print("};\n")
    print("const size_t unicode_run_count = sizeof(unicode_runs) / sizeof(unicode_runs[0]);\n")
    rows = []
    for short, long in NAMES + GROUPS:
        rows += [(short, mask(short)), (long, mask(short))]
    for name in ("LC", "Cased_Letter"):
        rows.append((name, mask("Lu") | mask("Ll") | mask("Lt")))
    rows += [(alias, mask(short)) for short, alias in ALIASES]
    print("const struct unicode_category unicode_categories[] = {")
    for name, bits in rows:
        print('    { "%s", 0x%08x },' % (name, bits))
    print("};\n")
    print("const size_t unicode_category_count =\n"
          "    sizeof(unicode_categories) / sizeof(unicode_categories[0]);")


main()
