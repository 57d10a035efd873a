/* test_http_tls.c - certificates and HTTP/2 against servers that are not ours: openssl's program,
 * and node's HTTP/2 server where node is there. Certificates are made anew for every run.
 *
 * Owns: a folder below /tmp with an authority of its own, and the processes, which it ends. */
#include "base/features.h"

#include "http_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_data.h"

enum {
    PATH_BYTES = 512,
    COMMAND_BYTES = 2048,
    ARGUMENTS_MAX = 24,
    STREAMS = 30,
    LARGE_BYTES = 512 << 10,
    DRIP_BYTES = 1256630,
    LARGE_BODY_BYTES = 16 << 20
};

static char folder[PATH_BYTES];
static bool has_certificates;

/* Makes the authority, another one, and certificates: right, of another name, expired. */
static const char *const making =
    "cd '%s' && exec 2>/dev/null && "
    "ca() { openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj \"/CN=$1\" -keyout $1.key "
    "-out $1.pem; } && "
    "leaf() { printf \"subjectAltName=$3\" > $1.ext && openssl req -newkey rsa:2048 -nodes -subj "
    "/CN=leaf -keyout $1.key -out $1.csr && openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key "
    "-CAcreateserial -days $2 -extfile $1.ext -out $1.pem; } && "
    "ca ca && ca other && leaf leaf 2 IP:127.0.0.1 && leaf named 2 DNS:provider.example && "
    "leaf old -1 IP:127.0.0.1";

