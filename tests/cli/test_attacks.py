"""Hostile schemas, instances and patterns from the field through `validate`: the right verdict, within time and
memory, and never a crash or a sanitizer's report. Times are processor time, and count only without sanitizers."""
import base64
import json
import os
import resource
import subprocess

from harness import PROGRAM, ROOT, Folder, Skip, main

START_MS = 100  # of a process, and of reading its files
MEMORY_MB = 256


def repeat(parts):
    return "".join(text * count for text, count in parts)


def as_text(value):
    if not isinstance(value, dict):
        return value
    if "cat" in value:
        return repeat(value["cat"])
    if value["gen"] == "alternation":
        return "|".join("%0*d" % (value["len"], i) for i in range(value["words"]))
    return value["each"]


def laughs(given):
    levels = {"l%d" % i: {given["combinator"]: [{"$ref": "#/$defs/l%d" % (i + 1)}] * given["fanout"]}
              for i in range(given["levels"])}
    return {"$ref": "#/$defs/l0", "$defs": {**levels, "l%d" % given["levels"]: {"type": "object"}}}


def ref_chain(given):
    links = {"l%d" % i: {"$ref": "#/$defs/l%d" % (i + 1)} for i in range(given["length"])}
    return {"$ref": "#/$defs/l0", "$defs": {**links, "l%d" % given["length"]: {"type": "object"}}}


def nested_anyof(given):
    def branch(level, k):
        return {"type": "object", "properties": {"p%d" % k: {"$ref": "#/$defs/d%d" % (level + 1)}},
                "required": ["p%d" % k]}
    levels = {"d%d" % i: {"anyOf": [branch(i, k) for k in range(given["branch"])]} for i in range(given["depth"])}
    return {"$ref": "#/$defs/d0", "$defs": {**levels, "d%d" % given["depth"]: {"type": "null"}}}


def nested_if(given):
    schema = True
    for _ in range(given["depth"]):
        schema = {"if": {"required": ["a"]}, "then": {"maxProperties": 9}, "else": schema}
    return schema


def colliding(count):
    """Names that hash alike under h * 31 + c."""
    return ["".join("Aa" if i >> bit & 1 else "BB" for bit in range(16)) for i in range(count)]


SCHEMAS = {
    "laughs": laughs,
    "ref_chain": ref_chain,
    "nested_anyof_objects": nested_anyof,
    "nested_if_then_else": nested_if,
    "colliding_keys": lambda given: {"properties": {name: True for name in colliding(given["count"])}},
    "enum_strings": lambda given: {"enum": ["%0*d" % (given["len"], i) for i in range(given["count"])]},
    "unevaluated_anyof": lambda given: {
        "anyOf": [{"properties": {"p%d" % (k % given["props"]): True}} for k in range(given["branches"])],
        "unevaluatedProperties": False},
    "pattern_properties": lambda given: {
        "patternProperties": {"^k[0-9]*%d" % i: {"type": "integer"} for i in range(given["count"])}},
}

INSTANCES = {
    "colliding_keys": lambda given: {name: 1 for name in colliding(given["count"])},
    "wide": lambda given: [{"k%d" % k: i for k in range(given["keys"])} for i in range(given["objects"])],
    "objects_same_shape": lambda given: [
        {"k%d" % k: i if k + 1 == given["keys"] else k for k in range(given["keys"])} for i in range(given["count"])],
    "array_const": lambda given: [given["value"]] * given["count"],
    "object_keys": lambda given: {"k%d" % i: i for i in range(given["keys"])},
}


def as_bytes(value):
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")


def schema_of(case):
    """The bytes of the schema, or None: the case has a form that needs more than one run."""
    given = case["input"]
    if case["surface"] == "regex":
        return json.dumps({"type": "string", "pattern": as_text(given["pattern"])})
    if case["surface"] == "schema":
        if isinstance(given, str):
            return given
        if "json" in given:
            return json.dumps(given["json"])
        if "cat" in given:
            return repeat(given["cat"])
        return json.dumps(SCHEMAS[given["gen"]](given)) if given["gen"] in SCHEMAS else None
    if isinstance(given, dict):
        if "schema" in given:
            return json.dumps(given["schema"])
        if "schema_text" in given:
            return given["schema_text"]
        if "schema_gen" in given:
            return json.dumps(SCHEMAS[given["schema_gen"]](given))
    return "{}"


