#!/usr/bin/env python3
"""compare.py BENCH_SCHEMA [FOLDER] - verdicts of this validator beside Blaze, ajv and yyjson's parser, in one run.

BENCH_SCHEMA is the program of bench_schema.c. The data sets are those of FOLDER, else of
$STRUCTURE_SHARED/suites/jsonschema-benchmark/schemas, else of ../shared; single cases that need files are taken from
$STRUCTURE_BENCH_DATA; families of growing size are generated. Peers are those that bench/fetch-peers installed.
What is not there is said and left out. Method: `format` is taken out of every schema, as the authors of the data do;
a peer's figure is the minimum over passes (Blaze: for each document over runs of its --benchmark, which repeats it).
Prints Markdown; --quick leaves out the families.
"""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "structure", "peers")
PEERS = os.environ.get("STRUCTURE_PEERS", CACHE)
BLAZE_LINE = re.compile(r"(\[\d+\])?: (?:PASS|FAIL) ([0-9.]+) \+- ")
OUR_RUNS = 3
BLAZE_RUNS = 5
BLAZE_SECONDS = 20  # for a set; one run is always finished
SECONDS_MAX = 240

SINGLE_FILES = [
    ("GeoJSON canada", "geojson.json", "canada.json"),
    ("CITM", "citm_catalog_schema.json", "citm_catalog.json"),
    ("recursive oneOf", "recursive_schema.json", "recursive_instance.json"),
    ("small, valid", "fast_schema.json", "fast_valid.json"),
    ("small, invalid", "fast_schema.json", "fast_invalid.json"),
    ("Swagger kubernetes", "swagger.json", "kubernetes.json"),
    ("FHIR patient", "fhir.schema.json", "patient-example-d.json"),
]


def say(*words):
    print("compare:", *words, file=sys.stderr)


def without_formats(schema):
    if isinstance(schema, dict):
        return {name: without_formats(value) for name, value in schema.items()
                if name != "format" or not isinstance(value, str)}
    return [without_formats(value) for value in schema] if isinstance(schema, list) else schema


# ---- data ---------------------------------------------------------------------------------------------------------

def closed_object(count):
    names = ["property_%d" % i for i in range(count)]
    return ({"additionalProperties": False, "properties": {name: {"type": "integer"} for name in names}},
            {name: i for i, name in enumerate(names)})


def nested_alternatives(depth):
    def alternative(kind):
        return {"type": "object", "required": ["child", "kind"],
                "properties": {"child": {"$ref": "#/$defs/node"}, "kind": {"const": kind}}}
    schema = {"$ref": "#/$defs/node",
              "$defs": {"node": {"anyOf": [alternative("a"), alternative("b"), alternative("c"), {"type": "null"}]}}}
    instance = None
    for _ in range(depth):
        instance = {"child": instance, "kind": "c"}
    return schema, instance


def nested_arrays(depth):
    instance = []
    for _ in range(depth):
        instance = [instance]
    return {"type": "array", "items": {"$ref": "#"}}, instance


def records(count):
    schema = {"type": "array", "items": {"type": "object", "required": ["id", "name"], "properties": {
        "id": {"type": "integer"}, "name": {"type": "string", "minLength": 1}, "tags": {"items": {"type": "string"}}}}}
    return schema, [{"id": i, "name": "name %d" % i, "tags": ["a", "b"]} for i in range(count)]


def unique(values):
    return {"uniqueItems": True}, values


FAMILIES = [
    ("closed object, members", closed_object, (250, 500, 1000, 2000, 4000)),
    ("uniqueItems, strings", lambda n: unique(["item %d" % i for i in range(n)]), (5000, 10000, 20000, 40000)),
    ("uniqueItems, objects", lambda n: unique([{"id": i} for i in range(n)]), (5000, 10000, 20000)),
    ("nested alternatives, depth", nested_alternatives, (2, 4, 6, 8, 10)),
    ("nested arrays, depth", nested_arrays, (50, 100, 200, 400)),
    ("records", records, (1000, 2000, 4000, 8000)),
]


