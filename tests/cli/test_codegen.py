"""C structs of schemas, from outside: every case of tests/codegen is generated, compiled without a warning, and its
values go through decode and encode unchanged. One program for all cases."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from harness import PROGRAM, ROOT, Run, Skip, main

CASES = [json.loads(line) for line in open(os.path.join(ROOT, "tests/codegen/cases.jsonl"), encoding="utf-8")]
BUILD = os.path.dirname(os.path.abspath(PROGRAM))
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", os.path.join(ROOT, "include")]

RUN = """
static int run_%(name)s(const char *text, size_t len)
{
    struct %(name)s value;
    structure_error *error = NULL;
    structure_schema *schema = NULL;
    char *out = NULL;
    if (%(name)s_schema(&schema, &error) != STRUCTURE_OK)
        return fail("schema", error);
    structure_schema_free(schema);
    if (%(name)s_decode(text, len, &value, &error) != STRUCTURE_OK)
        return fail("refused", error);
    if (%(name)s_encode(&value, &out, &len, &error) != STRUCTURE_OK)
        return fail("encode", error);
    puts(out);
    structure_text_free(out);
    %(name)s_free(&value);
    return 0;
}
"""

MAIN = """
static int fail(const char *what, structure_error *error)
{
    const char *pointer = structure_error_pointer(error);
    printf("%s %s: %s\\n", what, pointer == NULL ? "-" : pointer, structure_error_message(error));
    structure_error_free(error);
    return 1;
}
"""


def identifier(name):
    return "case_" + re.sub("[^a-z0-9]", "_", name)


def compiler(*names):
    for name in names:
        if shutil.which(name):
            return name
    raise Skip("no compiler here")


def sanitizers():
    """The flags that the library was built with, so that it can be linked to."""
    library = open(os.path.join(BUILD, "libstructure.so"), "rb").read()
    if b"__asan_init" not in library:
        return []
    return ["-fsanitize=address,undefined"]


def library_compiler():
    """A library with the sanitizers of one compiler goes with programs of the same one."""
    library = open(os.path.join(BUILD, "libstructure.so"), "rb").read()
    return "clang" if b"__asan_init" in library and b"clang" in library and shutil.which("clang") else compiler("cc", "gcc")


def generate(folder):
    for case in CASES:
        name = identifier(case["name"])
        done = Run("codegen", "--lang", "c", json.dumps(case["schema"]), "-n", name).expect(0)
        with open(os.path.join(folder, name + ".h"), "w", encoding="utf-8") as out:
            out.write(done.out)


def driver(folder):
    names = [identifier(case["name"]) for case in CASES]
    text = "".join("#define %s_IMPLEMENTATION\n#include \"%s.h\"\n" % (name.upper(), name) for name in names)
    text += "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" + MAIN
    text += "".join(RUN % {"name": name} for name in names)
    text += "\nstatic int (*const runs[])(const char *, size_t) = {\n" + ",\n".join("run_" + name for name in names) + "\n};\n"
    text += """
int main(void)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *end;
        unsigned long index = strtoul(line, &end, 10);
        (void)runs[index](end, strlen(end));
    }
    return 0;
}
"""
    path = os.path.join(folder, "main.c")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def test_every_case():
    assert len(CASES) >= 50
    with tempfile.TemporaryDirectory() as folder:
        generate(folder)
        main_c = driver(folder)
        program = os.path.join(folder, "main")
        for standard in ["-std=c99", "-std=c17"]:
            subprocess.run([compiler("cc", "gcc"), standard, *STRICT, "-fsyntax-only", main_c], check=True)
        subprocess.run([library_compiler(), "-std=c99", *STRICT, *sanitizers(), main_c, "-o", program, "-L", BUILD,
                        "-lstructure", "-Wl,-rpath," + BUILD], check=True)
        lines, expected = [], []
        for index, case in enumerate(CASES):
            for value in case["valid"] + case["invalid"]:
                lines.append("%d %s" % (index, json.dumps(value, ensure_ascii=False)))
                expected.append((case["name"], value, value in case["valid"]))
        done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr[-3000:]
        answers = done.stdout.splitlines()
        assert len(answers) == len(expected), (len(answers), len(expected))
        for answer, (name, value, is_valid) in zip(answers, expected):
            if is_valid:
                assert not answer.startswith("refused"), (name, value, answer)
                assert json.loads(answer) == value, (name, value, answer)
            else:
                assert answer.startswith("refused"), (name, value, answer)


def test_declarations_are_cxx():
    cxx = compiler("c++", "g++", "clang++")
    with tempfile.TemporaryDirectory() as folder:
        generate(folder)
        path = os.path.join(folder, "all.cpp")
        with open(path, "w", encoding="utf-8") as out:
            for case in CASES:
                out.write("#include \"%s.h\"\n" % identifier(case["name"]))
        subprocess.run([cxx, "-std=c++11", *STRICT, "-fsyntax-only", path], check=True)


def test_what_is_refused():
    Run("codegen", "--lang", "c", '{"anyOf":[{"type":"object","properties":{"a":true}},{"type":"object","properties":{"b":true}}],'
        '"type":"object"}').expect(6, out="")
    Run("codegen", "--lang", "c", '{"type":"array"}').expect(3, out="")
    Run("codegen", "--lang", "cobol", '{"type":"object"}').expect(2, out="")
    Run("codegen", '{"type":"object"}').expect(2, out="")
    Run("codegen", "--lang", "c").expect(2, out="")


def test_names():
    assert "struct Invoice {" in Run("codegen", "--lang", "c", os.path.join(ROOT, "examples/invoice.schema.json")).expect(0).out
    assert "struct bill {" in Run("codegen", "--lang", "c", "-n", "bill", '{"type":"object"}').expect(0).out
    assert "struct value {" in Run("codegen", "--lang", "c", '{"type":"object"}').expect(0).out
    assert "struct int_ {" in Run("codegen", "--lang", "c", "-n", "int", '{"type":"object"}').expect(0).out


main(globals())
