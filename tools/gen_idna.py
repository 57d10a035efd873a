#!/usr/bin/env python3
"""gen_idna.py - writes src/schema/idna_tables.c: what host names in other scripts need of Unicode.

Usage: tools/gen_idna.py [FOLDER] > src/schema/idna_tables.c
       tools/gen_idna.py --check src/schema/idna_tables.c

FOLDER holds the files of the Unicode Character Database (/usr/share/unicode where Debian's package
unicode-data is installed). --check compares, and ends with 77 where that folder is absent or has another
version of Unicode. The derived property is computed by the algorithm of RFC 5892.
"""
import contextlib
import io
import pathlib
import re
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else "/usr/share/unicode")
COUNT = 0x110000
DISALLOWED, PVALID, CONTEXTJ, CONTEXTO = range(4)
BIDI = ["other", "L", "R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"]
JOINING = ["U", "L", "R", "D", "T"]
SCRIPTS = ["other", "Greek", "Hebrew", "Hiragana", "Katakana", "Han"]
LETTER_DIGITS = {"Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"}
IGNORABLE_BLOCKS = [(0x20D0, 0x20FF), (0x1D100, 0x1D1FF), (0x1D200, 0x1D24F)]


def spread(values, first, last, value):
    for code in range(int(first, 16), int(last or first, 16) + 1):
        values[code] = value


def read(name, default, wanted=None, field=1):
    """The value of each code point; with wanted, only whether the value is that word."""
    values = [default] * COUNT
    for line in (FOLDER / name).read_text().splitlines():
        fields = [part.strip() for part in line.split("#")[0].split(";")]
        if len(fields) <= field:
            continue
        match = re.fullmatch(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?", fields[0])
        if wanted is None:
            spread(values, match[1], match[2], fields[field])
        elif fields[field] == wanted:
            spread(values, match[1], match[2], True)
    return values


def version():
    return re.search(r"(\d+\.\d+\.\d+)", (FOLDER / "Scripts.txt").read_text().splitlines()[0])[1]


def exceptions():
    table = {code: PVALID for code in (0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007)}
    contexto = [0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, *range(0x660, 0x66A), *range(0x6F0, 0x6FA)]
    table.update({code: CONTEXTO for code in contexto})
    table.update({code: DISALLOWED for code in (0x640, 0x7FA, 0x302E, 0x302F, *range(0x3031, 0x3036), 0x303B)})
    return table


def derived(category):
    unstable = read("DerivedNormalizationProps.txt", False, "Changes_When_NFKC_Casefolded")
    ignorable = read("DerivedCoreProperties.txt", False, "Default_Ignorable_Code_Point")
    space = read("PropList.txt", False, "White_Space")
    noncharacter = read("PropList.txt", False, "Noncharacter_Code_Point")
    join_control = read("PropList.txt", False, "Join_Control")
    hangul = read("HangulSyllableType.txt", "NA")
    special = exceptions()
    out = []
    for code in range(COUNT):
        if code in special:
            out.append(special[code])
        elif category[code] == "Cn":
            out.append(DISALLOWED)
        elif code < 128 and re.fullmatch("[-0-9a-z]", chr(code)):
            out.append(PVALID)
        elif join_control[code]:
            out.append(CONTEXTJ)
        elif unstable[code] or ignorable[code] or space[code] or noncharacter[code]:
            out.append(DISALLOWED)
        elif any(first <= code <= last for first, last in IGNORABLE_BLOCKS):
            out.append(DISALLOWED)
        elif hangul[code] in ("L", "V", "T"):
            out.append(DISALLOWED)
        else:
            out.append(PVALID if category[code] in LETTER_DIGITS else DISALLOWED)
    return out


def normal_form(combining):
    """Quick check of NFC: 0 yes, 1 no, 2 maybe; and the pairs that compose."""
    quick = [0] * COUNT
    for line in (FOLDER / "DerivedNormalizationProps.txt").read_text().splitlines():
        fields = [part.strip() for part in line.split("#")[0].split(";")]
        if len(fields) == 3 and fields[1] == "NFC_QC":
            first, _, last = fields[0].partition("..")
            spread(quick, first, last, 1 if fields[2] == "N" else 2)
    excluded = read("DerivedNormalizationProps.txt", False, "Full_Composition_Exclusion")
    pairs = []
    for line in (FOLDER / "UnicodeData.txt").read_text().splitlines():
        fields = line.split(";")
        parts = fields[5].split()
        if len(parts) == 2 and not parts[0].startswith("<") and not excluded[int(fields[0], 16)]:
            pairs.append((int(parts[0], 16), int(parts[1], 16), int(fields[0], 16)))
    return quick, sorted(pairs)


def write_rows(name, kind, items, per_line, form):
    print(f"\nconst {kind} {name}[] = {{")
    for i in range(0, len(items), per_line):
        print("    " + " ".join(form(item) + "," for item in items[i:i + per_line]))
    print(f"}};\n\nconst size_t {name}_count = sizeof({name}) / sizeof({name}[0]);")


def main():
    category = read("extracted/DerivedGeneralCategory.txt", "Cn")
    bidi = read("extracted/DerivedBidiClass.txt", "L")
    joining = read("extracted/DerivedJoiningType.txt", "U")
    combining = read("extracted/DerivedCombiningClass.txt", "0")
    script = read("Scripts.txt", "other")
    property_of = derived(category)
    quick, pairs = normal_form(combining)
    classes, runs = [], []
    for code in range(COUNT):
        row = (property_of[code], BIDI.index(bidi[code]) if bidi[code] in BIDI else 0,
               JOINING.index(joining[code]) if joining[code] in JOINING else 0,
               int(combining[code]), quick[code], category[code][0] == "M",
               SCRIPTS.index(script[code]) if script[code] in SCRIPTS else 0)
        if row not in classes:
            classes.append(row)
        index = classes.index(row)
        if not runs or runs[-1] & 0xFF != index:
            runs.append(code << 8 | index)
    assert len(classes) <= 256
    print(f"""/* idna_tables.c - properties of code points for IDNA2008, by Unicode {version()}.
 *
 * Written by tools/gen_idna.py from the Unicode Character Database as Debian's package unicode-data
 * carries it. Do not edit.
 */
#include "base/features.h"

#include "schema/idna.h"

/* clang-format off */""")
    print("const struct idna_class idna_classes[] = {")
    for row in classes:
        print("    { " + ", ".join(str(int(value)) for value in row) + " },")
    print("};")
    write_rows("idna_runs", "uint32_t", runs, 8, lambda run: f"0x{run:08X}")
    write_rows("idna_pairs", "uint64_t", pairs, 4, lambda pair: f"0x{pair[0] << 42 | pair[1] << 21 | pair[2]:X}")


def check(path):
    committed = pathlib.Path(path).read_text()
    if not (FOLDER / "Scripts.txt").exists() or f"by Unicode {version()}." not in committed:
        print("skipped: the Unicode Character Database of the tables is not here")
        return 77
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        main()
    return 0 if written.getvalue() == committed else 1


if len(sys.argv) == 3 and sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2]))
main()