def write_set(folder, name, schema, instance_lines):
    path = os.path.join(folder, name)
    os.makedirs(path)
    with open(os.path.join(path, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(without_formats(schema), file, ensure_ascii=False)
    with open(os.path.join(path, "instances.jsonl"), "w", encoding="utf-8") as file:
        file.write(instance_lines)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_data_sets(folder, source):
    for name in sorted(os.listdir(source)) if os.path.isdir(source) else []:
        instances = os.path.join(source, name, "instances.jsonl")
        if not os.path.exists(instances):
            say("skipped", name + ": no instances")
            continue
        with open(os.path.join(source, name, "schema.json"), encoding="utf-8") as schema, \
                open(instances, encoding="utf-8") as lines:
            write_set(folder, name, json.load(schema), lines.read())


def write_singles(folder, source):
    for name, schema, instance in SINGLE_FILES:
        try:
            with open(os.path.join(source, schema), encoding="utf-8") as file:
                schema_value = json.load(file)
            with open(os.path.join(source, instance), encoding="utf-8") as file:
                write_set(folder, name, schema_value, compact(json.load(file)))
        except OSError:
            say("skipped", name + ": no such files in $STRUCTURE_BENCH_DATA")


def write_families(folder):
    sys.setrecursionlimit(10000)
    for name, make, sizes in FAMILIES:
        for size in sizes:
            schema, instance = make(size)
            schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
            write_set(folder, "%s %d" % (name, size), schema, compact(instance))


# ---- measurements: {set: (compile ms, ns a document)} --------------------------------------------------------------

def run(command):
    """Standard output, empty where the peer fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired:
        return ""
    sys.stderr.write("".join("%s\n" % line for line in done.stderr.splitlines() if line.startswith("ajv:")))
    return done.stdout


def measure_ours(program, folder):
    """{set: (documents, compile ms, verdict, parse, both, yyjson)}, the last four in ns a document."""
    ours = {}
    for _ in range(OUR_RUNS):
        for line in run([program, folder + "/*"]).splitlines():
            match = re.match(r"(.{24,}?) +(\d+)" + r" +(\d+\.\d+)" * 5, line)
            if match:
                row = [float(match[i]) for i in range(2, 8)]
                ours[match[1].strip()] = [min(pair) for pair in zip(row, ours.get(match[1].strip(), row))]
            elif "refused" in line:
                say(line)
    return ours


def measure_blaze(folder, names, loop):
    program = os.path.join(PEERS, "node_modules/@sourcemeta/jsonschema/build/github-releases",
                           "jsonschema-linux-" + platform.machine())
    if not os.path.exists(program):
        say("skipped Blaze: bench/fetch-peers brings it")
        return {}
    blaze = {}
    for name in names:
        files = [os.path.join(folder, name, file) for file in ("schema.json", "instances.jsonl")]
        best = {}
        end = time.monotonic() + BLAZE_SECONDS
        for _ in range(BLAZE_RUNS):
            command = [program, "validate", *files, "--benchmark", "--loop", str(loop), "--fast"]
            for index, micros in BLAZE_LINE.findall(run(command)):
                best[index] = min(best.get(index, 1e9), float(micros))
            if not best or time.monotonic() > end:
                break
        if best:
            blaze[name] = sum(best.values()) / len(best) * 1000
        else:
            say("Blaze gives no figure for", name)
    return blaze


def measure_ajv(folder, names):
    if not os.path.exists(os.path.join(PEERS, "node_modules", "ajv")):
        say("skipped ajv: bench/fetch-peers brings it")
        return {}
    ajv = {}
    for name in names:
        for line in run(["node", os.path.join(HERE, "compare_ajv.mjs"), PEERS, os.path.join(folder, name)]).splitlines():
            fields = line.split("\t")
            ajv[fields[0]] = (float(fields[2]), float(fields[3]))
    return ajv


# ---- tables ---------------------------------------------------------------------------------------------------------

def ratio(peer, own):
    return "%.1f" % (peer / own) if peer and own else "-"


def natural_order(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def number(value):
    return "-" if value is None else "{:,.0f}".format(value) if value >= 100 else "%.1f" % value


def table(title, ours, blaze, ajv):
    print("\n%s\n" % title)
    print("| set | documents | verdict ns | Blaze ÷ ours | ajv ÷ ours | parse and verdict ÷ yyjson parse | compile ms |"
          " ajv's compile ÷ ours |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in sorted(ours, key=natural_order):
        count, compile_ms, verdict, _parse, both, yyjson = ours[name]
        ajv_compile, ajv_verdict = ajv.get(name, (None, None))
        print("| %s | %d | %s | %s | %s | %s | %.2f | %s |" % (
            name, count, number(verdict), ratio(blaze.get(name), verdict), ratio(ajv_verdict, verdict),
            "%.2f" % (both / yyjson) if yyjson else "-", compile_ms, ratio(ajv_compile, compile_ms)))


def totals(ours, blaze, ajv):
    def milliseconds(names, value):
        return sum(value(name) * ours[name][0] for name in names) / 1e6

    both = milliseconds(ours, lambda name: ours[name][4])
    yyjson = milliseconds(ours, lambda name: ours[name][5])
    print("\nAll sets: compile %.1f ms, verdicts %.2f ms, parse and verdicts %.1f ms%s." % (
        sum(row[1] for row in ours.values()), milliseconds(ours, lambda name: ours[name][2]), both,
        ", %.2f times yyjson's parse" % (both / yyjson) if yyjson else ""))
    for title, peer in (("Blaze", blaze), ("ajv", {name: row[1] for name, row in ajv.items()})):
        names = [name for name in ours if name in peer]
        if names:
            own, other = milliseconds(names, lambda name: ours[name][2]), milliseconds(names, peer.get)
            slower = [name for name in names if peer[name] < ours[name][2]]
            print("%s, %d sets: %.2f ms, %.1f times ours (%.2f ms); faster than ours on: %s." % (
                title, len(names), other, other / own, own, ", ".join(slower) or "none"))


def compare(program, title, folder, loop, with_totals):
    names = sorted(os.listdir(folder))
    if not names:
        return
    ours = measure_ours(program, folder)
    blaze = measure_blaze(folder, names, loop)
    ajv = measure_ajv(folder, names)
    if with_totals and ours:
        totals(ours, blaze, ajv)
    table(title, ours, blaze, ajv)
    sys.stdout.flush()


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--quick"]
    if not arguments:
        sys.exit(__doc__)
    shared = os.environ.get("STRUCTURE_SHARED") or os.path.join(HERE, "..", "..", "shared")
    source = arguments[1] if len(arguments) > 1 else os.path.join(shared, "suites/jsonschema-benchmark/schemas")
    if not os.path.isdir(source):
        say("skipped the data sets:", "no jsonschema-benchmark here")
    with tempfile.TemporaryDirectory() as work:
        folders = [os.path.join(work, name) for name in ("sets", "singles", "families")]
        for folder in folders:
            os.makedirs(folder)
        write_data_sets(folders[0], source)
        write_singles(folders[1], os.environ.get("STRUCTURE_BENCH_DATA", ""))
        compare(arguments[0], "### Data sets", folders[0], 100, True)
        compare(arguments[0], "### Single cases", folders[1], 20, False)
        if "--quick" not in sys.argv:
            write_families(folders[2])
            compare(arguments[0], "### Growth", folders[2], 5, False)


if __name__ == "__main__":
    main()
