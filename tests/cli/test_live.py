"""`extract` with the default model: results, forms, the terminal, an interrupt in the middle."""
import json
import os
import pty
import re
import select
import signal
import subprocess

from harness import PROGRAM, ROOT, Folder, Run, Skip, main

HOME = {"HOME": os.environ.get("HOME", "/"), "XDG_DATA_HOME": os.environ.get("XDG_DATA_HOME", "")}
SCHEMA = ('{"type":"object","properties":{"hotel":{"type":"string"},"nights":{"type":"integer","minimum":1}},'
          '"required":["hotel","nights"],"additionalProperties":false}')
TEXT = "The Seaview Hotel offers you 3 nights from 14 May 2026."
PATIENT = ["--timeout", "5m"]


def extract(*words, **options):
    models = Run("models", "--json", env=HOME).json()["models"]
    if not models[0]["usable"]:
        raise Skip("the default model is not there")
    return Run("extract", *PATIENT, *words, env=HOME, **options)


def check_valid(data, schema):
    Run("validate", "-s", schema, stdin=data if isinstance(data, str) else json.dumps(data)).expect(0)


def test_data():
    done = extract(TEXT, "-s", SCHEMA).expect(0, err="")
    check_valid(done.out, SCHEMA)
    assert list(done.json()) == ["hotel", "nights"] and done.json()["nights"] == 3, done.out
    again = extract("-f", "-", "-s", SCHEMA, stdin=TEXT).expect(0, err="")
    assert again.out == done.out, (again.out, done.out)
    with Folder() as folder:
        extract(TEXT, "-s", SCHEMA, "-o", folder.path("out")).expect(0, out="", err="")
        assert folder.read("out") == done.out


def test_result_and_grounding():
    result = extract(TEXT, "-s", SCHEMA, "--grounding").expect(0, err="").json()
    assert result["status"] == "ok" and result["schemaOrigin"] == "inline", result
    assert result["iterations"] >= 1 and result["usage"]["outputTokens"] > 0, result
    leaves = {leaf["pointer"]: leaf for leaf in result["grounding"]}
    assert set(leaves) == {"/hotel", "/nights"}, leaves
    hotel = leaves["/hotel"]
    assert hotel["found"] and TEXT[hotel["start"]:hotel["end"]] == result["data"]["hotel"], result


def test_examples():
    for name, code in [("job-ad", 0), ("meeting-request", 10), ("order-confirmation", 0)]:
        path = os.path.join(ROOT, "examples", name)
        done = extract("-f", path + ".txt", "-s", path + ".schema.json").expect(code)
        if code == 0:
            check_valid(done.out, path + ".schema.json")
        else:
            assert done.out == "" and done.err.startswith("structure: need-more-input: "), done.err


def test_need_as_document():
    path = os.path.join(ROOT, "examples", "meeting-request")
    for words in [["--result"], ["--json"]]:
        result = extract("-f", path + ".txt", "-s", path + ".schema.json", *words).expect(10, err="").json()
        assert result["status"] == "need-more-input" and result["need"], result


def test_wrap_root():
    schema = '{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer","minimum":1}}}'
    done = extract("We need 12 chairs.", "-s", schema, "--wrap-root").expect(0)
    check_valid(done.out, schema)


def test_limits():
    extract(TEXT, "-s", SCHEMA, "--deadline", "1ms").expect(12, out="", err_has=["structure: deadline: "])
    done = extract(TEXT, "-s", SCHEMA, "--max-tokens", "1")
    assert done.code in (2, 6, 7) and done.out == "", done.err


def test_dry_run_and_steps():
    shown = extract(TEXT, "-s", SCHEMA, "--dry-run").expect(0, err="").json()
    assert any(TEXT in message["content"] for message in shown["messages"]), shown
    done = extract(TEXT, "-s", SCHEMA, "-vv").expect(0)
    assert "structure: model: " in done.err and "structure: iteration 1 of 3\n" in done.err, done.err
    assert "Seaview" not in done.err, done.err


def test_foreign_files():
    with Folder(**{"text.gguf": "once upon a time", "empty.gguf": "", "magic.gguf": b"GGUF" + b"\0" * 60}) as folder:
        for name in ["text.gguf", "empty.gguf", "magic.gguf", "none.gguf"]:
            extract(TEXT, "-s", SCHEMA, "-m", folder.path(name)).expect(
                2, out="", err_has=["structure: invalid-request: "])


def on_terminal(words, on_output=None):
    """Runs the program with a terminal as stderr and stdout as a pipe; returns code, stdout, what was shown."""
    leader, follower = pty.openpty()
    environment = dict(os.environ, TERM="xterm")
    environment.pop("NO_COLOR", None)
    with subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=follower,
                          env=environment) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                ready, _, _ = select.select([leader], [], [], 300)
                piece = os.read(leader, 4096) if ready else b""
            except OSError:
                break  # the program has closed its side
            if not piece:
                break
            shown += piece
            if on_output is not None and on_output(process, shown):
                on_output = None
        out = process.stdout.read()
        code = process.wait()
    os.close(leader)
    return code, out.decode(), shown.decode()


def test_progress():
    extract(TEXT, "-s", SCHEMA).expect(0)
    code, out, shown = on_terminal(["extract", *PATIENT, TEXT, "-s", SCHEMA])
    assert code == 0 and json.loads(out), (code, out, shown)
    assert "iteration 1 of 3" in shown and shown.endswith("\r\033[K"), shown
    assert "Seaview" not in shown, shown
    for line in re.split(r"\r\033\[K", shown):
        assert "\n" not in line and len(line) < 80, line
    code, _, shown = on_terminal(["extract", "-q", *PATIENT, TEXT, "-s", SCHEMA])
    assert code == 0 and shown == "", shown


def test_interrupt():
    extract(TEXT, "-s", SCHEMA).expect(0)

    def interrupt(process, shown):
        if b"iteration 1" not in shown:
            return False
        process.send_signal(signal.SIGINT)
        return True

    words = ["extract", *PATIENT, TEXT * 40, "-s", SCHEMA]
    code, out, shown = on_terminal(words, interrupt)
    assert code == 130 and out == "", (code, out, shown)
    assert "cancelled" in shown, shown


main(globals())
