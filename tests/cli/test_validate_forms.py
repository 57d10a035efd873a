"""`validate`: resources, dialects, the machine forms, streams of lines."""
import json
import os
import pty
import signal
import subprocess

from harness import OBJECT_SCHEMA, PROGRAM, Folder, Run, Skip, main

FORMS = ("basic", "detailed", "verbose", "list", "hierarchical")


def test_resources():
    integer = '{"$id":"https://example.com/int","type":"integer"}'
    schema = '{"items":{"$ref":"https://example.com/int"}}'
    other = '{"$ref":"http://example.com/other#/$defs/small"}'
    with Folder(**{"int.json": integer, "other.json": '{"$defs":{"small":{"maximum":9}}}', "i": "[1,2]",
                   "bad": "[1.5]", "ten": "10", "nine": "9", "broken": "{", "noid": "{}"}) as folder:
        path = folder.path
        Run("validate", "-s", schema, "--resource", path("int.json"), path("i")).expect(0)
        Run("validate", "-s", schema, "--resource", path("int.json"), path("bad")).expect(1)
        Run("validate", "-s", schema, "--resource=https://example.com/int=" + path("int.json"), path("bad")).expect(1)
        both = ["--resource", path("int.json"), "--resource", "http://example.com/other=" + path("other.json")]
        Run("validate", "-s", other, *both, path("nine")).expect(0, err="")
        Run("validate", "-s", other, *both, path("ten")).expect(1)
        Run("validate", "-s", schema, path("i")).expect(3, err_has=["/items/$ref"])
        Run("validate", "-s", schema, "--resource", path("broken"), path("i")).expect(
            3, err_has=["invalid-schema: " + path("broken") + ":1:2"])
        Run("validate", "-s", schema, "--resource", path("noid"), path("i")).expect(3, err_has=[path("noid")])
        Run("validate", "-s", schema, "--resource", path("none"), path("i")).expect(2, err_has=["No such file"])
        Run("validate", "-s", schema, "--resource", "relative=" + path("int.json"), path("i")).expect(2)
        twice = ["--resource", "http://example.com/other=" + path("other.json")] * 2
        Run("validate", "-s", other, *twice, path("nine")).expect(3, err_has=["same URI"])
        many = []
        for i in range(80):
            many += ["--resource", "http://example.com/%d=%s" % (i, path("other.json"))]
        Run("validate", "-s", '{"$ref":"http://example.com/79#/$defs/small"}', *many, path("ten")).expect(1)


def test_dialects():
    schema = '{"items":[{"type":"string"}],"exclusiveMaximum":true,"maximum":3}'
    Run("validate", "-s", schema, "--dialect", "http://json-schema.org/draft-04/schema#", stdin="3").expect(1)
    Run("validate", "-s", schema, "--dialect", "http://json-schema.org/draft-04/schema", stdin="[1]").expect(1)
    Run("validate", "-s", schema, stdin="3").expect(3)
    Run("validate", "-s", schema, "--dialect", "https://example.com/none", stdin="3").expect(3)


def test_machine_forms():
    for form in FORMS:
        good = Run("validate", "-s", OBJECT_SCHEMA, "--output", form, stdin='{"n":1}').expect(0, err="").json()
        bad = Run("validate", "-s", OBJECT_SCHEMA, "--output", form, stdin='{"n":9}').expect(1, err="").json()
        assert good["valid"] is True and bad["valid"] is False, (form, good, bad)
        assert "/n" in json.dumps(bad), (form, bad)
        lines = Run("validate", "-s", OBJECT_SCHEMA, "--output", form, "--lines", stdin='{"n":1}\n{"n":9}\n{"n"\n{}')
        lines.expect(2, err_has=["invalid-request: <stdin>:3:5: "])
        assert [json.loads(line)["valid"] for line in lines.out.split("\n")[:-1]] == [True, False, False, False]
    Run("validate", "-s", OBJECT_SCHEMA, "--output", "flags", stdin="1").expect(2, err_has=["did you mean flag?"])


