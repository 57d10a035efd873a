"""Models behind providers, from outside: each protocol over a socket, keys, configuration, records, stopping."""
import json
import os
import signal
import subprocess
import time

from fake_provider import Provider, Reply
from harness import OBJECT_SCHEMA, PROGRAM, ROOT, Folder, Run, Skip, main

KEY = "sk-MARKER-of-a-key-0123456789"
GOOD = '{"n":3,"name":"Ada"}'
BAD = '{"n":9}'

# provider, model, protocol, variable of the key, header of the key, path of the request
PROVIDERS = [
    ("anthropic", "claude-haiku-4-5", "messages", "ANTHROPIC", "x-api-key", "/v1/messages"),
    ("openai", "gpt-5-mini", "responses", "OPENAI", "authorization", "/v1/responses"),
    ("openai-chat", "gpt-4o", "chat", "OPENAI", "authorization", "/v1/chat/completions"),
    ("gemini", "gemini-3.8-flash", "generate-content", "GEMINI", "x-goog-api-key", "/v1beta/models/gemini-3.8-flash:"),
    ("compat", "some/model", "chat", "STRUCTURE_COMPAT", "authorization", "/v1/chat/completions"),
    ("ollama", "qwen3:0.6b", "chat", "OLLAMA", "authorization", "/v1/chat/completions"),
    ("mistral", "mistral-small-latest", "chat", "MISTRAL", "authorization", "/v1/chat/completions"),
    ("openrouter", "openai/gpt-4o", "chat", "OPENROUTER", "authorization", "/v1/chat/completions"),
]


def run(*words, **options):
    """A run in which the key must not be seen."""
    done = Run(*words, **options)
    assert "MARKER" not in done.out + done.err, "the key is shown: %r %r" % (done.out, done.err)
    return done


def extract(*words, **options):
    return run("extract", "Ada has three.", "-s", OBJECT_SCHEMA, *words, **options)


def needs_http():
    done = Run("version", "--json").json()
    if not done["providers"]:
        raise Skip("built without providers over a network")


def environment(provider, variable):
    return {variable + "_API_KEY": KEY, variable + "_BASE_URL": provider.url}


def schema_of(body):
    """The wire schema, wherever the protocol has it, and whether it is to be enforced."""
    if "output_config" in body:
        return body["output_config"]["format"]["schema"]
    if "text" in body:
        assert body["text"]["format"]["strict"] is True
        return body["text"]["format"]["schema"]
    if "response_format" in body:
        return body["response_format"]["json_schema"]["schema"]
    return body["generationConfig"]["responseJsonSchema"]


def test_each_provider():
    needs_http()
    for name, model, protocol, variable, header, path in PROVIDERS:
        for words, streamed in [([], True), (["--no-stream"], False)]:
            with Provider(protocol, GOOD) as provider:
                done = extract("-m", name + "/" + model, *words, env=environment(provider, variable))
                done.expect(0, out=GOOD + "\n", err="")
                assert len(provider.requests) == 1, (name, len(provider.requests))
                request = provider.requests[0]
                assert request.path.startswith(path), request.path
                assert request.stream == streamed, name
                value = request.headers[header]
                assert value == (("Bearer " if header == "authorization" else "") + KEY), name
                assert "temperature" not in json.dumps(request.body), request.body
                assert "cookie" not in request.headers and "referer" not in request.headers
                schema = schema_of(request.body)
                assert schema.get("type") == "object" or "anyOf" in schema, request.body


def test_local_servers_need_no_key():
    needs_http()
    with Provider("chat", GOOD) as provider:
        extract("-m", "llama-server", "--base-url", provider.url).expect(0, out=GOOD + "\n")
        assert "authorization" not in provider.requests[0].headers
        assert provider.requests[0].body["model"] == "default"


def test_azure_has_its_own_path_and_header():
    needs_http()
    with Provider("chat", GOOD) as provider:
        extract("-m", "azure/my-gpt", env={"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": provider.root}).expect(0)
        assert provider.requests[0].path == "/openai/v1/chat/completions"
        assert provider.requests[0].headers["api-key"] == KEY
        assert "authorization" not in provider.requests[0].headers


def test_a_reply_that_does_not_conform_is_asked_for_again():
    needs_http()
    for name, model, protocol, variable, _, _ in PROVIDERS[:5]:
        with Provider(protocol, BAD, GOOD) as provider:
            done = extract("-m", name + "/" + model, "--result", env=environment(provider, variable)).expect(0)
            result = done.json()
            assert (result["status"], result["iterations"]) == ("ok", 2), result
            assert result["usage"]["modelCalls"] == 2, result
            second = json.dumps(provider.requests[1].body)
            assert "/n" in second and "Ada has three." in second, second


