"""The command line itself: commands, options, help, where output goes, and the shape of errors."""
import os
import re
import subprocess

from harness import OBJECT_SCHEMA, PROGRAM, ROOT, Folder, Run, main

COMMANDS = ["extract", "validate", "schema check", "models list", "models test", "tool", "version", "help"]


def test_no_command():
    Run().expect(2, out="", err_has=["structure: invalid-request: no command given\n"])


def test_wrong_commands():
    for words, code, parts in [
            (["extratc"], 2, ["unknown command \"extratc\"", "did you mean: structure extract"]),
            (["valid"], 2, ["did you mean: structure validate"]),
            (["schema", "chek"], 2, ["did you mean: structure schema check"]),
            (["zzzzzz"], 2, ["structure help lists the commands"]),
            (["x" * 5000], 2, ["unknown command"]),
            (["serve"], 6, ["unsupported: the command \"serve\" is not built yet"]),
            (["schema", "diff", "a", "b"], 6, ["\"schema diff\" is not built yet"]),
            (["models", "pull"], 6, ["\"models pull\" is not built yet"])]:
        Run(*words).expect(code, out="", err_has=parts)


def test_wrong_options():
    for words, parts in [
            (["extract", "--max-lops", "3"], ["unknown option --max-lops", "did you mean --max-loops?"]),
            (["validate", "--shcema=x"], ["did you mean --schema?"]),
            (["validate", "--qqqqqq"], ["unknown option --qqqqqq", "structure help validate"]),
            (["validate", "-z"], ["unknown option -z"]),
            (["extract", "-\x01"], ["unknown option -?"]),
            (["validate", "-s"], ["option -s needs an argument: SCHEMA"]),
            (["validate", "--schema"], ["option --schema needs an argument: SCHEMA"]),
            (["validate", "--lines=yes"], ["option --lines takes no argument"]),
            (["validate", "--color", "alwys"], ["did you mean always?"]),
            (["--colour", "never", "version"], ["did you mean --color?"]),
            (["validate", "--output", "humn"], ["did you mean human?"]),
            (["validate", "--max-errors", "0"], ["whole number from 1 to"]),
            (["validate", "--max-errors", "99999999999999999999"], ["whole number"]),
            (["validate", "--max-errors", "5x"], ["whole number"]),
            (["validate", "--max-size", "4Q"], ["a size such as"]),
            (["extract", "--max-loops", "11"], ["from 1 to 10"]),
            (["extract", "--max-loops", "-1"], ["from 1 to 10"]),
            (["extract", "--timeout", "30"], ["a duration such as"]),
            (["extract", "--deadline", "99h"], ["a duration such as"]),
            (["extract", "--temperature", "3"], ["a number from 0 to 2"]),
            (["extract", "--temperature", "0,5"], ["a number from 0 to 2"]),
            (["extract", "--seed", "x"], ["a whole number"]),
            (["extract", "--grounded", "maybe"], ["auto, on, off"]),
            (["version", "x"], ["version takes no operand"]),
            (["models", "list", "x", "y"], ["models list takes one PROVIDER"]),
            (["schema", "check"], ["schema check takes one FILE"]),
            (["schema", "check", "a", "b"], ["schema check takes one FILE"])]:
        Run(*words).expect(2, out="", err_has=["structure: invalid-request: ", *parts])


def test_options_that_are_not_built():
    for words in [["extract", "-n", "x"], ["extract", "-d", "x"]]:
        Run(*words).expect(6, out="", err_has=["structure: unsupported: ", "not built yet\n  "])


def test_errors_as_json():
    error = Run("--json", "extract", "--max-lops").expect(2, err="").json()["error"]
    assert error["kind"] == "invalid-request" and "max-lops" in error["message"], error
    assert error["hint"] == "did you mean --max-loops?", error
    error = Run("validate", "--json", "-s", '{"type":"objct"}').expect(3, err="").json()["error"]
    assert (error["kind"], error["pointer"]) == ("invalid-schema", "/type"), error
    assert (error["line"], error["column"]) == (1, 9), error
    assert "retryAfterMs" not in error, error


