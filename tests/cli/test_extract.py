"""`extract` without a model: every way in which a call fails before one is needed, and the dry run."""
import json
import os
import pty
import signal
import subprocess
import time

from harness import OBJECT_SCHEMA, PROGRAM, Folder, Run, main

NO_MODEL = {"STRUCTURE_MODEL_FILE": "/nonexistent/model.gguf"}


def extract(*words, **options):
    return Run("extract", *words, env=NO_MODEL, **options)


def test_prompts_and_targets():
    with Folder(prompt="some text", latin=b"caf\xe9") as folder:
        path = folder.path("prompt")
        for words, code, parts in [
                (["text"], 2, ["no target given", "-s SCHEMA"]),
                (["a", "b", "-s", OBJECT_SCHEMA], 2, ["extract takes one TEXT", "quotes"]),
                (["text", "-f", path, "-s", OBJECT_SCHEMA], 2, ["given twice"]),
                (["-f", folder.path("none"), "-s", OBJECT_SCHEMA], 2, ["No such file"]),
                (["-f", folder.keeper.name, "-s", OBJECT_SCHEMA], 2, ["Is a directory"]),
                (["-f", folder.path("latin"), "-s", OBJECT_SCHEMA], 2, ["UTF-8"]),
                (["", "-s", OBJECT_SCHEMA], 2, ["blank"]),
                ([" \n\t\u00a0 ", "-s", OBJECT_SCHEMA], 2, ["blank"]),
                (["-f", "/dev/null", "-s", OBJECT_SCHEMA], 2, ["blank"]),
                (["-f", "-", "-s", "-"], 2, ["standard input is named twice"]),
                (["-s", OBJECT_SCHEMA, "--instructions", "@-"], 2, ["standard input is named twice"]),
                (["text", "-s", folder.path("none")], 2, ["No such file"]),
                (["text", "-s", path], 3, [path + ":1:1: "]),
                (["text", "-s", '{"type":"string"}'], 3, ["--wrap-root"]),
                (["text", "-s", "{}"], 3, ["--wrap-root"]),
                (["text", "-s", '{"type":"object","requried":[]}'], 3, ["/requried: ", "required"]),
                (["text", "-s", '{"type":"object","pattern":"("}'], 3, ["/pattern: "]),
                (["text", "-s", OBJECT_SCHEMA, "--instructions", "@" + folder.path("none")], 2,
                 ["No such file"])]:
            extract(*words).expect(code, out="", err_has=["structure: ", *parts])
    extract("-s", OBJECT_SCHEMA, stdin="").expect(2, err_has=["blank"])


def test_no_prompt_on_a_terminal():
    """Nobody is left waiting for input that a person does not know is wanted."""
    leader, follower = pty.openpty()
    extract("-s", OBJECT_SCHEMA, stdin_fd=follower).expect(2, out="", err_has=["no prompt given", "-f FILE"])
    os.close(leader)
    os.close(follower)


def test_prompt_of_the_right_size():
    with Folder(huge="x" * (16 * 1024 * 1024 + 1)) as folder:
        extract("-f", folder.path("huge"), "-s", OBJECT_SCHEMA).expect(2, err_has=["16777216"])


def test_models():
    with Folder(text="no model at all", empty="") as folder:
        for model, code, parts in [
                ("openai/gpt-5", 5, ["OPENAI_API_KEY"]),
                ("fast", 5, ["no model or provider is called \"fast\"", "models list"]),
                ("nobody/x", 5, ["no provider is called \"nobody\""])]:
            extract("text", "-s", OBJECT_SCHEMA, "-m", model).expect(code, out="", err_has=parts)
        for path in [folder.path("none.gguf"), folder.path("text"), folder.path("empty"), folder.keeper.name]:
            done = extract("text", "-s", OBJECT_SCHEMA, "-m", path)
            # Without local models every file is refused alike.
            assert done.code in (2, 5) and done.out == "" and "structure: " in done.err, done.err
            assert done.err.count("\n") <= 2, done.err
    for model in [[], ["-m", "local"], ["-m", "default:fast"]]:
        done = extract("text", "-s", OBJECT_SCHEMA, *model)
        assert done.code in (2, 5) and done.out == "" and "\n  " in done.err, done.err