def test_sarif():
    with Folder(**{"a": '{"n":1}', "b": '{"n":\n9}', "c": "{"}) as folder:
        done = Run("validate", "-s", OBJECT_SCHEMA, "--output", "sarif", folder.path("a"), folder.path("b"))
        log = done.expect(1, err="").json()
        results = log["runs"][0]["results"]
        assert log["version"] == "2.1.0" and len(results) == 1, log
        region = results[0]["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] == 2 and region["startColumn"] == 1, log
        Run("validate", "-s", OBJECT_SCHEMA, "--output", "sarif", folder.path("a")).expect(0).json()
        Run("validate", "-s", OBJECT_SCHEMA, "--output", "sarif", folder.path("c")).expect(2).json()


def test_verbosity():
    Run("validate", "-v", "-s", OBJECT_SCHEMA, stdin='{"n":1}').expect(
        0, out="", err_has=["<argument>: the schema is valid", "<stdin>:1: valid", "instances: 1, valid: 1, invalid: 0, not judged: 0"])
    Run("validate", "-q", "-s", OBJECT_SCHEMA, stdin='{"n":9}').expect(1, err_has=["/n: "])


def test_lines_cut_anywhere():
    """Lines lie across the blocks that the file is read in, and end in LF, CRLF or nothing."""
    text = b""
    expected = []
    for i in range(3000):
        pad = b"x" * (i * 37 % 1500)
        text += b'{"n":%d,"name":"%s"}' % (i % 7, pad) + (b"\r\n" if i % 3 == 0 else b"\n")
        expected.append(i % 7 <= 5)
    text += b'{"n":1}'
    done = Run("validate", "-s", OBJECT_SCHEMA, "--lines", "--output", "flag", stdin=text).expect(1, err="")
    got = [json.loads(line)["valid"] for line in done.out.split("\n")[:-1]]
    assert got == expected + [True]


def peak_kilobytes(path):
    """Of a run over the lines of path, which are all valid."""
    run = subprocess.Popen([PROGRAM, "validate", "-s", OBJECT_SCHEMA, "--lines", path])
    _, code, usage = os.wait4(run.pid, 0)
    assert code == 0, code
    return usage.ru_maxrss


def test_lines_in_constant_memory():
    with open(PROGRAM, "rb") as program:
        if b"__asan_init" in program.read():
            raise Skip("AddressSanitizer keeps freed memory")
    with Folder() as folder:
        for name, blocks in (("small", 1), ("large", 64)):
            with open(folder.path(name), "wb") as file:
                for _ in range(blocks):
                    file.write(b'{"n":1,"name":"abcdefgh"}\n' * 40000)
        assert peak_kilobytes(folder.path("large")) < peak_kilobytes(folder.path("small")) + 1024


def test_interrupt():
    """SIGINT while a line is waited for ends the run with 130; what was judged is written."""
    run = subprocess.Popen([PROGRAM, "validate", "-s", OBJECT_SCHEMA, "--lines"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    run.stdin.write(b'{"n":1}\n{"n":9}\n')
    run.stdin.flush()
    told = run.stderr.readline()
    assert b"<stdin>:2:6 /n: " in told, told
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, b"") and b"cancelled" in err, (run.returncode, out, err)


def test_reader_went_away():
    with Folder() as folder:
        with open(folder.path("lines"), "wb") as file:
            file.write(b'{"n":1}\n' * 100000)
        read_end, write_end = os.pipe()
        run = subprocess.Popen([PROGRAM, "validate", "-s", OBJECT_SCHEMA, "--lines", "--output", "flag",
                                folder.path("lines")], stdout=write_end, stderr=subprocess.PIPE)
        os.close(write_end)
        os.read(read_end, 100)
        os.close(read_end)
        err = run.communicate(timeout=60)[1]
        assert run.returncode == 13 and err == b"", (run.returncode, err)


def test_progress_on_a_terminal():
    with Folder() as folder:
        with open(folder.path("lines"), "wb") as file:
            file.write(b'{"n":1}\n' * 200000 + b'{"n":9}\n')
        master, slave = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        run = subprocess.Popen([PROGRAM, "validate", "-s", OBJECT_SCHEMA, "--lines", "--output", "flag",
                                folder.path("lines")], stdout=subprocess.DEVNULL, stderr=slave, env=environment)
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                part = b""
            if not part:
                break
            shown += part
        os.close(master)
        assert run.wait(timeout=60) == 1
        assert b" of 1.6 MB" in shown and b"lines/s" in shown and shown.endswith(b"\r\x1b[K"), shown
        assert b"invalid" in shown, shown


main(globals())