def test_need_more_input_and_stale():
    needs_http()
    with Provider("messages", '{"_need":"how many"}') as provider:
        extract("-m", "anthropic", env=environment(provider, "ANTHROPIC")).expect(10, out="", err_has=["how many"])
    with Provider("messages", BAD) as provider:
        extract("-m", "anthropic", "--max-loops", "2", env=environment(provider, "ANTHROPIC")).expect(
            11, out="", err_has=["stale", "/n"])
        assert len(provider.requests) == 2


def test_without_a_key():
    needs_http()
    for name, variable in [("anthropic", "ANTHROPIC_API_KEY"), ("openai/gpt-5", "OPENAI_API_KEY"),
                           ("gemini", "GEMINI_API_KEY"), ("groq", "GROQ_API_KEY")]:
        done = extract("-m", name).expect(5, out="", err_has=["not-configured", variable])
        assert done.err.count("\n") <= 2, done.err
    extract("-m", "compat/x").expect(5, err_has=["STRUCTURE_COMPAT_BASE_URL"])
    extract("-m", "azure/x", env={"AZURE_OPENAI_API_KEY": KEY}).expect(5, err_has=["AZURE_OPENAI_ENDPOINT"])


def test_a_wrong_key():
    needs_http()
    body = {"type": "error", "error": {"type": "authentication_error", "message": "invalid BODYTEXT"}}
    with Provider("messages", Reply(status=401, body=body, headers={"request-id": "req_77"})) as provider:
        env = environment(provider, "ANTHROPIC")
        done = extract("-m", "anthropic", env=env).expect(7, out="", err_has=["rejected", "ANTHROPIC_API_KEY"])
        assert "BODYTEXT" not in done.err and len(provider.requests) == 1, done.err
        extract("-m", "anthropic", "--show-values", env=env).expect(7, out="")
        error = extract("-m", "anthropic", "--json", env=env).expect(7, err="").json()["error"]
        assert error["kind"] == "rejected", error


def test_try_later():
    needs_http()
    body = {"error": {"type": "rate_limit_exceeded", "code": "rate_limit_exceeded", "message": "slow"}}
    with Provider("chat", Reply(status=429, body=body, headers={"retry-after": "600"})) as provider:
        done = extract("-m", "openai-chat/gpt-4o", "--json", env=environment(provider, "OPENAI")).expect(8, err="")
        error = done.json()["error"]
        assert error["kind"] == "transient" and error["retryAfterMs"] == 600000, error
        assert len(provider.requests) == 1
    with Provider("chat", Reply(status=503, body={"error": {"message": "x"}}), GOOD) as provider:
        done = extract("-m", "openai-chat/gpt-4o", "-v", "--result", env=environment(provider, "OPENAI")).expect(0)
        assert done.json()["usage"]["modelCalls"] == 2, done.out
        assert done.err.count("structure: ") >= 4, done.err