def test_failures_as_documents():
    for words in [["--result"], ["--json"], ["--grounding"]]:
        error = extract(" ", "-s", OBJECT_SCHEMA, *words).expect(2, err="").json()["error"]
        assert error["kind"] == "invalid-request" and "pointer" not in error, error
        error = extract("x", "-s", '{"type":"objct"}', *words).expect(3, err="").json()["error"]
        assert error["kind"] == "invalid-schema" and error["pointer"] == "/type", error


def test_messages_hold_no_content():
    secret = "Xyzzy42 plugh"
    for words in [[secret, "-s", OBJECT_SCHEMA], [secret, "-s", '{"type":"objct"}'], [secret],
                  [secret, "-s", OBJECT_SCHEMA, "-m", "openai/x", "-vv"]]:
        done = extract(*words)
        assert "Xyzzy42" not in done.err and "Xyzzy42" not in done.out, done.err


def test_wrap_root():
    """Pointers and references of the person's schema stay theirs."""
    schema = '{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/b"}},"b":{"type":"string"}}}'
    done = extract("text", "-s", schema, "--wrap-root")
    assert done.code in (2, 5) and "invalid-schema" not in done.err, done.err
    for schema, pointer in [('{"type":"arry"}', " /type: "), ('{"$ref":"#/$defs/none"}', " /$ref: ")]:
        extract("text", "-s", schema, "--wrap-root").expect(3, err_has=[pointer])
    extract("text", "-s", '{"type":', "--wrap-root").expect(3)
    for schema in ['{"enum":[{"$ref":"#"}]}', '{"type":"array","items":{"$ref":"#"}}',
                   '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"integer"}',
                   '{"properties":{"enum":{"$ref":"#/$defs/x"}},"$defs":{"x":true}}']:
        done = extract("text", "-s", schema, "--wrap-root")
        assert done.code in (2, 5) and "invalid-schema" not in done.err, (schema, done.err)


def test_dry_run():
    schema = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}'
    done = extract("the text", "-s", schema, "--dry-run", "--instructions", "be brief", "--seed", "7")
    if done.code == 2:
        return  # the file that stands for a missing default model is told as a wrong path
    shown = done.expect(0).json()
    assert any("the text" in message["content"] for message in shown["messages"]), shown
    assert any("be brief" in message["content"] for message in shown["messages"]), shown
    assert shown["seed"] == 7 and shown["wireSchema"]["required"] == ["a"], shown
    assert isinstance(shown["leftToValidator"], list), shown


def waits_for_input(pid):
    """The process catches SIGINT and sleeps: it is blocked in read()."""
    with open("/proc/%d/status" % pid, encoding="ascii") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["SigCgt"], 16) & 1 << signal.SIGINT - 1 and fields["State"].strip()[0] == "S"


def interrupted(words):
    """Starts the program reading a pipe that never ends, and sends SIGINT."""
    with subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        for _ in range(10000):
            if waits_for_input(process.pid):
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=60)
        return code, process.stdout.read(), process.stderr.read()


def test_interrupt():
    for words in [["extract", "-s", OBJECT_SCHEMA], ["validate", "-s", OBJECT_SCHEMA],
                  ["validate", "--lines", "-s", OBJECT_SCHEMA]]:
        code, out, err = interrupted(words)
        assert code == 130, (words, code, err)
        assert out == b"" and b"structure: cancelled: " in err, (words, out, err)
    code, out, _ = interrupted(["extract", "--json", "-s", OBJECT_SCHEMA])
    assert code == 130 and json.loads(out)["error"]["kind"] == "cancelled", out


main(globals())
