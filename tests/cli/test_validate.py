"""`validate` and `schema check`: verdicts, forms, positions, limits, exit codes."""
import json

from harness import OBJECT_SCHEMA, Folder, Run, main


def test_verdicts():
    for instance, code in [('{"n":1}', 0), ('{"n":6}', 1), ('{}', 1), ('[]', 1), ('{"n":1.0}', 0),
                           ('{"n":1,"x":2}', 1), ('{"n":1', 2), ('', 2), ('  ', 2), ('{"n":1}x', 2),
                           ('{"n":1,"n":2}', 2), ('{"n":01}', 2), ('\ufeff{"n":1}', 2)]:
        Run("validate", "-s", OBJECT_SCHEMA, stdin=instance).expect(code, out="")
    Run("validate", "-s", OBJECT_SCHEMA, stdin=b'{"n":1,"name":"\xff"}').expect(2, out="")


def test_boolean_schemas_and_files():
    with Folder(true="true", false="false", instance="1") as folder:
        Run("validate", "-s", folder.path("true"), folder.path("instance")).expect(0)
        Run("validate", "-s", folder.path("false"), folder.path("instance")).expect(1)


def test_human_form():
    text = '{\n  "n": 7,\n  "nam": "x"\n}\n'
    with Folder(**{"i.json": text}) as folder:
        path = folder.path("i.json")
        Run("validate", "-s", OBJECT_SCHEMA, path).expect(1, out="", err=(
            path + ":2:8 /n: value must be \u2264 5 (expected maximum 5)\n"
            "     2 |   \"n\": 7,\n"
            "       |        ^\n"
            "  schema: /properties/n/maximum\n"
            + path + ":3:3 /nam: member \"nam\" is not allowed (expected additionalProperties false)\n"
            "     3 |   \"nam\": \"x\"\n"
            "       |   ^^^^^\n"
            "  schema: /additionalProperties\n"
            "  hint: did you mean \"name\"?\n"))


def test_human_form_of_hostile_text():
    """No control character of an instance reaches the terminal, and no line of source is wider than it."""
    name = "\\u001b[31m\\u202e"
    instance = '{"n":1,"' + "a" * 5000 + '":"' + name + '","' + name + '":' + '"' + "b" * 5000 + '"}'
    done = Run("validate", "-s", OBJECT_SCHEMA, stdin=instance).expect(1, out="")
    assert "\033" not in done.err and "\u202e" not in done.err, done.err
    for line in done.err.split("\n"):
        if " | " in line:
            assert len(line) <= 80, line
    done = Run("validate", "-s", OBJECT_SCHEMA, stdin='{"n":"\u202e\u009b"}').expect(1)
    assert "\u202e" not in done.err and "\u009b" not in done.err, done.err


def test_machine_forms():
    Run("validate", "-s", OBJECT_SCHEMA, "--output", "flag", stdin='{"n":1}').expect(
        0, out='{"valid":true}\n', err="")
    Run("validate", "-s", OBJECT_SCHEMA, "--output", "flag", stdin='{"n":9}').expect(
        1, out='{"valid":false}\n', err="")
    basic = Run("validate", "-s", OBJECT_SCHEMA, "--output", "basic", stdin='{"n":9}').expect(1, err="").json()
    unit = basic["errors"][0]
    assert basic["valid"] is False and unit["instanceLocation"] == "/n", basic
    assert unit["keywordLocation"] == "/properties/n/maximum" and unit["error"], basic


def test_report():
    with Folder(**{"a": '{"n":1}', "b": '{"n":\n9}', "c": '{"n":\n'}) as folder:
        report = Run("validate", "--json", "-s", OBJECT_SCHEMA, folder.path("a"), folder.path("b"),
                     folder.path("c"), folder.path("none")).expect(2, err="").json()
    valid = [entry["valid"] for entry in report["instances"]]
    assert report["valid"] is False and valid == [True, False, False, False], report
    violation = report["instances"][1]["violations"][0]
    assert (violation["pointer"], violation["keyword"], violation["limit"]) == ("/n", "maximum", 5), violation
    assert (violation["line"], violation["column"]) == (2, 1), violation
    error = report["instances"][2]["error"]
    assert (error["kind"], error["line"]) == ("invalid-request", 2), error
    assert "line" not in error["message"], error
    assert report["instances"][3]["error"]["kind"] == "invalid-request", report