def test_quota_is_not_tried_again():
    needs_http()
    body = {"error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "no money"}}
    with Provider("chat", Reply(status=429, body=body)) as provider:
        extract("-m", "openai-chat/gpt-4o", env=environment(provider, "OPENAI")).expect(7, out="")
        assert len(provider.requests) == 1


def test_nobody_is_there():
    needs_http()
    extract("-m", "compat/x", "--base-url", "http://127.0.0.1:1/v1").expect(
        9, out="", err_has=["transport", "cannot connect", "http://127.0.0.1:1/v1"])
    for url in ["nonsense", "ftp://x/", "http://", "file:///etc/passwd", "http://a b/"]:
        done = extract("-m", "compat/x", "--base-url", url)
        assert done.code == 2 and done.out == "", (url, done.code, done.err)


def test_a_stream_that_is_cut():
    needs_http()
    for name, model, protocol, variable, _, _ in PROVIDERS[:5]:
        with Provider(protocol, Reply(GOOD, cut=True)) as provider:
            done = extract("-m", name + "/" + model, "--timeout", "8s", env=environment(provider, variable))
            assert done.code == 9 and done.out == "", (name, done.code, done.err)


def test_names_of_models():
    for name, code, parts in [
            ("antropic/claude", 5, ["no provider is called \"antropic\"", "did you mean \"anthropic/...\"?"]),
            ("opnai", 5, ["did you mean \"openai\"?"]),
            ("openai/", 5, ["openai/MODEL"]),
            ("compat", 5, ["compat/MODEL"]),
            ("openai/a b", 2, ["control character"]),
            ("local/x", 5, ["have no names"])]:
        extract("-m", name).expect(code, out="", err_has=parts)


def test_unknown_model_is_noted():
    needs_http()
    with Provider("messages", GOOD) as provider:
        env = environment(provider, "ANTHROPIC")
        extract("-m", "anthropic/claude-next-9", env=env).expect(0, out=GOOD + "\n", err="")
        done = extract("-v", "-m", "anthropic/claude-next-9", env=env).expect(0)
        assert "no row names the model \"claude-next-9\"" in done.err, done.err


def test_default_model():
    needs_http()
    with Provider("messages", GOOD) as provider, Folder() as folder:
        env = {**environment(provider, "ANTHROPIC"), "STRUCTURE_MODEL": "anthropic"}
        extract(env=env).expect(0, out=GOOD + "\n")
        config = folder.write("config.json", json.dumps({"aliases": {"default:fast": "anthropic/claude-haiku-4-5"}}))
        extract(env={**environment(provider, "ANTHROPIC"), "STRUCTURE_CONFIG": config}).expect(0)
        config = folder.write("c2.json", json.dumps({"model": "mine", "aliases": {"mine": "anthropic/claude-opus-4-5"}}))
        extract(env={**environment(provider, "ANTHROPIC"), "STRUCTURE_CONFIG": config}).expect(0)
        assert [r.body["model"] for r in provider.requests] == ["claude-haiku-4-5"] * 2 + ["claude-opus-4-5"]


def test_strict_or_not():
    needs_http()
    with Provider("chat", "```json\n" + GOOD + "\n```") as provider:
        env = environment(provider, "DEEPSEEK")
        extract("-m", "deepseek", env=env).expect(6, out="", err_has=["--no-strict"])
        assert not provider.requests
        extract("-m", "deepseek", "--no-strict", env=env).expect(0, out=GOOD + "\n")
        body = provider.requests[0].body
        assert body["response_format"] == {"type": "json_object"}, body
        assert "json" in json.dumps(body["messages"]).lower()


def test_options_of_providers_are_not_for_local_models():
    env = {"STRUCTURE_MODEL_FILE": "/nonexistent/model.gguf"}
    for words in [["--base-url", "http://x/"], ["--record", "d"], ["--replay", "d"], ["--ca-file", "f"], ["--no-stream"]]:
        extract("-m", "local", *words, env=env).expect(2, out="", err_has=["for a provider", words[0]])


def test_dry_run():
    """What would be sent, without a key and without a server; what is sent is what was shown."""
    needs_http()
    for name, model, protocol, variable, header, path in PROVIDERS:
        with Provider(protocol, GOOD) as provider:
            base = {variable + "_BASE_URL": provider.url}
            shown = extract("--dry-run", "-m", name + "/" + model, env=base).expect(0, err="").json()
            assert not provider.requests
            extract("--dry-run", "-m", name + "/" + model, env=environment(provider, variable)).expect(0)
            assert path in shown["url"] and shown["url"].startswith(provider.root), shown["url"]
            extract("-m", name + "/" + model, env=environment(provider, variable)).expect(0)
            assert shown["body"] == provider.requests[0].body, (name, shown["body"], provider.requests[0].body)
            names = [h["name"].lower() for h in shown["headers"]] if isinstance(shown["headers"], list) \
                else [n.lower() for n in shown["headers"]]
            for given in names:
                assert given in provider.requests[0].headers, given


def test_record_and_replay():
    needs_http()
    for name, model, protocol, variable, _, _ in PROVIDERS[:5]:
        with Folder() as folder:
            store = folder.path("store")
            with Provider(protocol, BAD, GOOD) as provider:
                base = {variable + "_BASE_URL": provider.url}
                first = extract("-m", name + "/" + model, "--record", store, "--result",
                                env=environment(provider, variable)).expect(0)
            for entry in os.listdir(store):
                with open(os.path.join(store, entry), "rb") as file:
                    assert b"MARKER" not in file.read(), entry
            again = extract("-m", name + "/" + model, "--replay", store, "--result", env=base).expect(0)
            assert json.loads(first.out)["data"] == json.loads(again.out)["data"]
            assert json.loads(first.out)["usage"] == json.loads(again.out)["usage"]
            other = run("extract", "Another text.", "-s", OBJECT_SCHEMA, "-m", name + "/" + model,
                        "--replay", store, env=base)
            assert other.code == 13 and other.out == "", (other.code, other.err)
            assert "differs in the body at /" in other.err and "Another" not in other.err, other.err
            with Provider(protocol, GOOD) as provider:  # a folder that takes no file: told, and no harm done
                extract("-m", name + "/" + model, "--record", "/proc", env=environment(provider, variable)) \
                    .expect(0, err_has=["cannot write a recording into /proc"])


def start(*words, env):
    environment_all = {**os.environ, "HOME": "/nonexistent", "TERM": "xterm", **env}
    return subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment_all)