def test_spellings_of_options():
    instance = '{"n":1}'
    for words in [["-s", OBJECT_SCHEMA], ["-s" + OBJECT_SCHEMA], ["--schema=" + OBJECT_SCHEMA],
                  ["--schema", OBJECT_SCHEMA], ["-qs", OBJECT_SCHEMA], ["-s", OBJECT_SCHEMA, "-"],
                  ["-", "-s", OBJECT_SCHEMA], ["-s", OBJECT_SCHEMA, "--", "-"]]:
        Run("validate", *words, stdin=instance).expect(0, out="", err="")
    Run("-q", "validate", "-s", OBJECT_SCHEMA, stdin=instance).expect(0)
    with Folder(**{"-odd": instance}) as folder:
        Run("validate", "-s", OBJECT_SCHEMA, "--", "-odd", cwd=folder.keeper.name).expect(0)
        Run("validate", "-s", OBJECT_SCHEMA, "--", "--help", cwd=folder.keeper.name).expect(2)


def test_help_shows_every_option():
    whole = Run("help").expect(0, err="").out
    for command in COMMANDS:
        assert "\n  " + command in whole, command
        by_name = Run("help", *command.split()).expect(0, err="").out
        by_option = Run(*command.split(), "--help").expect(0, err="").out
        assert by_name == by_option, command
        assert by_name.startswith("structure " + command), command
        for line in by_name.split("\n"):
            assert len(line) <= 80, line
    Run("--help").expect(0, out=whole, err="")
    for group, command in [("schema", "schema check"), ("models", "models list")]:
        Run(group, "--help").expect(0, out=Run("help", *command.split()).out)
        Run("help", group).expect(0, out=Run("help", *command.split()).out)
    Run("schema").expect(2, err_has=["schema check takes one FILE"])
    Run("help", "extratc").expect(2, out="", err_has=["did you mean: structure extract"])


def test_help_and_parser_agree():
    """Every option that the help of a command shows is known to it, and takes an argument if it says so."""
    for command in COMMANDS:
        words = command.split()
        shown = re.findall(r"^ {2}(?:-\w, | {4})--([a-z-]+)( [A-Z@|]+)?", Run("help", *words).out, re.M)
        assert len(shown) >= 5, command
        for name, argument in shown:
            done = Run(*words, "--" + name, "--help")
            assert "unknown option" not in done.err, (command, name)
            if argument:
                done = Run(*words, "--help", "--" + name)
                assert "needs an argument:" + argument in done.err, (command, name, done.err)


def test_man_pages_mention_every_option():
    pages = {"extract": "structure-extract.1", "validate": "structure-validate.1",
             "schema check": "structure-schema.1", "models list": "structure-models.1",
             "models test": "structure-models.1", "tool": "structure-tool.1",
             "version": "structure.1", "help": "structure.1"}
    common = open(os.path.join(ROOT, "docs/man/structure.1.scd"), encoding="utf-8").read()
    for command, name in pages.items():
        page = open(os.path.join(ROOT, "docs/man", name + ".scd"), encoding="utf-8").read() + common
        for option in re.findall(r"--[a-z][a-z-]+", Run("help", *command.split()).out):
            assert option.replace("-", "\\-") in page or option in page, (command, option)
    for code in list(range(0, 14)) + [70, 130]:
        assert re.search(r"^\| +\*%d\*$" % code, common, re.M), "exit code %d" % code


def test_version():
    out = Run("version").expect(0, err="").out
    header = open(os.path.join(ROOT, "include/structure.h"), encoding="utf-8").read()
    version = re.search(r'STRUCTURE_VERSION +"([0-9.]+)"', header).group(1)
    assert out.split("\n")[0] == "structure " + version, out
    for words in [["--version"], ["-V"]]:
        Run(*words).expect(0, out=out, err="")
    assert Run("version", "--json").expect(0).json()["version"] == version


