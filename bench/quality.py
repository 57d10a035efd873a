#!/usr/bin/env python3
"""Measures extraction on texts with known answers: exact leaves, valid replies, values that the text does not have.

    bench/quality.py [--split development|held-out|all] [--program build/structure] [options of extract ...]
    bench/quality.py --server http://127.0.0.1:8080      # llama.cpp's server with json_schema, same texts

Cases: bench/quality/*.jsonl (see README.md there). Only Python's standard library is used. The figure
"exact leaves" is the share of the leaves of all answers that the reply has at the same pointer with an
equal value. A reply that is not valid is judged by what it has; none is zero.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def leaves(value, pointer=""):
    """(pointer, value) of everything that is not a container; an empty container is a leaf."""
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from leaves(member, pointer + "/" + name)
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, "%s/%d" % (pointer, index))
    else:
        yield pointer, value


def same(a, b):
    """Equal as JSON values: numbers by value, and true is not 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return a == b


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip().lower()


def ungrounded(value, text):
    """Strings of the reply, and those of them that stand nowhere in the text."""
    strings = [leaf for _, leaf in leaves(value) if isinstance(leaf, str)]
    place = squeeze(text)
    return len(strings), sum(squeeze(string) not in place for string in strings)


class Program:
    """build/structure, one process a text."""

    def __init__(self, path, extra):
        self.path = path
        self.extra = extra

    def ask(self, case):
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as schema:
            json.dump(case["schema"], schema)
            schema.flush()
            done = subprocess.run(
                [self.path, "extract", "--result", "-s", schema.name] + self.extra,
                input=case["text"].encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            return None, False, 0, "exit %d: %s" % (done.returncode, done.stderr.decode()[-200:].strip())
        usage = result.get("usage", {})
        tokens = usage.get("outputTokens", 0)
        if result.get("status") == "ok":
            return result["data"], True, tokens, "ok"
        error = result.get("error")
        return None, False, tokens, error["message"] if error else result.get("status")


class Server:
    """llama.cpp's server: the schema in the prompt and as a grammar, which is what a user would do."""

    def __init__(self, url, tokens):
        self.url = url.rstrip("/") + "/v1/chat/completions"
        self.tokens = tokens

    def ask(self, case):
        schema = json.dumps(case["schema"])
        body = {
            "messages": [{"role": "user", "content":
                          "Extract the data from the text as JSON that follows this JSON Schema:\n%s\n\n"
                          "Text:\n%s" % (schema, case["text"])}],
            "response_format": {"type": "json_schema", "json_schema": {"schema": case["schema"]}},
            "temperature": 0, "max_tokens": self.tokens,
        }
        request = urllib.request.Request(self.url, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=600) as response:
                reply = json.load(response)
        except OSError as error:
            return None, False, 0, str(error)
        tokens = reply.get("usage", {}).get("completion_tokens", 0)
        try:
            return json.loads(reply["choices"][0]["message"]["content"]), True, tokens, "ok"
        except (ValueError, KeyError, IndexError):
            return None, False, tokens, "not JSON"


def cases_of(split):
    for path in sorted(glob.glob(os.path.join(ROOT, "bench", "quality", "*.jsonl"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                case = json.loads(line)
                if split in ("all", case.get("split")):
                    yield case


def judge(model, cases, verbose):
    total = dict(cases=0, valid=0, leaves=0, exact=0, strings=0, ungrounded=0, tokens=0, whole=0)
    begin = time.monotonic()
    for case in cases:
        start = time.monotonic()
        data, valid, tokens, note = model.ask(case)
        got = dict(leaves(data)) if data is not None else {}
        wanted = list(leaves(case["answer"]))
        exact = sum(pointer in got and same(got[pointer], value) for pointer, value in wanted)
        strings, loose = ungrounded(data, case["text"]) if data is not None else (0, 0)
        total["cases"] += 1
        total["valid"] += valid
        total["leaves"] += len(wanted)
        total["exact"] += exact
        total["whole"] += exact == len(wanted) and len(got) == len(wanted)
        total["strings"] += strings
        total["ungrounded"] += loose
        total["tokens"] += tokens
        print("%-20s %3d of %3d leaves  %4d tokens  %5.1f s  %s"
              % (case["id"], exact, len(wanted), tokens, time.monotonic() - start, note), flush=True)
        if verbose:
            for pointer, value in wanted:
                if pointer not in got or not same(got[pointer], value):
                    print("    %s: %s instead of %s" % (pointer, json.dumps(got.get(pointer)), json.dumps(value)))
    total["seconds"] = time.monotonic() - begin
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--split", default="development", choices=["development", "held-out", "all"])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "structure"))
    parser.add_argument("--server", help="URL of a llama.cpp server, to be measured instead of the program")
    parser.add_argument("--tokens", type=int, default=512, help="of a reply of the server")
    parser.add_argument("--limit", type=int, default=0, help="only the first cases")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the leaves that differ")
    options, extra = parser.parse_known_args()
    cases = list(cases_of(options.split))
    if options.limit:
        cases = cases[:options.limit]
    if not cases:
        sys.exit("no cases")
    model = Server(options.server, options.tokens) if options.server else Program(options.program, extra)
    total = judge(model, cases, options.verbose)
    print("\n%d cases: valid %.2f, exact leaves %.3f (%d of %d), all right %d, ungrounded strings %.2f, "
          "%.0f tokens and %.1f s a case"
          % (total["cases"], total["valid"] / total["cases"], total["exact"] / max(1, total["leaves"]),
             total["exact"], total["leaves"], total["whole"],
             total["ungrounded"] / max(1, total["strings"]), total["tokens"] / total["cases"],
             total["seconds"] / total["cases"]))


if __name__ == "__main__":
    main()