def test_stopping():
    needs_http()
    with Provider("messages", Reply(hang=True)) as provider:
        child = start("extract", "t", "-s", OBJECT_SCHEMA, "-m", "anthropic", env=environment(provider, "ANTHROPIC"))
        provider.wait_for_request()
        begun = time.monotonic()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=20)
        assert child.returncode == 130 and b"cancelled" in err, (child.returncode, err)
        assert time.monotonic() - begun < 5
    with Provider("messages", Reply(hang=True)) as provider:
        env = environment(provider, "ANTHROPIC")
        extract("-m", "anthropic", "--timeout", "200ms", env=env).expect(12, out="", err_has=["--timeout"])
        extract("-m", "anthropic", "--deadline", "200ms", env=env).expect(12, out="")


# ---- configuration ----

def with_config(folder, text, name="config.yaml"):
    os.makedirs(folder.path("structure"), exist_ok=True)
    folder.write("structure/" + name, text)
    return {"XDG_CONFIG_HOME": folder.keeper.name}


def test_a_provider_of_ones_own():
    needs_http()
    with Provider("chat", GOOD) as provider, Folder(key=KEY + "\n") as folder:
        os.chmod(folder.path("key"), 0o600)
        for key in ["file:" + folder.path("key"), "env:CORP_KEY", "cmd:printf %s " + "sk-MARK'ER-of-a-key-0123456789'"]:
            document = {"model": "corp/big", "providers": {"corp": {
                "baseUrl": provider.url, "key": key, "keyRequired": True, "headers": {"x-team": "blue"},
                "models": [{"pattern": "big*", "strictness": "yes", "rules": "openai-strict", "extra": {"user": "u"}}]}}}
            env = {**with_config(folder, json.dumps(document), "config.json"), "CORP_KEY": KEY}
            extract("--result", env=env).expect(0)
            request = provider.requests[-1]
            assert request.headers["authorization"] == "Bearer " + KEY, (key, request.headers)
            assert request.headers["x-team"] == "blue" and request.body["user"] == "u"
            assert request.body["model"] == "big"
        os.chmod(folder.path("key"), 0o644)
        env = with_config(folder, json.dumps({"model": "corp/big", "providers": {"corp": {
            "baseUrl": provider.url, "key": "file:" + folder.path("key")}}}), "config.json")
        extract(env=env).expect(2, out="", err_has=["can be used by others", "chmod 600"])


def test_keys_that_are_not_there():
    needs_http()
    with Folder(bad="two\nlines\n") as folder:
        os.chmod(folder.path("bad"), 0o600)
        for key, code, parts in [
                ("file:" + folder.path("none"), 5, ["cannot be read"]),
                ("file:" + folder.keeper.name, 2, ["is no file"]),
                ("file:" + folder.path("bad"), 2, ["character that no key has"]),
                ("env:NOT_SET_AT_ALL", 5, ["env:NOT_SET_AT_ALL"]),
                ("cmd:exit 3", 5, ["the key's command failed"]),
                ("cmd:true", 5, ["names a command"]),
                ("cmd:head -c 100000 /dev/zero | tr '\\0' x", 2, ["too long"])]:
            config = folder.write("c.json", json.dumps({"providers": {"p": {"baseUrl": "http://127.0.0.1:1/v1", "key": key}}}))
            extract("-m", "p/x", env={"STRUCTURE_CONFIG": config}).expect(code, out="", err_has=parts)


def test_options_that_cannot_work_are_told_before_anything_is_sent():
    needs_http()
    with Folder() as folder:
        junk = folder.path("records")
        for words, parts in [
                (["--ca-file", folder.path("none.pem")], ["none.pem", "no file that can be read", "PEM"]),
                (["--ca-file", folder.keeper.name], ["no file that can be read"]),
                (["--record", junk, "--replay", junk], ["exclude each other", "record first"])]:
            with Provider("chat", GOOD) as provider:
                extract("-m", "compat/x", *words, env=environment(provider, "STRUCTURE_COMPAT")).expect(2, out="", err_has=parts)
                assert not provider.requests, words
        assert not os.path.exists(junk)