def test_lines():
    text = '{"n":1}\n{"n":9}\n\n  \r\n{"n":\n{"n":2}'
    done = Run("validate", "-s", OBJECT_SCHEMA, "--lines", "--output", "flag", stdin=text).expect(2)
    lines = done.out.split("\n")
    assert [lines[0], lines[1], *lines[3:]] == ['{"valid":true}', '{"valid":false}', '{"valid":true}', ""], done.out
    assert lines[2].startswith('{"valid":false,"error":{"kind":"invalid-request",'), done.out
    assert done.err.startswith("structure: invalid-request: <stdin>:5:6: "), done.err
    done = Run("validate", "-s", OBJECT_SCHEMA, "--lines", "--output", "flag", "--json", stdin=text).expect(2, err="")
    error = json.loads(done.out.split("\n")[2])["error"]
    assert error["kind"] == "invalid-request" and error["line"] == 5, error
    done = Run("validate", "-s", OBJECT_SCHEMA, "--lines", stdin=text).expect(2, out="")
    assert "<stdin>:2:6 /n: " in done.err and "     2 | {\"n\":9}\n" in done.err, done.err
    assert "structure: invalid-request: <stdin>:5:" in done.err, done.err
    report = Run("validate", "-s", OBJECT_SCHEMA, "--lines", "--json", stdin=text).expect(2, err="").json()
    assert [entry["line"] for entry in report["instances"]] == [1, 2, 5, 6], report
    Run("validate", "-s", OBJECT_SCHEMA, "--lines", stdin="").expect(0)
    long_line = '{"n":1,"name":"' + "x" * 300000 + '"}'
    text = long_line + "\n" + '{"n":1}' + "\n"
    Run("validate", "-s", OBJECT_SCHEMA, "--lines", "--output", "flag", "--max-size", "64K", stdin=text).expect(
        2, err_has=["--max-size"], out_has=['{"valid":true}\n'])
    Run("validate", "-s", OBJECT_SCHEMA, "--lines", "--output", "flag", stdin=text).expect(
        0, out='{"valid":true}\n{"valid":true}\n')


def test_worst_code_and_every_instance():
    with Folder(good='{"n":1}', bad='{"n":9}', broken="{") as folder:
        good, bad, broken = (folder.path(name) for name in ("good", "bad", "broken"))
        schema = ["validate", "-s", OBJECT_SCHEMA]
        Run(*schema, good, good).expect(0)
        Run(*schema, bad, good).expect(1)
        done = Run(*schema, broken, bad, folder.keeper.name, folder.path("none")).expect(2, out="")
        for part in [broken + ":1:", "/n: ", "Is a directory", "No such file"]:
            assert part in done.err, done.err


def test_schema_faults():
    with Folder(broken='{"type":', latin=b'{"title":"\xe9"}') as folder:
        for schema, code, parts in [
                (folder.path("broken"), 3, ["invalid-schema: " + folder.path("broken") + ":1:9: "]),
                (folder.path("latin"), 3, ["invalid-schema: "]),
                (folder.path("none"), 2, ["No such file or directory"]),
                (folder.keeper.name, 2, ["Is a directory"]),
                ('{"type":"objct"}', 3, ["<argument>:1:9 /type: ", "did you mean \"object\"?"]),
                ('{"$ref":"#/$defs/a"}', 3, ["/$ref"]),
                ('{"$ref":"#"}', 3, ["/$ref"]),
                ('{"$ref":"https://example.com/s"}', 3, ["/$ref"])]:
            Run("validate", "-s", schema, stdin="1").expect(code, out="", err_has=parts)
    Run("validate", stdin="1").expect(2, err_has=["no schema given", "-s SCHEMA"])
    Run("validate", "-s", "-", "-", stdin="{}").expect(2, err_has=["standard input is named twice"])
    Run("validate", "-s", "-", stdin="{}").expect(2, err_has=["standard input is named twice"])


