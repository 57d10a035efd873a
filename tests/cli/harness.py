"""What the tests of the program share: running it, and a table-driven way to say what must hold.

Every test is a function named test_...; main(globals()) runs them all with the path of the program, prints one
line for each failure, and ends with 1 if there was one.
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

OBJECT_SCHEMA = (
    '{"type":"object","properties":{"n":{"type":"integer","maximum":5},"name":{"type":"string"}},'
    '"required":["n"],"additionalProperties":false}')


class Skip(Exception):
    """Raised by a test that cannot run here, with the reason."""


class Run:
    """One run of the program: code, out and err as text."""

    def __init__(self, *arguments, stdin="", env=None, cwd=None, **options):
        environment = dict(os.environ)
        for name in list(environment):
            if name.startswith("STRUCTURE_") or name.endswith(("_API_KEY", "_BASE_URL", "_ENDPOINT")):
                environment.pop(name)
        for name in ("NO_COLOR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            environment.pop(name, None)
        environment["TERM"] = "xterm"
        environment["HOME"] = "/nonexistent"
        environment.update(env or {})
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        if "stdin_fd" in options:
            source = {"stdin": options.pop("stdin_fd")}
        else:
            source = {"input": data}
        options.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run([PROGRAM, *arguments], stderr=subprocess.PIPE, env=environment,
                              cwd=cwd, timeout=120, check=False, **source, **options)
        self.arguments = arguments
        self.code = done.returncode
        self.out = (done.stdout or b"").decode("utf-8", "strict")
        self.err = done.stderr.decode("utf-8", "strict")

    def expect(self, code, out=None, err=None, err_has=(), out_has=()):
        """Asserts the exit code, whole outputs (None: any) and parts of them."""
        shown = "%s\n  code %d\n  out: %r\n  err: %r" % (
            self.arguments, self.code, self.out[:2000], self.err[:2000])
        assert self.code == code, "expected code %d: %s" % (code, shown)
        assert out is None or self.out == out, "expected stdout %r: %s" % (out, shown)
        assert err is None or self.err == err, "expected stderr %r: %s" % (err, shown)
        for part in err_has:
            assert part in self.err, "stderr lacks %r: %s" % (part, shown)
        for part in out_has:
            assert part in self.out, "stdout lacks %r: %s" % (part, shown)
        return self

    def json(self):
        """stdout as one JSON document on one line."""
        assert self.out.endswith("\n") and self.out.count("\n") == 1, self.out[:2000]
        return json.loads(self.out)


class Folder:
    """A folder of files that is gone at the end: with Folder(name=text, ...) as folder."""

    def __init__(self, **files):
        self.files = files

    def __enter__(self):
        self.keeper = tempfile.TemporaryDirectory()
        for name, text in self.files.items():
            self.write(name, text)
        return self

    def __exit__(self, *_):
        self.keeper.cleanup()

    def path(self, name):
        return os.path.join(self.keeper.name, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def names(self):
        return sorted(os.listdir(self.keeper.name))


def main(names):
    failures = 0
    count = 0
    skipped = 0
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        count += 1
        try:
            test()
        except Skip as reason:
            skipped += 1
            print("skipped: %s: %s" % (name, reason))
        except Exception as fault:  # pylint: disable=broad-except
            failures += 1
            print("FAILED %s: %s: %s" % (name, type(fault).__name__, fault))
    print("%d tests, %d failed, %d skipped" % (count, failures, skipped))
    sys.exit(1 if failures else 0)