def test_closed_stdout():
    """A reader that goes away ends the program quietly; an output that cannot be written is told."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    Run("help", stdout=write_end).expect(13, err="")
    os.close(write_end)
    with open("/dev/full", "wb") as full:
        Run("version", stdout=full).expect(
            13, err="structure: store: cannot write standard output: No space left on device\n")
    closed = subprocess.run(["sh", "-c", '"$0" version >&-', PROGRAM], stderr=subprocess.PIPE, check=False)
    assert closed.returncode == 13, closed
    assert b"cannot write standard output: Bad file descriptor" in closed.stderr, closed
    # Words do not depend on stderr being there, nor data on stdin.
    closed = subprocess.run(["sh", "-c", '"$0" version 2>&- <&-', PROGRAM], stdout=subprocess.PIPE,
                            check=False)
    assert closed.returncode == 0 and closed.stdout.startswith(b"structure "), closed
    closed = subprocess.run(["sh", "-c", '"$0" validate -s "{}" <&-', PROGRAM], stderr=subprocess.PIPE,
                            check=False)
    assert closed.returncode == 2 and b"cannot read" in closed.stderr, closed


def test_output_file():
    with Folder(old="before", target="before") as folder:
        path = folder.path("out")
        Run("version", "-o", path).expect(0, out="", err="")
        assert folder.read("out").startswith("structure "), folder.read("out")
        Run("version", "-o", folder.path("old")).expect(0)
        assert folder.read("old").startswith("structure ")
        os.chmod(path, 0o640)
        Run("version", "-o", path).expect(0)
        assert os.stat(path).st_mode & 0o777 == 0o640
        os.symlink("target", folder.path("link"))
        Run("version", "-o", folder.path("link")).expect(0)
        assert os.path.islink(folder.path("link")) and folder.read("target").startswith("structure ")
        Run("version", "-o", folder.path("none/out")).expect(
            2, err_has=["cannot write", "No such file or directory"])
        Run("version", "-o", folder.keeper.name).expect(2, err_has=["Is a directory"])
        Run("version", "-o", "/dev/full").expect(13, err_has=["No space left on device"])
        Run("version", "-o", "/dev/null").expect(0, out="", err="")
        Run("version", "-o", "-").expect(0, out_has=["structure "])
        assert folder.names() == ["link", "old", "out", "target"], folder.names()


def test_full_disk_leaves_the_old_file():
    """A limit on the size of files stands for a full disk: the write fails in the middle."""
    with Folder(out="before\n") as folder:
        script = 'trap "" XFSZ; ulimit -f 0; exec "$0" help -o "$1"'
        done = subprocess.run(["bash", "-c", script, PROGRAM, folder.path("out")],
                              stderr=subprocess.PIPE, check=False)
        assert done.returncode == 13, done
        assert b"structure: store: cannot write" in done.stderr, done
        assert folder.read("out") == "before\n" and folder.names() == ["out"], folder.names()


def test_failure_leaves_the_old_file():
    with Folder(out="before\n") as folder:
        Run("extract", "text", "-s", '{"type":"objct"}', "-o", folder.path("out")).expect(3)
        assert folder.read("out") == "before\n" and folder.names() == ["out"], folder.names()


def test_color():
    wrong = ["validate", "-s", '{"type":"objct"}']
    assert "\033[" not in Run(*wrong).err
    assert "\033[" in Run(*wrong, "--color", "always").err
    assert "\033[" in Run(*wrong, "--color", "always", env={"NO_COLOR": "1"}).err
    assert "\033[" not in Run(*wrong, "--color=never").err
    assert "\033[" not in Run(*wrong, "--color", "auto", env={"NO_COLOR": "1"}).err


def test_models():
    listed = Run("models", "list", env={"STRUCTURE_MODEL_FILE": "/nonexistent/model.gguf"}).expect(0, err="")
    assert "STRUCTURE_MODEL_FILE" in listed.out and "not usable" in listed.out, listed.out
    model = Run("models", "--json", env={"STRUCTURE_MODEL_FILE": "/nonexistent/model.gguf"}).json()["models"][0]
    assert model["path"] == "/nonexistent/model.gguf" and model["present"] is False, model
    assert model["error"]["kind"] in ("not-configured", "invalid-request"), model


main(globals())
