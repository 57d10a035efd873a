"""No failing call tells a key, a prompt or a provider's words: outputs, traces, reports, records, core dumps.

Every case runs for each protocol with marks in the key, in the prompt, in the model's text and in the provider's body,
as loud as the program can be, and all that it leaves behind is searched for them.
"""
import concurrent.futures
import json
import os
import resource
import socket
import subprocess
import tempfile
import threading

from fake_provider import Provider, Reply
from harness import OBJECT_SCHEMA, PROGRAM, Run, Skip, main

KEY = "sk-MARKKEY-0123456789abcdef"
PROMPT = "MARKPROMPT Ada has three."
BODY = "MARKBODY"
VALUE = "MARKVALUE"
PROVIDERS = [
    ("anthropic/claude-haiku-4-5", "messages", "ANTHROPIC"),
    ("openai/gpt-5-mini", "responses", "OPENAI"),
    ("openai-chat/gpt-4o", "chat", "OPENAI"),
    ("gemini/gemini-3.8-flash", "generate-content", "GEMINI"),
    ("compat/some", "chat", "STRUCTURE_COMPAT"),
]


def error(status, kind="some_error", headers=None):
    return Reply(status=status, headers=headers, body={
        "type": "error", "error": {"type": kind, "code": kind, "message": BODY + " " + KEY + " " + PROMPT, "status": kind}})


# name, replies, exit codes
CASES = [
    ("401", [error(401, "authentication_error")], {7}),
    ("402", [error(402, "billing_error")], {7}),
    ("403", [error(403, "permission_error")], {7}),
    ("404", [error(404, "not_found_error")], {7}),
    ("400", [error(400, "invalid_request_error")], {6, 7}),
    ("429 quota", [error(429, "insufficient_quota")], {7, 8}),
    ("500", [error(500, "api_error", {"retry-after": "0"})], {8}),
    ("a page", [Reply(body="<html>%s %s</html>" % (BODY, KEY))], {9}),
    ("half a document", [Reply(body='{"id":"%s","choices":[{"mess' % BODY)], {9}),
    ("cut", [Reply('{"n":3,"name":"%s"}' % VALUE, cut=True)], {9}),
    ("redirect", [Reply(status=307, headers={"location": "http://127.0.0.1:9/" + KEY}, body={})], {9}),
    ("not valid", ['{"n":99,"name":"%s"}' % VALUE], {11}),
    ("no object", [VALUE + " is the answer"], {11}),
    ("another type", ['{"n":"%s"}' % VALUE], {11}),
    ("unknown member", ['{"n":1,"%s":1}' % VALUE], {11}),
]


def each_provider(check):
    """Most of a failing call is waiting: the providers at once."""
    with concurrent.futures.ThreadPoolExecutor(len(PROVIDERS)) as pool:
        for done in [pool.submit(check, *row) for row in PROVIDERS]:
            done.result()


def needs_http():
    if not Run("version", "--json").json()["providers"]:
        raise Skip("built without providers over a network")


def extract(model, variable, url, *words, key=KEY, prompt=PROMPT, **options):
    env = {variable + "_API_KEY": key, variable + "_BASE_URL": url}
    return Run("extract", prompt, "-s", OBJECT_SCHEMA, "-m", model, "--timeout", "8s", *words, env=env, **options)


def assert_private(text, where, marks):
    for mark in marks:
        assert mark not in text, "%s holds %s: %r" % (where, mark, text[:3000])


def files_of(folder):
    for base, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(base, name), "rb") as file:
                yield os.path.join(base, name), file.read().decode("utf-8", "replace")


def fail_in_every_way(model, protocol, variable):
    for name, replies, codes in CASES:
        for words in [["-v", "-v"], ["--result", "--json", "--no-stream"]]:
            with Provider(protocol, *replies) as provider:
                done = extract(model, variable, provider.url, *words)
                where = "%s, %s, %s" % (model, name, words)
                assert done.code in codes, (where, done.code, done.err)
                # Pointers name members, also those that a reply made up; values are never told.
                values = [] if name == "unknown member" else [VALUE]
                assert_private(done.err, where, ["MARKKEY", "MARKPROMPT", BODY, *values])
                assert_private(done.out, where, ["MARKKEY", "MARKPROMPT", BODY])


def test_every_failure():
    needs_http()
    each_provider(fail_in_every_way)


