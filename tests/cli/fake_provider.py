"""A provider that answers what a test says, in the form of each protocol, and keeps what it was asked.

with Provider("chat", replies) as provider: provider.url, provider.requests. A reply is the text of the model, or a
Reply with a status, headers, or a way to misbehave. The last reply is repeated.
"""
import http.server
import json
import threading
import time

# Members of a request that only the provider of that protocol would take.
PATHS = {"messages": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions",
         "generate-content": "/v1beta/models/"}


class Reply:
    def __init__(self, text="", status=200, headers=None, body=None, hang=False, cut=False):
        self.text, self.status, self.headers = text, status, headers or {}
        self.body, self.hang, self.cut = body, hang, cut


def pieces(text):
    return [text[i:i + 7] for i in range(0, len(text), 7)] or [""]


def event(data, name=None):
    return ("event: %s\n" % name if name else "") + "data: %s\n\n" % json.dumps(data)


def messages(text, stream):
    usage = {"input_tokens": 11, "output_tokens": 5}
    if not stream:
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": "served",
                "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage}
    out = event({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "served", "content": [],
        "stop_reason": None, "usage": {"input_tokens": 11, "output_tokens": 1}}}, "message_start")
    out += event({"type": "content_block_start", "index": 0,
                  "content_block": {"type": "text", "text": ""}}, "content_block_start")
    for piece in pieces(text):
        out += event({"type": "content_block_delta", "index": 0,
                      "delta": {"type": "text_delta", "text": piece}}, "content_block_delta")
    out += event({"type": "content_block_stop", "index": 0}, "content_block_stop")
    out += event({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                  "usage": {"output_tokens": 5}}, "message_delta")
    return out + event({"type": "message_stop"}, "message_stop")


def responses(text, stream):
    done = {"id": "resp_1", "object": "response", "status": "completed", "model": "served", "output": [
        {"type": "message", "id": "m", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": text, "annotations": []}]}],
            "usage": {"input_tokens": 11, "output_tokens": 5, "total_tokens": 16}}
    if not stream:
        return done
    out = event({"type": "response.created", "sequence_number": 0,
                 "response": {**done, "status": "in_progress", "output": [], "usage": None}}, "response.created")
    for piece in pieces(text):
        out += event({"type": "response.output_text.delta", "item_id": "m", "output_index": 0,
                      "content_index": 0, "delta": piece, "sequence_number": 1}, "response.output_text.delta")
    return out + event({"type": "response.completed", "sequence_number": 2, "response": done}, "response.completed")


def chat(text, stream):
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
    if not stream:
        return {"id": "c1", "object": "chat.completion", "model": "served", "usage": usage, "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}

    def chunk(delta, finish=None):
        return event({"id": "c1", "object": "chat.completion.chunk", "model": "served",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    out = chunk({"role": "assistant", "content": ""})
    for piece in pieces(text):
        out += chunk({"content": piece})
    out += chunk({}, "stop")
    out += event({"id": "c1", "object": "chat.completion.chunk", "model": "served", "choices": [], "usage": usage})
    return out + "data: [DONE]\n\n"


def generate_content(text, stream):
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 5, "totalTokenCount": 16}

    def part(piece, finish=None):
        candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": piece}]}}
        if finish:
            candidate["finishReason"] = finish
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "served"}
    if not stream:
        return part(text, "STOP")
    parts = pieces(text)
    return "".join(event(part(piece, "STOP" if i + 1 == len(parts) else None)) for i, piece in enumerate(parts))


WRITERS = {"messages": messages, "responses": responses, "chat": chat, "generate-content": generate_content}


class Request:
    def __init__(self, handler, body):
        self.path = handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = json.loads(body)
        self.stream = bool(self.body.get("stream")) or ":streamGenerateContent" in self.path


class Provider:
    def __init__(self, protocol, *replies):
        self.replies = [Reply(r) if isinstance(r, str) else r for r in replies]
        self.requests = []
        self.released = threading.Event()
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                request = Request(self, body)
                provider.requests.append(request)
                reply = provider.replies[min(len(provider.requests), len(provider.replies)) - 1]
                if reply.hang:
                    provider.released.wait(30)
                    self.close_connection = True
                    return
                data = reply.body
                if data is None:
                    data = WRITERS[protocol](reply.text, request.stream)
                kind = "text/event-stream" if isinstance(data, str) else "application/json"
                data = (data if isinstance(data, str) else json.dumps(data)).encode()
                self.send_response(reply.status)
                self.send_header("content-type", kind)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[:len(data) // 2] if reply.cut else data)
                self.close_connection = reply.cut

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.root = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.url = self.root + ("/v1" if protocol in ("responses", "chat") else "")

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()

    def wait_for_request(self):
        end = time.monotonic() + 20
        while not self.requests and time.monotonic() < end:
            time.sleep(0.005)
        assert self.requests, "no request came"