def test_unknown_keywords():
    schema = '{"requried":["n"]}'
    Run("validate", "-s", schema, stdin="{}").expect(
        0, err_has=["structure: warning: <argument>:1:13 /requried: ", "did you mean \"required\"?"])
    Run("validate", "-q", "-s", schema, stdin="{}").expect(0, err="")
    Run("validate", "--unknown-keywords", "allow", "-s", schema, stdin="{}").expect(0, err="")
    Run("validate", "--unknown-keywords", "error", "-s", schema, stdin="{}").expect(3)


def test_limits_and_duplicates():
    any_schema = ["validate", "-s", "{}"]
    Run(*any_schema, stdin="[" * 200 + "]" * 200).expect(2, err_has=["128", "--max-depth"])
    Run(*any_schema, "--max-depth", "300", stdin="[" * 200 + "]" * 200).expect(0)
    Run(*any_schema, "--max-nodes", "3", stdin="[1,2,3]").expect(2, err_has=["3", "--max-nodes"])
    Run(*any_schema, "--max-digits", "4", stdin="12345").expect(2, err_has=["4", "--max-digits"])
    Run(*any_schema, "--max-size", "4", stdin="12345").expect(2, err_has=["limit of 4 bytes", "--max-size"])
    Run(*any_schema, stdin='{"a":1,"a":2}').expect(2)
    Run("validate", "-s", '{"properties":{"a":{"const":2}}}', "--duplicate-keys", "last",
        stdin='{"a":1,"a":2}').expect(0)
    Run(*any_schema, stdin="[" * 1000000).expect(2, out="")
    Run(*any_schema, stdin="9" * 5000).expect(0)


def test_max_errors():
    schema = '{"items":{"type":"string"}}'
    instance = json.dumps(list(range(50)))
    done = Run("validate", "-s", schema, "--max-errors", "3", stdin=instance).expect(1)
    assert done.err.count("<stdin>:1:") == 3 and "--max-errors" in done.err, done.err


def test_formats():
    schema = '{"format":"date"}'
    Run("validate", "-s", schema, stdin='"2026-02-30"').expect(1)
    Run("validate", "--no-format", "-s", schema, stdin='"2026-02-30"').expect(0)


def test_report_to_a_file():
    with Folder() as folder:
        Run("validate", "-s", OBJECT_SCHEMA, "-o", folder.path("out"), stdin='{"n":9}').expect(1, out="", err="")
        assert "<stdin>:1:6 /n: " in folder.read("out")


def test_schema_check():
    Run("schema", "check", OBJECT_SCHEMA).expect(0, out="", err="structure: <argument>: the schema is valid\n")
    Run("schema", "check", "-q", OBJECT_SCHEMA).expect(0, out="", err="")
    assert Run("schema", "check", "--json", OBJECT_SCHEMA).json() == {"valid": True, "warnings": []}
    checked = Run("schema", "check", "--json", '{"requried":[]}').expect(0, err="").json()
    assert checked["warnings"][0]["pointer"] == "/requried", checked
    Run("schema", "check", "--for", "extract", '{"requried":[]}').expect(3)
    Run("schema", "check", "--for", "extract", '{"type":"string"}').expect(3, err_has=["--wrap-root"])
    Run("schema", "check", '{"type":"string"}').expect(0)
    Run("schema", "check", "-", stdin='{"type":"objct"}').expect(3, err_has=["<stdin>:1:9 /type: "])
    Run("schema", "check", "--json", '{"type":"objct"}').expect(3, err="")


main(globals())
