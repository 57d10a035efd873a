// aimock.mjs - a mock server that others wrote (@copilotkit/aimock), with the answers that peers.py asks for.
//
// Prints its address, then serves until standard input ends. A prompt says which answer it wants by the word
// behind "case:"; the mock puts the answer into whatever protocol it was asked in. GET /__aimock/journal of the
// mock shows what it understood of each request.
import { createRequire } from "node:module";

const require = createRequire(process.argv[2] + "/");
const { LLMock } = require("@copilotkit/aimock");

const good = '{"actor":"Mike","priority":3}';
const bad = '{"actor":"Mike","priority":9}';
const counts = new Map();

function allText(request) {
  return JSON.stringify(request.messages ?? []);
}

function turnsOfAssistant(request) {
  return (request.messages ?? []).filter((message) => message.role === "assistant").length;
}

function times(name, request) {
  const key = name + " " + allText(request).match(/run:[a-z0-9-]+/);
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts.get(key);
}

function failure(status, type, code, message = "MARKER-OF-THE-PROVIDER") {
  return { status, error: { message, type, code } };
}

const blame = "the schema is invalid: MARKER-OF-THE-PROVIDER";

const cases = {
  ok: () => ({ content: good }),
  fence: () => ({ content: "```json\n" + good + "\n```" }),
  prose: () => ({ content: "Here it is:\n\n" + good + "\n\nAnything else?" }),
  thinking: () => ({ content: good, reasoning: "The text names Mike." }),
  need: () => ({ content: '{"_need":"who did it"}' }),
  envelope: () => ({ content: '{"data":' + good + ',"_need":null}' }),
  repair: (request) => ({ content: turnsOfAssistant(request) === 0 ? bad : good }),
  stale: () => ({ content: bad }),
  length: () => ({ content: good.slice(0, 12), finishReason: "length" }),
  filter: () => ({ content: "", finishReason: "content_filter" }),
  busy: (request) => times("busy", request) < 2 ? failure(429, "rate_limit_error", "rate_limit_exceeded") : { content: good },
  quota: () => failure(429, "insufficient_quota", "insufficient_quota"),
  key: () => failure(401, "authentication_error", "invalid_api_key"),
  down: () => failure(500, "api_error", "server_error"),
  schema: (request) => times("schema", request) < 2
    ? failure(400, "invalid_request_error", "invalid_json_schema", blame) : { content: good },
};

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
for (const [name, answer] of Object.entries(cases)) {
  mock.on({ predicate: (request) => allText(request).includes("case:" + name + " ") }, answer);
}
mock.on({ predicate: (request) => allText(request).includes("case:cut ") }, () => ({ content: good.repeat(1) }),
        { chunkSize: 4, truncateAfterChunks: 3 });
await mock.start();
console.log(mock.url);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
