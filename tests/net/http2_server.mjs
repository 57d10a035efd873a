// http2_server.mjs - the other side of test_http_tls.c for HTTP/2: argument: a folder with leaf.pem and
// leaf.key. Says "PORT <number>" on its output. The path of a request is what becomes of it.
import { readFileSync } from "node:fs";
import { constants, createSecureServer } from "node:http2";

const folder = process.argv[2];
let sessions = 0;
const server = createSecureServer({
  cert: readFileSync(`${folder}/leaf.pem`),
  key: readFileSync(`${folder}/leaf.key`),
  allowHTTP1: true,
  settings: { maxConcurrentStreams: 100 },
});

const ok = { ":status": 200, "content-type": "application/json" };
const withHead = (count) => {
  const more = Array.from({ length: count }, (_, i) => [`x-more-${i}`, "more ".repeat(400)]);
  return { ...ok, ...Object.fromEntries(more) };
};
const stories = {
  "/reset-early": (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  "/refused": (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
  "/reset-late": (stream) => {
    stream.respond(ok);
    stream.write("half", () => stream.destroy(new Error("reset")));
  },
  "/short": (stream) => {
    stream.respond({ ...ok, "content-length": 9 });
    stream.end("half");
  },
  "/gone": (stream) => stream.session.destroy(),
  "/stall": (stream) => {
    stream.respond(ok);
    stream.write("half");
  },
  "/large": (stream) => {
    stream.respond(ok);
    stream.end("0123456789abcdef".repeat(1 << 15));
  },
  // 60 pieces of odd sizes, 1,256,630 bytes
  "/drip": (stream) => {
    let piece = 0;
    stream.respond({ ...ok, "content-type": "text/event-stream" });
    const drip = () => {
      stream.write("x".repeat((piece * 7919) % 40000));
      if (++piece < 60) setTimeout(drip, piece % 3);
      else stream.end();
    };
    drip();
  },
  "/large-head": (stream) => stream.respond(withHead(10)),
};

server.on("session", () => sessions++);
server.on("sessionError", () => {});
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  const story = stories[headers[":path"]];
  if (headers[":path"] === "/gone-early") stream.session.destroy();
  let size = 0;
  stream.on("data", (chunk) => (size += chunk.length));
  stream.on("end", () => {
    if (story) {
      story(stream);
      return;
    }
    stream.respond(ok);
    stream.end(JSON.stringify({ version: "2", sessions, size }));
  });
});
server.on("request", (request, response) => {
  if (request.url === "/gone-early") request.socket.destroy();
  else if (request.httpVersionMajor === 1) response.end(JSON.stringify({ version: request.httpVersion }));
});
server.listen(0, "127.0.0.1", () => console.log(`PORT ${server.address().port}`));