static int begin(void **state)
{
    (void)state;
    char command[COMMAND_BYTES];
    (void)snprintf(folder, sizeof(folder), "/tmp/structure-tls-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(command, sizeof(command), making, folder);
    has_certificates = system(command) == 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[COMMAND_BYTES];
    (void)snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

static const char *in_folder(const char *name, char out[PATH_BYTES])
{
    int len = snprintf(out, PATH_BYTES, "%s/%s", folder, name);
    assert_in_range(len, 1, PATH_BYTES - 1);
    return out;
}

/* ---- servers ---- */

struct process {
    pid_t id;
    FILE *output;
    unsigned port;
};

/* Starts it, and reads its output up to a line with the mark, after which the port stands. */
static bool process_start(struct process *process, const char *const *arguments, const char *mark)
{
    int ends[2];
    char line[PATH_BYTES];
    assert_int_equal(pipe(ends), 0);
    process->id = fork();
    assert_true(process->id >= 0);
    if (process->id == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        int nowhere = open("/dev/null", O_RDWR);
        (void)dup2(nowhere, STDIN_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
        (void)close(ends[0]);
        (void)execvp(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    (void)close(ends[1]);
    process->output = fdopen(ends[0], "r");
    process->port = 0;
    while (process->port == 0 && fgets(line, sizeof(line), process->output) != NULL) {
        const char *at = strstr(line, mark);
        if (at != NULL)
            process->port = (unsigned)strtoul(at + strlen(mark), NULL, 10);
    }
    return process->port != 0;
}

static void process_end(struct process *process)
{
    int status;
    (void)kill(process->id, SIGKILL);
    (void)waitpid(process->id, &status, 0);
    (void)fclose(process->output);
}

/* extra: an argument of openssl's, or NULL. */
static void start_openssl(struct process *process, const char *name, const char *extra)
{
    char certificate[PATH_BYTES], key[PATH_BYTES], file[PATH_BYTES];
    (void)snprintf(file, sizeof(file), "%s.key", name);
    (void)in_folder(file, key);
    (void)snprintf(file, sizeof(file), "%s.pem", name);
    (void)in_folder(file, certificate);
    const char *arguments[] = { "openssl",         "s_server",  "-accept", "127.0.0.1:0", "-www",
                                "-cert",           certificate, "-key",    key,           "-cipher",
                                "ALL:@SECLEVEL=0", extra,       NULL };
    assert_true(process_start(process, arguments, "ACCEPT 127.0.0.1:"));
}

static void need_certificates(void)
{
    if (!has_certificates)
        test_skip("the program openssl is not there, or makes no certificates");
}

/* ---- certificates ---- */

static void get(unsigned port, const char *ca_name, struct http_log *log)
{
    struct test_alloc memory;
    char url[FAULT_URL_BYTES], path[PATH_BYTES];
    test_alloc_init(&memory);
    struct http_client client = http_test_client(&memory.alloc);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%u/", port);
    struct http_request request = http_test_request(&client, url);
    if (ca_name != NULL)
        request.ca_file = str_from(in_folder(ca_name, path));
    *log = (struct http_log){ .ends = 0 };
    http_log_run(log, &client, &request);
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
}

static void test_certificates(void **state)
{
    (void)state;
    static const struct {
        const char *leaf, *extra, *ca_name;
        enum http_outcome outcome;
    } table[] = {
        { "leaf", NULL, "ca.pem", HTTP_DONE },
        { "leaf", "-tls1_2", "ca.pem", HTTP_DONE },
        { "leaf", "-tls1_3", "ca.pem", HTTP_DONE },
        { "leaf", "-tls1_1", "ca.pem", HTTP_TLS_FAILED },
        { "leaf", NULL, NULL, HTTP_TLS_FAILED },
        { "leaf", NULL, "other.pem", HTTP_TLS_FAILED },
        { "leaf", NULL, "absent.pem", HTTP_TLS_FAILED },
        { "leaf", NULL, "ca.key", HTTP_TLS_FAILED },
        { "named", NULL, "ca.pem", HTTP_TLS_FAILED },
        { "old", NULL, "ca.pem", HTTP_TLS_FAILED },
        { "other", NULL, "ca.pem", HTTP_TLS_FAILED },
    };
    need_certificates();
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct process server;
        struct http_log log;
        start_openssl(&server, table[i].leaf, table[i].extra);
        get(server.port, table[i].ca_name, &log);
        process_end(&server);
        if (log.end.outcome != table[i].outcome)
            print_error("row %zu: %s (%s)\n", i, http_outcome_name(log.end.outcome), log.detail);
        assert_int_equal(log.end.outcome, table[i].outcome);
        assert_int_equal(log.heads, table[i].outcome == HTTP_DONE);
        assert_int_equal(log.end.was_sent, table[i].outcome == HTTP_DONE);
    }
}

/* The variable that other programs know names the authorities, unless the request does. */
static void test_certificates_of_environment(void **state)
{
    (void)state;
    struct process server;
    struct http_log log;
    char path[PATH_BYTES];
    need_certificates();
    start_openssl(&server, "leaf", NULL);
    assert_int_equal(setenv("SSL_CERT_FILE", in_folder("ca.pem", path), 1), 0);
    get(server.port, NULL, &log);
    assert_int_equal(log.end.outcome, HTTP_DONE);
    get(server.port, "other.pem", &log);
    assert_int_equal(log.end.outcome, HTTP_TLS_FAILED);
    assert_int_equal(setenv("SSL_CERT_FILE", in_folder("other.pem", path), 1), 0);
    get(server.port, "ca.pem", &log);
    assert_int_equal(log.end.outcome, HTTP_DONE);
    (void)unsetenv("SSL_CERT_FILE");
    process_end(&server);
}

SCRIPT_AT(plain, FAULT_AT_ACCEPT,
          STEP(FAULT_SEND, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
          STEP(FAULT_CLOSE, ""));
SCRIPT_AT(hung_up, FAULT_AT_ACCEPT, STEP(FAULT_CLOSE, ""));
SCRIPT_AT(reset, FAULT_AT_ACCEPT, STEP(FAULT_RESET, ""));

/* A server that does not speak TLS will not do so the next time; one that hangs up may. */
static void test_no_handshake(void **state)
{
    (void)state;
    static const struct {
        const struct fault_script *script;
        enum http_outcome outcome;
    } table[] = {
        { &plain, HTTP_TLS_FAILED },
        { &hung_up, HTTP_UNREACHABLE },
        { &reset, HTTP_UNREACHABLE },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct http_log log;
        struct fault_server *server = fault_server_new(NULL);
        assert_true(fault_server_add(server, table[i].script));
        get(fault_server_port(server), NULL, &log);
        fault_server_free(server);
        if (log.end.outcome != table[i].outcome)
            print_error("row %zu: %s (%s)\n", i, http_outcome_name(log.end.outcome), log.detail);
        assert_int_equal(log.end.outcome, table[i].outcome);
        assert_false(log.end.was_sent);
    }
}

static void start_node(struct process *process, const char *name, const char *argument)
{
    char script[TEST_PATH_BYTES];
    need_certificates();
    assert_true(test_source_path(script, name));
    const char *arguments[] = { "node", script, argument, NULL };
    if (!process_start(process, arguments, "PORT ")) {
        process_end(process);
        test_skip("node is not there, which has an HTTP/2 server and makes a proxy");
    }
}

/* ---- a tunnel ---- */

static const struct http_header key[] = { { STR_LITERAL("x-api-key"), STR_LITERAL("secret"),
                                            true } };

/* The proxy looks for the name, sees neither key nor request, and the certificate is that of the
 * name at its other end. */
static void test_tunnel(void **state)
{
    (void)state;
    static const struct {
        const char *leaf;
        enum http_outcome outcome;
    } table[] = { { "named", HTTP_DONE }, { "leaf", HTTP_TLS_FAILED } };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct process server, proxy;
        struct test_alloc memory;
        char port[16], proxy_url[FAULT_URL_BYTES], path[PATH_BYTES];
        struct http_log log = { .ends = 0 };
        need_certificates();
        start_openssl(&server, table[i].leaf, NULL);
        (void)snprintf(port, sizeof(port), "%u", server.port);
        start_node(&proxy, "tests/net/tunnel.mjs", port);
        (void)snprintf(proxy_url, sizeof(proxy_url), "http://127.0.0.1:%u", proxy.port);
        test_alloc_init(&memory);
        struct http_client client = http_test_client(&memory.alloc);
        struct http_request request = http_test_request(&client, "https://provider.example/");
        request.headers = key;
        request.header_count = 1;
        request.proxy = str_from(proxy_url);
        request.ca_file = str_from(in_folder("ca.pem", path));
        http_log_run(&log, &client, &request);
        http_client_free(&client);
        process_end(&proxy);
        process_end(&server);
        assert_int_equal(log.end.outcome, table[i].outcome);
        assert_int_equal(log.heads, table[i].outcome == HTTP_DONE);
        assert_int_equal(log.status, table[i].outcome == HTTP_DONE ? 200 : 0);
        test_alloc_assert_empty(&memory);
    }
}

/* ---- HTTP/2 ---- */

static const struct {
    const char *path;
    enum http_version version;
    enum http_outcome outcome;
    const char *body; /* NULL: as much of it as was sent */
} two_table[] = {
    { "/", HTTP_VERSION_AUTO, HTTP_DONE, "{\"version\":\"2\",\"sessions\":1,\"size\":12}" },
    { "/", HTTP_VERSION_2, HTTP_DONE, "{\"version\":\"2\",\"sessions\":1,\"size\":12}" },
    { "/", HTTP_VERSION_1_1, HTTP_DONE, "{\"version\":\"1.1\"}" },
    { "/reset-early", HTTP_VERSION_AUTO, HTTP_RESET, "" },
    { "/refused", HTTP_VERSION_AUTO, HTTP_RESET, "" },
    { "/reset-late", HTTP_VERSION_AUTO, HTTP_RESET, NULL },
    { "/short", HTTP_VERSION_AUTO, HTTP_RESET, NULL },
    { "/gone", HTTP_VERSION_AUTO, HTTP_RESET, "" },
    { "/stall", HTTP_VERSION_AUTO, HTTP_IDLE_TIMEOUT, "half" },
    { "/large-head", HTTP_VERSION_AUTO, HTTP_HEAD_TOO_LARGE, "" },
};

static struct http_request two_request(const struct http_client *client, char url[FAULT_URL_BYTES],
                                       unsigned port, const char *path, struct str ca_file)
{
    (void)snprintf(url, FAULT_URL_BYTES, "https://127.0.0.1:%u%s", port, path);
    struct http_request request = http_test_request(client, url);
    request.method = STR("POST");
    request.body = STR("the document");
    request.ca_file = ca_file;
    request.head_bytes_max = 4 << 10;
    return request;
}

static void test_two(void **state)
{
    (void)state;
    char url[FAULT_URL_BYTES], path[PATH_BYTES];
    for (size_t i = 0; i < sizeof(two_table) / sizeof(two_table[0]); i++) {
        struct process server;
        struct test_alloc memory;
        struct http_log log = { .ends = 0 };
        start_node(&server, "tests/net/http2_server.mjs", folder);
        test_alloc_init(&memory);
        struct http_client client = http_test_client(&memory.alloc);
        struct http_request request = two_request(&client, url, server.port, two_table[i].path,
                                                  str_from(in_folder("ca.pem", path)));
        request.version = two_table[i].version;
        if (two_table[i].outcome == HTTP_IDLE_TIMEOUT)
            request.idle_ms = 5 * HTTP_TEST_SHORT_MS;
        http_log_run(&log, &client, &request);
        http_client_free(&client);
        process_end(&server);
        if (log.end.outcome != two_table[i].outcome)
            print_error("row %zu: %s (%s)\n", i, http_outcome_name(log.end.outcome), log.detail);
        assert_int_equal(log.end.outcome, two_table[i].outcome);
        if (two_table[i].body != NULL) {
            assert_int_equal(log.kept_len, strlen(two_table[i].body));
            assert_memory_equal(log.kept, two_table[i].body, log.kept_len);
        }
        test_alloc_assert_empty(&memory);
    }
}

/* Many at once: with HTTP/2 asked for, they share one connection; a cancelled one hurts no other.
 */
static void test_two_shared(void **state)
{
    (void)state;
    static struct http_log logs[STREAMS];
    struct process server;
    struct test_alloc memory;
    char url[FAULT_URL_BYTES], stall_url[FAULT_URL_BYTES], drip_url[FAULT_URL_BYTES];
    char path[PATH_BYTES];
    struct http_log stalled = { .ends = 0 };
    start_node(&server, "tests/net/http2_server.mjs", folder);
    test_alloc_init(&memory);
    struct http_client client = http_test_client(&memory.alloc);
    struct str ca_file = str_from(in_folder("ca.pem", path));
    struct http_request request = two_request(&client, stall_url, server.port, "/stall", ca_file);
    request.version = HTTP_VERSION_2;
    assert_int_equal(http_log_start(&stalled, &client, &request), STATUS_OK);
    http_log_await_head(&stalled);
    memset(logs, 0, sizeof(logs));
    request = two_request(&client, drip_url, server.port, "/drip", ca_file);
    request = two_request(&client, url, server.port, "/large", ca_file);
    request.version = HTTP_VERSION_2;
    for (int i = 0; i < STREAMS; i++) {
        request.url = str_from(i % 2 == 0 ? url : drip_url);
        assert_int_equal(http_log_start(&logs[i], &client, &request), STATUS_OK);
    }
    http_run(&client, 0);
    http_log_cancel(&stalled);
    for (int i = 0; i < STREAMS; i++) {
        http_log_finish(&logs[i]);
        assert_int_equal(logs[i].end.outcome, HTTP_DONE);
        assert_int_equal(logs[i].body_bytes, i % 2 == 0 ? LARGE_BYTES : DRIP_BYTES);
    }
    http_client_free(&client);
    process_end(&server);
    test_alloc_assert_empty(&memory);
}

/* A body larger than what sockets hold, to a server that goes away in the midst of it: the writes
 * that fail end the transfer, and nothing else (a SIGPIPE would). */
static void test_gone_early(void **state)
{
    (void)state;
    static char body[LARGE_BODY_BYTES];
    static const enum http_version versions[] = { HTTP_VERSION_1_1, HTTP_VERSION_2 };
    struct process server;
    struct test_alloc memory;
    char url[FAULT_URL_BYTES], path[PATH_BYTES];
    start_node(&server, "tests/net/http2_server.mjs", folder);
    test_alloc_init(&memory);
    struct http_client client = http_test_client(&memory.alloc);
    for (size_t i = 0; i < 2; i++) {
        struct http_log log = { .ends = 0 };
        struct http_request request = two_request(&client, url, server.port, "/gone-early",
                                                  str_from(in_folder("ca.pem", path)));
        request.version = versions[i];
        request.body = str_of(body, sizeof(body));
        http_log_run(&log, &client, &request);
        assert_int_equal(log.end.outcome, HTTP_RESET);
        assert_int_equal(log.heads, 0);
        assert_true(log.end.was_sent);
    }
    http_client_free(&client);
    process_end(&server);
    test_alloc_assert_empty(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificates), cmocka_unit_test(test_certificates_of_environment),
        cmocka_unit_test(test_no_handshake), cmocka_unit_test(test_tunnel),
        cmocka_unit_test(test_two),          cmocka_unit_test(test_two_shared),
        cmocka_unit_test(test_gone_early),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