def test_faults_of_a_configuration():
    with Folder() as folder:
        env = with_config(folder, "providers:\n  corp:\n    baseURL: http://x/v1\n")
        done = extract(env=env)
        if "built without YAML" in done.err:
            raise Skip("built without YAML")
        path = folder.path("structure/config.yaml")
        done.expect(2, out="", err_has=[path + ":3:", "/providers/corp/baseURL", "did you mean \"baseUrl\"?"])
        for text, place, parts in [
                ("model: 7\n", ":1:", ["/model", "must name a model"]),
                ("modle: x\n", ":1:", ["/modle", "settings are: rules, providers, aliases, model"]),
                ("- a\n", ":1:", ["is an object"]),
                ("providers:\n  p:\n    key: sk-MARKER\n", ":3:", ["env:NAME"]),
                ("a: [\n", ":", []),
                ("aliases: {a: local, a: local}\n", ":1:", [])]:
            run("extract", "t", "-s", OBJECT_SCHEMA, env=with_config(folder, text)).expect(
                2, out="", err_has=[path + place, *parts])
        run("models", "list", "--json", env=with_config(folder, "")).expect(0, err="")
        run("models", "list", env={"STRUCTURE_CONFIG": folder.path("none")}).expect(2, err_has=["none"])


def test_a_project_cannot_redirect():
    """What a folder brings along is not read: it could send a key elsewhere."""
    needs_http()
    with Provider("messages", GOOD) as good, Provider("messages", GOOD) as evil, Folder() as folder:
        os.makedirs(folder.path(".structure"))
        os.makedirs(folder.path("deep/er"))
        folder.write(".structure/config.yaml", "providers:\n  anthropic:\n    baseUrl: %s\n" % evil.url)
        for cwd in [folder.keeper.name, folder.path("deep/er")]:
            done = extract("-v", "-m", "anthropic", env=environment(good, "ANTHROPIC"), cwd=cwd).expect(0)
            assert ".structure/config.yaml is not read" in done.err, done.err
        assert len(good.requests) == 2 and not evil.requests


# ---- the other commands ----

def test_models_list():
    with Folder() as folder:
        env = with_config(folder, json.dumps({"providers": {"corp": {"baseUrl": "https://u:MARKER@corp.example/v1"}}}), "config.json")
        env.update({"STRUCTURE_MODEL_FILE": "/nonexistent/m.gguf", "ANTHROPIC_API_KEY": KEY, "OPENAI_BASE_URL": "http://there/v1"})
        document = run("models", "list", "--json", env=env).expect(0, err="").json()
        providers = {p["provider"]: p for p in document["providers"]}
        assert len(providers) >= 20 and document["default"] == {"model": "local", "origin": "default"}, document["default"]
        assert providers["anthropic"]["ready"] is True
        assert providers["anthropic"]["key"] == {"source": "env:ANTHROPIC_API_KEY", "present": True, "required": True}
        assert providers["openai"]["lacks"] == "no key"
        assert providers["openai"]["baseUrl"] == {"value": "http://there/v1", "origin": "OPENAI_BASE_URL"}
        assert providers["gemini"]["baseUrl"]["origin"] == "default"
        assert providers["compat"]["lacks"] == "no base URL"
        assert providers["corp"]["baseUrl"] == {"value": "https://***@corp.example/v1",
                                                "origin": folder.path("structure/config.json")}
        words = run("models", "list", env=env).expect(0, err="").out
        for part in ["anthropic      ready", "openai         no key", "without -m: local (default)", "default:strong"]:
            assert part in words, (part, words)
        words = run("models", "list", "anthropic", env=env).expect(0, err="").out
        assert "claude-haiku-4-5*" in words and "x-api-key" not in words, words
        one = run("models", "list", "groq", "--json", env=env).expect(0, err="").json()
        assert [p["provider"] for p in one["providers"]] == ["groq"] and "models" not in one, one
        run("models", "list", "antropic", env=env).expect(5, err_has=["did you mean \"anthropic\"?"])
        run("models", "list", "local", env=env).expect(2, err_has=["is no provider"])