def test_nobody_there_and_no_answer():
    needs_http()
    for model, protocol, variable in PROVIDERS:
        done = extract(model, variable, "http://127.0.0.1:1/v1", "-v", "-v")
        assert done.code == 9, done.err
        assert_private(done.out + done.err, model, ["MARK"])
        with Provider(protocol, Reply(hang=True)) as provider:
            done = extract(model, variable, provider.url, "-v", "-v", "--deadline", "1s")
            assert done.code == 12, (done.code, done.err)
            assert_private(done.out + done.err, model, ["MARK"])
        with socket.socket() as plain:
            plain.bind(("127.0.0.1", 0))
            plain.listen(8)
            threading.Thread(target=answer_plainly, args=(plain,), daemon=True).start()
            done = extract(model, variable, "https://127.0.0.1:%d/v1" % plain.getsockname()[1], "-v", "-v")
            assert done.code == 9, (done.code, done.err)
            assert_private(done.out + done.err, model, ["MARK"])


def answer_plainly(listener):
    try:
        while True:
            peer, _ = listener.accept()
            peer.sendall(b"HTTP/1.1 400 MARKBODY\r\n\r\n")
            peer.close()
    except OSError:
        pass


def test_bad_keys_and_settings():
    needs_http()
    for model, _, variable in PROVIDERS:
        for key in [KEY + "\n", KEY + "\x01", "é" + KEY, KEY * 300]:
            done = extract(model, variable, "http://127.0.0.1:1/v1", "-v", "-v", key=key)
            assert done.code != 0
            assert_private(done.out + done.err, (model, done.code), ["MARK"])
        done = extract(model, variable, "http://user:%s@127.0.0.1:1/v1" % KEY)
        assert done.code == 2, done.err
        assert_private(done.out + done.err, model, ["MARK"])


def test_dry_run_shows_the_prompt_and_no_key():
    needs_http()
    for model, _, variable in PROVIDERS:
        done = extract(model, variable, "http://127.0.0.1:1/v1", "--dry-run", "-v", "-v").expect(0)
        assert "MARKPROMPT" in done.out
        assert_private(done.out + done.err, model, ["MARKKEY"])


def record_every_way(model, protocol, variable):
    for name, replies, codes in CASES[::2]:
        with tempfile.TemporaryDirectory() as folder, Provider(protocol, *replies) as provider:
            done = extract(model, variable, provider.url, "--record", folder)
            assert done.code in codes, (model, name, done.code, done.err)
            for path, text in files_of(folder):
                # The provider's own words stay, with whatever it repeated of the request.
                request = json.loads(text).get("request", {})
                assert_private(json.dumps(request), path, ["MARKKEY"])
            again = extract(model, variable, provider.url, "--replay", folder, "-v", "-v", prompt=PROMPT + " Other.")
            assert again.code == 13, (model, name, again.code, again.err)
            assert "the recording has no such request" in again.err and "/" in again.err, again.err
            assert_private(again.out + again.err, name, ["MARK"])


def test_records():
    needs_http()
    each_provider(record_every_way)


def core_folder():
    with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as file:
        pattern = file.read()
    if pattern.startswith("|") or "/" in pattern:
        raise Skip("core dumps go elsewhere here")


def test_no_core_dump():
    needs_http()
    core_folder()

    def allow():
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    for model, protocol, variable in PROVIDERS[:2]:
        with tempfile.TemporaryDirectory() as folder, Provider(protocol, Reply(hang=True)) as provider:
            env = dict(os.environ, **{variable + "_API_KEY": KEY, variable + "_BASE_URL": provider.url,
                                      "ASAN_OPTIONS": "handle_abort=0:disable_coredump=0"})
            run = subprocess.Popen([PROGRAM, "extract", PROMPT, "-s", OBJECT_SCHEMA, "-m", model], env=env, cwd=folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=allow)
            while not provider.requests and run.poll() is None:
                pass
            # Zero would still feed a handler behind a pipe; one does not.
            with open("/proc/%d/limits" % run.pid, encoding="utf-8") as limits:
                core = [line.split()[4:6] for line in limits if line.startswith("Max core")]
            assert core in ([["1", "1"]], [["0", "0"]]), core
            run.send_signal(6)
            run.communicate()
            assert run.returncode == -6, run.returncode
            assert os.listdir(folder) == [], os.listdir(folder)


main(globals())
