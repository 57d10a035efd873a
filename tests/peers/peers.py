#!/usr/bin/env python3
"""Runs the program against servers that others wrote: aimock, llama-server, LiteLLM. See docs/providers.md.

    peers.py PROGRAM FOLDER [aimock|llama|litellm]...

FOLDER is where tools/check-peers put them: node_modules (aimock), llama-server, venv/bin/litellm. A peer that is
not there is skipped and said. Nothing leaves this machine.
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KEY = "sk-MARKER-OF-THE-KEY-0123456789"
PROVIDER_WORDS = "MARKER-OF-THE-PROVIDER"

SCHEMA = {
    "type": "object",
    "properties": {
        "actor": {"type": "string"},
        "priority": {"type": "integer", "minimum": 1, "maximum": 5},
        "note": {"type": "string"},
    },
    "required": ["actor", "priority"],
    "additionalProperties": False,
}
GOOD = {"actor": "Mike", "priority": 3}

# Name of the case, exit code, data, least number of model calls.
CASES = [
    ("ok", 0, GOOD, 1),
    ("fence", 0, GOOD, 1),
    ("prose", 0, GOOD, 1),
    ("thinking", 0, GOOD, 1),
    ("envelope", 0, GOOD, 1),
    ("need", 10, None, 1),
    ("repair", 0, GOOD, 2),
    ("stale", 11, None, 3),
    ("length", 7, None, 1),
    ("busy", 0, GOOD, 2),
    ("quota", 7, None, 1),
    ("key", 7, None, 1),
    ("schema", 0, GOOD, 2),
    ("cut", 9, None, 1),
    ("down", 8, None, 1),
]

PROVIDERS = {
    "anthropic": ("anthropic/claude-sonnet-4-5", "ANTHROPIC", ""),
    "openai": ("openai/gpt-4.1", "OPENAI", "/v1"),
    "openai-chat": ("openai-chat/gpt-4.1", "OPENAI", "/v1"),
    "gemini": ("gemini/gemini-2.5-flash", "GEMINI", ""),
    "compat": ("compat/some-model", "STRUCTURE_COMPAT", "/v1"),
}

faults = []
counts = {"passed": 0}


def check(name, condition, what):
    if condition:
        counts["passed"] += 1
    else:
        faults.append("%s: %s" % (name, what))
        print("FAIL %s: %s" % (name, what))


def clean_environment(home):
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return dict(keep, HOME=home, XDG_CONFIG_HOME=os.path.join(home, "config"), NO_COLOR="1")


def extract(program, home, model, variables, prompt, schema, options=()):
    environment = dict(clean_environment(home), **variables)
    command = [program, "extract", prompt, "-s", json.dumps(schema), "-m", model, "--result", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    try:
        result = json.loads(done.stdout) if done.stdout.strip() else {}
    except ValueError:
        result = {"unreadable": done.stdout}
    for marker in (KEY, PROVIDER_WORDS):
        check(model, marker not in done.stdout + done.stderr, "%s in an output" % marker)
    return done.returncode, result, done.stderr


def variables_of(provider, url):
    _, prefix, path = PROVIDERS[provider]
    return {prefix + "_API_KEY": KEY, prefix + "_BASE_URL": url + path}


# ---- aimock ----------------------------------------------------------------------------------------------------


def run_aimock(program, folder, home):
    if not os.path.isdir(os.path.join(folder, "node_modules", "@copilotkit", "aimock")):
        return print("skipped: aimock is not in %s" % folder)
    server = subprocess.Popen(["node", os.path.join(HERE, "aimock.mjs"), folder], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        for provider in PROVIDERS:
            for streamed in (True, False):
                for case in CASES:
                    ask_aimock(program, home, url, provider, streamed, case)
    finally:
        server.stdin.close()
        server.wait(10)


def ask_aimock(program, home, url, provider, streamed, case):
    name, code, data, calls_min = case
    where = "aimock %s %s %s" % (provider, "streamed" if streamed else "whole", name)
    if name == "cut" and not streamed:
        return
    prompt = "case:%s run:%s-%s-x Mike broke the build today." % (name, provider, "s" if streamed else "w")
    options = () if streamed else ("--no-stream",)
    got, result, words = extract(program, home, PROVIDERS[provider][0], variables_of(provider, url), prompt, SCHEMA,
                                 options + ("--deadline", "60s"))
    check(where, got == code, "exit %d, expected %d: %s" % (got, code, words.strip()[:300]))
    if data is not None:
        check(where, result.get("data") == data, "data %s" % json.dumps(result.get("data")))
    usage = result.get("usage", {})
    if got in (0, 10, 11):
        check(where, usage.get("modelCalls", 0) >= calls_min, "modelCalls %s" % usage.get("modelCalls"))


# ---- llama-server ----------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url, server, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2) as reply:
                if reply.status == 200:
                    return True
        except (OSError, urllib.error.URLError):
            time.sleep(0.2)
    return False


def start_llama(folder):
    binary = os.path.join(folder, "llama-server")
    model = os.environ.get("STRUCTURE_MODEL_FILE") or os.path.expanduser(
        "~/.local/share/structure/models/SmolLM2-135M-Instruct.Q4_1.gguf")
    if not os.path.exists(binary) or not os.path.exists(model):
        return None, None
    port = free_port()
    server = subprocess.Popen([binary, "-m", model, "--port", str(port), "--host", "127.0.0.1", "-c", "4096", "-np", "1",
                               "--no-webui", "--jinja"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = "http://127.0.0.1:%d" % port
    if not wait_for(url + "/health", server, 60):
        server.kill()
        return None, None
    return server, url


EXAMPLES = [
    ("Anna Schmidt, 34 years old, lives in Bonn.",
     {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
      "required": ["name", "age"], "additionalProperties": False}),
    ("The meeting is on 2026-03-14 at 10:30 in room B.",
     {"type": "object", "properties": {"day": {"type": "string", "format": "date"}, "room": {"enum": ["A", "B", "C"]}},
      "required": ["day", "room"], "additionalProperties": False}),
    ("Apples 3, pears 5, plums 8.",
     {"type": "object", "properties": {"items": {"type": "array", "minItems": 1, "maxItems": 5, "items": {
         "type": "object", "properties": {"fruit": {"type": "string"}, "count": {"type": "integer", "maximum": 9}},
         "required": ["fruit", "count"], "additionalProperties": False}}},
      "required": ["items"], "additionalProperties": False}),
]


def judge(program, schema, data):
    done = subprocess.run([program, "validate", "-s", json.dumps(schema), "-"], input=json.dumps(data),
                          capture_output=True, text=True)
    return done.returncode == 0


def ask_examples(program, home, where, model, variables, codes, options=()):
    """Every answer of a real model is an object that is valid, a question, or an honest failure."""
    answered = 0
    for text, schema in EXAMPLES:
        got, result, words = extract(program, home, model, variables, text, schema,
                                     options + ("--deadline", "120s", "--timeout", "60s"))
        check(where, got in codes, "exit %d: %s" % (got, words.strip()[:300]))
        if got == 0:
            answered += 1
            check(where, judge(program, schema, result.get("data")), "not valid: %s" % result.get("data"))
    print("%s: %d of %d texts answered with a valid object" % (where, answered, len(EXAMPLES)))
    return answered


def run_llama(program, folder, home):
    server, url = start_llama(folder)
    if server is None:
        return print("skipped: llama-server or the default model is not there")
    try:
        variables = {"STRUCTURE_COMPAT_BASE_URL": url + "/v1", "LLAMA_SERVER_BASE_URL": url + "/v1"}
        for model in ("compat/default", "llama-server/default"):
            for options in ((), ("--no-stream",)):
                where = "llama-server %s %s" % (model, "whole" if options else "streamed")
                answered = ask_examples(program, home, where, model, variables, (0, 10, 11, 7), options)
                check(where, answered >= 1, "no text was answered")
    finally:
        server.kill()
        server.wait()


# ---- LiteLLM ---------------------------------------------------------------------------------------------------


def run_litellm(program, folder, home):
    binary = os.path.join(folder, "venv", "bin", "litellm")
    server, url = start_llama(folder)
    if server is None or not os.path.exists(binary):
        return print("skipped: LiteLLM or llama-server is not there")
    port = free_port()
    config = os.path.join(home, "litellm.yaml")
    names = ["claude-sonnet-4-5", "gpt-4.1", "gemini-2.5-flash", "some-model"]
    with open(config, "w", encoding="utf-8") as out:
        out.write("model_list:\n")
        for name in names:
            out.write("  - model_name: %s\n    litellm_params:\n      model: openai/default\n"
                      "      api_base: %s/v1\n      api_key: none\n" % (name, url))
        out.write("litellm_settings:\n  drop_params: true\n  telemetry: false\n")
    environment = dict(os.environ, LITELLM_MASTER_KEY=KEY, LITELLM_LOCAL_MODEL_COST_MAP="True")
    environment.pop("DATABASE_URL", None)
    with open(os.path.join(home, "litellm.log"), "wb") as log:
        proxy = subprocess.Popen([binary, "--config", config, "--port", str(port), "--host", "127.0.0.1"],
                                 env=environment, stdout=log, stderr=log, cwd=home)
    try:
        if not wait_for("http://127.0.0.1:%d/health/liveliness" % port, proxy, 120):
            return check("litellm", False, "the proxy did not start")
        for provider in PROVIDERS:
            variables = variables_of(provider, "http://127.0.0.1:%d" % port)
            for options in ((), ("--no-stream",)):
                where = "litellm %s %s" % (provider, "whole" if options else "streamed")
                answered = ask_examples(program, home, where, PROVIDERS[provider][0], variables, (0, 10, 11, 7, 12), options)
                # Of these protocols LiteLLM leaves the schema out: the tiny model is on its own, and rarely right.
                check(where, answered >= 1 or provider in ("anthropic", "openai"), "no text was answered")
    finally:
        proxy.kill()
        proxy.wait()
        server.kill()
        server.wait()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    wanted = sys.argv[3:] or ["aimock", "llama", "litellm"]
    runs = {"aimock": run_aimock, "llama": run_llama, "litellm": run_litellm}
    with tempfile.TemporaryDirectory() as home:
        for name in wanted:
            runs[name](program, folder, home)
    print("peers: %d checks passed, %d failed" % (counts["passed"], len(faults)))
    sys.exit(1 if faults else 0)


main()