def test_models_test():
    needs_http()
    answer = '{"city":"Lisbon","year":2024}'
    for name, model, protocol, variable, _, _ in PROVIDERS[:5]:
        with Provider(protocol, answer) as provider:
            env = environment(provider, variable)
            words = run("models", "test", name + "/" + model, env=env).expect(0, err="").out
            assert "authentication: ok" in words and "strict output:  yes" in words, words
            document = run("models", "test", name + "/" + model, "--json", env=env).expect(0, err="").json()
            assert document["status"] == "ok" and document["strict"] is True and document["streaming"] is True, document
            assert document["modelCalls"] == 1 and document["outputTokens"] == 5, document
    with Provider("chat", Reply(status=401, body={"error": {"message": "no"}})) as provider:
        run("models", "test", "openai-chat/gpt-4o", env=environment(provider, "OPENAI")).expect(7, out="")
    run("models", "test", "openai").expect(5, out="", err_has=["OPENAI_API_KEY"])
    run("models", "test", "compat/x", "--base-url", "http://127.0.0.1:1/v1").expect(9, out="")
    run("models", "test", "a", "b").expect(2, err_has=["one NAME"])


def test_tool_definitions():
    for whom, where in [("openai", []), ("openai-chat", ["function"]), ("anthropic", []),
                        ("gemini", ["functionDeclarations", 0]), ("mcp", [])]:
        tool = run("tool", "--for", whom).expect(0, err="").json()
        for step in where:
            tool = tool[step]
        assert tool["name"] == "structure" and len(tool["description"]) > 50, tool
        parameters = [tool[k] for k in ("parameters", "input_schema", "parametersJsonSchema", "inputSchema") if k in tool]
        assert len(parameters) == 1 and parameters[0]["required"] == ["prompt", "schema"], tool
        assert list(parameters[0]["properties"]) == ["prompt", "schema", "schemaMode", "maxLoops"]
        with Folder(schema=json.dumps(parameters[0])) as folder:
            run("schema", "check", folder.path("schema")).expect(0)
    assert run("tool", "--for", "mcp").json()["outputSchema"]["required"] == ["status", "schemaOrigin", "iterations"]
    for words, parts in [([], ["no provider given"]), (["--for", "opnai"], ["openai"]), (["x"], ["takes no operand"]),
                         (["--for", "mcp", "-n", "x"], ["give one with -s"]),
                         (["--for", "openai", "-s", "{}", "-n", "a b"], ["1 to 64 letters"])]:
        run("tool", *words).expect(2, out="", err_has=parts)


def test_forms_of_a_schema():
    schema = '{"type":"object","properties":{"n":{"type":"integer","minimum":3}},"required":["n"],"additionalProperties":false}'
    for whom in ["openai", "openai-chat", "anthropic", "gemini", "xai/grok-4", "ollama", "groq"]:
        form = run("tool", "--for", whom, "-s", schema, "-n", "thing").expect(0, err="").json()
        wire = schema_of(form)
        assert wire["properties"]["n"]["type"] == "integer", wire
        assert ("minimum" in wire["properties"]["n"]) == (whom in ("openai", "openai-chat", "ollama")), (whom, wire)
    mcp = run("tool", "--for", "mcp", "-s", schema, "-n", "thing").expect(0).json()
    assert mcp["outputSchema"] == json.loads(schema) and mcp["name"] == "thing"
    run("tool", "--for", "deepseek", "-s", schema).expect(6, err_has=["takes no schema"])
    run("tool", "--for", "local", "-s", schema).expect(2, err_has=["takes the schema itself"])
    run("tool", "--for", "anthropic", "-s", schema, "--exact").expect(6, err_has=["left to the validator"])
    run("tool", "--for", "openai", "-s", schema, "--exact").expect(0)


def test_the_table_is_of_its_schema():
    data = os.path.join(ROOT, "data")
    run("validate", "-s", os.path.join(data, "providers.schema.json"), os.path.join(data, "providers.json")).expect(0)
    with open(os.path.join(data, "providers.json"), encoding="utf-8") as file:
        table = json.load(file)
    with Folder() as folder:
        for change in [lambda t: t["providers"]["openai"].pop("date"), lambda t: t["rules"]["xai"].update(enforced=["x"]),
                       lambda t: t["providers"]["groq"]["models"].pop()]:
            copy = json.loads(json.dumps(table))
            change(copy)
            run("validate", "-s", os.path.join(data, "providers.schema.json"), folder.write("t", json.dumps(copy))).expect(1)


main(globals())
