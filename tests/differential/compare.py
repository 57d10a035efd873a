#!/usr/bin/env python3
"""Differential test: this validator, ajv and Python's jsonschema over generated schemas and instances.

usage: compare.py JUDGE_LINES NODE_MODULES [--pairs N] [--seed N] [--dialect NAME] [--keep FILE]

JUDGE_LINES is the program of judge_lines.c; NODE_MODULES a folder in which `npm install ajv@8` was run. A verdict that
differs from a peer's is explained by a rule below or printed; the exit code says whether something is unexplained.
"""
import argparse
import collections
import json
import os
import select
import signal
import subprocess
import sys

import jsonschema

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
INSTANCES = 100
ANSWER_SECONDS = 5
VALIDATORS = {
    "2020-12": jsonschema.Draft202012Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "draft-07": jsonschema.Draft7Validator,
}


class Lines:
    """A program that answers a line with a line; one that takes too long is started again."""

    def __init__(self, command, folder=None):
        self.command, self.folder = command, folder
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder,
                                        encoding="utf-8", bufsize=1)

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def receive(self):
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            self.process.kill()
            self.process.wait()
            self.start()
            return "!no answer in %d s" % ANSWER_SECONDS
        line = self.process.stdout.readline()
        if line == "":
            sys.exit("a peer has ended: %s" % self.command)
        return line.rstrip("\n")


def python_verdicts(dialect, schema, instances):
    try:
        validator = VALIDATORS[dialect](schema)
        return "".join("1" if validator.is_valid(instance) else "0" for instance in instances)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # what a library raises is its own business; one of its parts panics on recursion
        return "!%s" % type(error).__name__


def contains(schema, keywords):
    if isinstance(schema, dict):
        return any(key in keywords or contains(value, keywords) for key, value in schema.items())
    return isinstance(schema, list) and any(contains(value, keywords) for value in schema)


def has_hidden_keywords(schema):
    """`$ref` with something beside it that the specification of draft-07 has it hide."""
    if isinstance(schema, dict):
        hidden = isinstance(schema.get("$ref"), str) and len(set(schema) - {"$ref", "definitions", "title", "default"}) > 0
        return hidden or any(map(has_hidden_keywords, schema.values()))
    return isinstance(schema, list) and any(map(has_hidden_keywords, schema))


def is_2019(case):
    return "2019-09" in case["dialect"]


def has_contains_of_2019(case):
    return is_2019(case) and contains(case["schema"], {"contains"}) and contains(case["schema"], {"unevaluatedItems"})


# Peer, what it does otherwise than the specification, and how a case of it is recognised; unless `alone`, the other
# peer has to agree with this validator. Samples of each were looked at against the text of the specification.
RULES = [
    ("ajv", "`contains` with `items` beside or inside it accepts arrays without a match", False,
     lambda case: contains(case["schema"], {"contains"}) and contains(case["schema"], {"items", "prefixItems"})),
    ("ajv", "draft-07: keywords beside `$ref` are in force", False,
     lambda case: "draft-07" in case["dialect"] and has_hidden_keywords(case["schema"])),
    ("ajv", "2019-09: `contains` evaluates items, as only 2020-12 has it", True, has_contains_of_2019),
    ("ajv", "unevaluated* does not see all that is evaluated, or sees too much", False,
     lambda case: contains(case["schema"], {"unevaluatedItems", "unevaluatedProperties"})),
    ("python", "2019-09: `contains` evaluates items, as only 2020-12 has it", True, has_contains_of_2019),
    ("python", "2019-09: unevaluated* does not see all that is evaluated, or sees too much", False,
     lambda case: is_2019(case) and contains(case["schema"], {"unevaluatedItems", "unevaluatedProperties"})),
]


def explain(peer, case, answers):
    others = [verdict for name, verdict in answers.items() if name not in (peer, "ours")]
    for rule_peer, name, alone, test in RULES:
        if rule_peer == peer and test(case) and (alone or answers["ours"] in others):
            return name
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("judge")
    parser.add_argument("modules")
    parser.add_argument("--pairs", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dialect", choices=sorted(VALIDATORS))
    parser.add_argument("--python-every", type=int, default=20,
                        help="jsonschema is slow: it is asked for each N-th schema, and where ajv differs (default 20)")
    parser.add_argument("--keep", help="a file for the cases that differ")
    arguments = parser.parse_args()
    ours = Lines([os.path.abspath(arguments.judge)])
    ajv = Lines(["node", "-e", open(os.path.join(HERE, "peer_ajv.js")).read()], arguments.modules)
    counts = collections.Counter()
    keep = open(arguments.keep, "w") if arguments.keep else None
    seed = arguments.seed * 1000003
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    while counts["pairs"] < arguments.pairs and not stopped:
        seed += 1
        dialect = arguments.dialect or ("2020-12", "2020-12", "2019-09", "draft-07")[seed % 4]
        maker = generate.Maker(seed, dialect)
        case = {"dialect": generate.DIALECTS[dialect], "schema": maker.root(),
                "instances": [maker.instance() for _ in range(INSTANCES)]}
        for peer in (ours, ajv):
            peer.send(json.dumps(case))
        answers = {"ours": ours.receive(), "ajv": ajv.receive()}
        counts["schemas"] += 1
        asks_python = answers["ours"] != answers["ajv"] or counts["schemas"] % arguments.python_every == 0
        if asks_python and not answers["ours"].startswith("!"):
            answers["python"] = python_verdicts(dialect, case["schema"], case["instances"])
        judge(case, answers, counts, keep)
    ours.process.kill()
    ajv.process.kill()
    for name, count in sorted(counts.items()):
        print("%9d  %s" % (count, name))
    return 1 if any(name.startswith("UNEXPLAINED") for name in counts) else 0


def judge(case, answers, counts, keep):
    mine = answers["ours"]
    if mine.startswith("!"):
        counts["refused here: " + mine[1:60]] += 1
        if "leads back" not in mine and not all(text.startswith("!") for text in answers.values()):
            counts["UNEXPLAINED refusal"] += 1
            report("refusal", case, answers, None, keep)
        return
    counts["pairs"] += len(mine)
    for peer in sorted(set(answers) - {"ours"}):
        theirs = answers[peer]
        if theirs.startswith("!"):
            counts["%s refuses or fails: %s" % (peer, theirs[1:40])] += len(mine)
            continue
        counts["%s compared" % peer] += len(mine)
        for index, (a, b) in enumerate(zip(mine, theirs)):
            if a == b:
                continue
            verdicts = {name: text[index] for name, text in answers.items() if text[:1] != "!"}
            name = explain(peer, dict(case, instance=case["instances"][index]), verdicts)
            counts["%s differs: %s" % (peer, name) if name else "UNEXPLAINED difference from " + peer] += 1
            if name is None:
                report(peer, case, answers, index, keep)


def report(what, case, answers, index, keep):
    row = {"what": what, "dialect": case["dialect"], "schema": case["schema"],
           "instance": None if index is None else case["instances"][index],
           "answers": {peer: text if text[:1] == "!" or index is None else text[index] for peer, text in answers.items()}}
    if keep:
        keep.write(json.dumps(row, ensure_ascii=False) + "\n")
    else:
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
