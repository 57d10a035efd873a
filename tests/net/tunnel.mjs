// tunnel.mjs - a proxy of test_http_tls.c: leads every CONNECT to one port of this machine, whatever host was
// named; refuses one that carries a key, and everything that is no CONNECT. Says "PORT <number>".
import { createServer } from "node:http";
import { connect } from "node:net";

const port = Number(process.argv[2]);
const proxy = createServer((request, response) => {
  response.statusCode = 405;
  response.end();
});
proxy.on("connect", (request, socket) => {
  socket.on("error", () => {});
  if (request.url !== "provider.example:443" || "x-api-key" in request.headers) {
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    return;
  }
  const other = connect(port, "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    other.pipe(socket).pipe(other);
  });
  other.on("error", () => socket.destroy());
});
proxy.listen(0, "127.0.0.1", () => console.log(`PORT ${proxy.address().port}`));