def instance_of(case):
    given = case["input"]
    if case["surface"] == "regex":
        return json.dumps(as_text(given["subject"]))
    if case["surface"] == "schema":
        return json.dumps(given["instance"] if isinstance(given, dict) and "instance" in given else {"p1": 1})
    if isinstance(given, str):
        return given
    if "b64" in given:
        return base64.b64decode(given["b64"])
    if "cat" in given:
        return repeat(given["cat"])
    if "instance_text" in given:
        return given["instance_text"]
    return json.dumps(INSTANCES[given["gen"]](given))


def outcome_fits(case, code, verdicts):
    """Codes: 0 and 1 are verdicts, 2 not JSON or beyond a limit, 3 a schema refused, 6 no steps left."""
    expected = case["expected"]["verdict"]
    limit = expected.endswith("_or_limit")
    if expected in ("any", "policy", "reject_or_terminate"):
        return code in (0, 1, 2, 3, 6)
    if expected == "partial":
        return code == 2 and verdicts == [False, True]
    if case["surface"] == "schema":
        accepted = code in (0, 1)
        return accepted if expected == "accept" else code == 3 if expected == "reject" else \
            accepted or code in (3, 6)
    wanted = {"accept": (0,), "match": (0,), "nomatch": (1,), "accept_exact": (0, 2),
              "reject": (3,) if case["surface"] == "regex" else (1, 2)}[
                  expected.replace("_or_limit", "").replace("_or_reject", "")]
    return code in wanted or limit and code in (2, 3, 6)


def run(schema, instance, memory_mb, *options):
    """memory_mb: of private memory; 0: not limited."""
    command = [PROGRAM, "validate", "-q", "-s", schema, *options, instance]

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory_mb > 0:
            resource.setrlimit(resource.RLIMIT_DATA, (memory_mb << 20, memory_mb << 20))

    out = os.path.join(os.path.dirname(schema), "out")
    err = os.path.join(os.path.dirname(schema), "err")
    with open(out, "wb") as out_file, open(err, "wb") as err_file:
        process = subprocess.Popen(command, stdout=out_file, stderr=err_file, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(err, "rb") as file:
        words = file.read()
    with open(out, "rb") as file:
        verdicts = [json.loads(line)["valid"] for line in file.read().split(b"\n") if line]
    return process.returncode, verdicts, words, (usage.ru_utime + usage.ru_stime) * 1000


def options_of(case):
    given = case["input"] if isinstance(case["input"], dict) else {}
    if "ndjson" in (given.get("mode"), case["expected"].get("mode")):
        return ["--lines"]
    # A local file may be large; the limit of texts from elsewhere is what the case is about.
    return ["--max-size", "16M"] if case["expected"].get("kind") == "json.limit.size" else []


def fault_of(case, folder, is_checked):
    """What is wrong about the outcome of a case, or None."""
    schema = schema_of(case)
    if schema is None:
        return None
    for name, value in (("schema", schema), ("instance", instance_of(case))):
        with open(folder.path(name), "wb") as file:
            file.write(as_bytes(value))
    options = options_of(case)
    memory_mb = min(MEMORY_MB, case["expected"].get("max_rss_mb", MEMORY_MB))
    code, verdicts, words, time_ms = run(folder.path("schema"), folder.path("instance"),
                                         0 if is_checked else memory_mb, "--output", "flag", *options)
    what = "%s: code %d, %.0f ms, %d MB: %r" % (case["id"], code, time_ms, memory_mb, words[:200])
    if code not in (0, 1, 2, 3, 6) or b"Sanitizer" in words or b"runtime error" in words:
        return "crashed: " + what
    if not outcome_fits(case, code, verdicts):
        return "expected %s: %s" % (case["expected"]["verdict"], what)
    if not is_checked and time_ms > case["expected"].get("max_ms", 10000) + START_MS:
        return "too slow, at most %d ms: %s" % (case["expected"].get("max_ms", 10000), what)
    return None


def test_attacks():
    shared = os.environ.get("STRUCTURE_SHARED", os.path.join(ROOT, "..", "shared"))
    path = os.path.join(shared, "cases", "attacks.jsonl")
    if not os.path.exists(path):
        raise Skip("the shared cases are not there")
    with open(PROGRAM, "rb") as file:
        is_checked = b"__asan_init" in file.read()
    with open(path, encoding="utf-8") as file:
        cases = [case for case in map(json.loads, file) if case["surface"] in ("schema", "instance", "regex")]
    with Folder() as folder:
        faults = [fault_of(case, folder, is_checked) for case in cases]
    faults = [fault for fault in faults if fault is not None]
    assert not faults, "%d of %d cases:\n%s" % (len(faults), len(cases), "\n".join(faults))


main(globals())
