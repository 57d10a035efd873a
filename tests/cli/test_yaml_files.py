"""YAML files in every place of a document: schema, instance, resource; positions and refusals."""
from harness import OBJECT_SCHEMA, Folder, Run, Skip, main


def need_yaml(folder):
    if "built without YAML" in Run("validate", "-s", "{}", folder.write("probe.yaml", "1")).err:
        raise Skip("built without YAML")


def test_instance():
    with Folder() as folder:
        need_yaml(folder)
        Run("validate", "-s", OBJECT_SCHEMA, folder.write("good.yaml", "# five at most\nn: 5\n")).expect(0)
        Run("validate", "-s", OBJECT_SCHEMA, folder.write("bad.yml", "\nname: x\nn:   6\n")).expect(
            1, err_has=["bad.yml:3:6 /n: value must be ≤ 5"])


def test_schema_and_resource():
    with Folder() as folder:
        need_yaml(folder)
        schema = folder.write("schema.yaml", "properties:\n  n:\n    $ref: urn:part\n")
        part = folder.write("part.yaml", "$id: urn:part\ntype: integer\n")
        Run("validate", "-s", schema, "--resource", part, stdin='{"n":1}').expect(0)
        Run("validate", "-s", schema, "--resource", part, stdin='{"n":"1"}').expect(1)
        bad = folder.write("bad.yaml", "type: object\nminimum:\n  - 1\n")
        Run("validate", "-s", bad, stdin="{}").expect(3, err_has=["bad.yaml:3:3"])


def test_refusals():
    with Folder() as folder:
        need_yaml(folder)
        for text, words in [
                ("n: !!int 5\n", ["doc.yaml:1:4", "tags are not read"]),
                ("n: 1\nn: 2\n", ["doc.yaml:2:1", "already in the object"]),
                ("n: [1\n", ["doc.yaml:2:1", "expected ',' or ']'"]),
                ("n: " + "9" * 20000 + "\n", ["digits"])]:
            Run("validate", "-s", OBJECT_SCHEMA, folder.write("doc.yaml", text)).expect(2, err_has=words)
        text = "".join("- &a%d [%s]\n" % (i, ", ".join(["*a%d" % (i - 1)] * 9) if i else "x" * 99)
                       for i in range(100))
        Run("validate", "-s", "{}", "--max-size", "1M", folder.write("doc.yaml", text)).expect(
            2, err_has=["larger than the limit"])


main(globals())
