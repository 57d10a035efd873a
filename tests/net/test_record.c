/* test_record.c - exchanges stored in files and answered from them: round trips of every kind of
 * reply, equal requests in their order, what a mismatch says, secrets, damaged files, folders that
 * cannot be written, failing memory. */
#include "base/features.h"

#include "record_test.h"

#include <dirent.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 600 };

static char folder[PATH_BYTES];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/structure-record-XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static void in_folder(const char *name, char out[PATH_BYTES + 300])
{
    (void)snprintf(out, PATH_BYTES + 300, "%s/%s", folder, name);
}

/* Calls visit for every file of the folder. */
static uint32_t each_file(void (*visit)(const char *path, void *context), void *context)
{
    char path[PATH_BYTES + 300];
    uint32_t count = 0;
    DIR *handle = opendir(folder);
    if (handle == NULL)
        return 0;
    for (struct dirent *entry = readdir(handle); entry != NULL; entry = readdir(handle)) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        in_folder(entry->d_name, path);
        if (visit != NULL)
            visit(path, context);
    }
    (void)closedir(handle);
    return count;
}

static void remove_file(const char *path, void *context)
{
    (void)context;
    (void)unlink(path);
}

static int end(void **state)
{
    (void)state;
    (void)each_file(remove_file, NULL);
    return rmdir(folder);
}

static void write_file(const char *name, struct str text)
{
    char path[PATH_BYTES + 300];
    in_folder(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
    assert_int_equal(fclose(file), 0);
}

/* ---- requests and replies ---- */

#define KEY  "sk-very-secret-key"
#define BODY "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}"

static const struct http_header sent_headers[] = {
    { STR_LITERAL("content-type"), STR_LITERAL("application/json"), false },
    { STR_LITERAL("x-version"), STR_LITERAL("1"), false },
    { STR_LITERAL("Authorization"), STR_LITERAL("Bearer " KEY), true },
    { STR_LITERAL("x-other-key"), STR_LITERAL("another-secret"), true },
    { STR_LITERAL("Cookie"), STR_LITERAL("id=cookie-secret"), false },
};

static struct http_request request_of(const char *url, const char *body)
{
    return (struct http_request){ .method = STR("POST"),
                                  .url = str_from(url),
                                  .headers = sent_headers,
                                  .header_count = 5,
                                  .body = str_from(body),
                                  .body_bytes_max = RECORD_TEST_BODY_MAX };
}

static struct http_request usual_request(void)
{
    return request_of("https://provider.example/v1/chat", BODY);
}

static const struct answer usual_answer = {
    .status = 200,
    .headers = { { STR_LITERAL("Content-Type"), STR_LITERAL("application/json"), false },
                 { STR_LITERAL("x-request-id"), STR_LITERAL("req_1"), false },
                 { STR_LITERAL("x-request-id"), STR_LITERAL("req_2"), false },
                 { STR_LITERAL("x-empty"), STR_LITERAL(""), false } },
    .header_count = 4,
    .body = STR_LITERAL("{\"a\":\"\\u00e4\xC3\xA4\"}\n"),
    .outcome = HTTP_DONE,
};

/* Records one exchange, and gives back whether it could be stored. */
static bool record(const struct http_request *request, const struct answer *answer,
                   const struct alloc *alloc, struct record_log *log)
{
    struct answering answering = { .answer = answer };
    struct http_client client = { NULL, NULL };
    struct error error;
    bool is_stored = false;
    if (http_record_new(answering_client(&answering), str_from(folder), alloc, &client, &error) ==
        STATUS_OK) {
        is_stored = record_log_ask(log, &client, request) == STATUS_OK &&
                    http_record_error(&client) == NULL;
        http_client_free(&client);
    }
    assert_true(answering.was_freed);
    return is_stored;
}

static void record_usual(const struct http_request *request, const struct answer *answer)
{
    struct test_alloc memory;
    struct record_log log;
    test_alloc_init(&memory);
    assert_true(record(request, answer, &memory.alloc, &log));
    assert_int_equal(log.status, answer->status);
    assert_int_equal(log.outcome, answer->outcome);
    test_alloc_assert_empty(&memory);
}

static struct http_client replay(struct test_alloc *memory)
{
    struct http_client client = { NULL, NULL };
    struct error error = { 0 };
    test_alloc_init(memory);
    enum status status = http_replay_new(str_from(folder), &memory->alloc, &client, &error);
    if (status != STATUS_OK)
        fail_msg("%s", error.message);
    return client;
}

static void ask(const struct http_client *client, const struct http_request *request,
                struct record_log *log)
{
    assert_int_equal(record_log_ask(log, client, request), STATUS_OK);
}

/* ---- round trips ---- */

static void test_round_trip(void **state)
{
    (void)state;
    static const struct answer table[] = {
        { .status = 200, .body = STR_LITERAL("{}"), .outcome = HTTP_DONE },
        { .status = 200, .body = STR_LITERAL("data: {\"a\":1}\n\ndata: [DONE]\n\n"), .piece = 3 },
        { .status = 429, .body = STR_LITERAL(""), .outcome = HTTP_DONE },
        { .status = 200, .body = STR_LITERAL("half a rep"), .outcome = HTTP_RESET },
        { .status = 200, .body = STR_LITERAL("\xFF\x00\x80 no text"), .outcome = HTTP_DONE },
        { .status = 200, .body = STR_LITERAL("with \x00 and \x1B and \xC3\xA4"), .piece = 1 },
        { .status = 599, .body = STR_LITERAL("\xC3"), .outcome = HTTP_DONE },
        { .status = 0, .outcome = HTTP_UNREACHABLE },
        { .status = 0, .outcome = HTTP_FIRST_BYTE_TIMEOUT },
        { .status = 200, .outcome = HTTP_IDLE_TIMEOUT },
        { .status = 0, .outcome = HTTP_TLS_FAILED },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct test_alloc memory;
        struct record_log log;
        struct http_request request = usual_request();
        record_usual(&request, &table[i]);
        struct http_client client = replay(&memory);
        ask(&client, &request, &log);
        assert_int_equal(log.outcome, table[i].outcome);
        assert_int_equal(log.heads, table[i].status != 0);
        assert_int_equal(log.status, table[i].status);
        assert_int_equal(log.body_len, table[i].body.len);
        assert_memory_equal(log.body, table[i].body.ptr, log.body_len);
        http_client_free(&client);
        test_alloc_assert_empty(&memory);
        (void)each_file(remove_file, NULL);
    }
}

/* Members in another order are the same request; the first of two headers counts. */
static void test_same_request(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        BODY,
        "{\"messages\":[{\"content\":\"hello\",\"role\":\"user\"}],\"model\":\"m\"}",
        "{ \"model\" : \"m\", \"messages\" : [ {\"role\":\"user\",\"content\":\"hell\\u006f\"} ] }",
    };
    struct test_alloc memory;
    struct record_log log;
    struct http_request request = usual_request();
    record_usual(&request, &usual_answer);
    struct http_client client = replay(&memory);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        request = request_of("https://provider.example/v1/chat", bodies[i]);
        request.header_count = 0; /* headers make no other request */
        ask(&client, &request, &log);
        assert_int_equal(log.outcome, HTTP_DONE);
        assert_string_equal(log.request_id, "req_1");
    }
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
    (void)each_file(remove_file, NULL);
}

/* Equal requests get the recorded replies one after the other, then the last one again. */
static void test_in_order(void **state)
{
    (void)state;
    struct test_alloc memory;
    struct record_log log;
    struct http_request request = usual_request();
    static const char *const bodies[] = { "one", "two", "three", "three", "three" };
    for (size_t i = 0; i < 3; i++) {
        struct answer answer = usual_answer;
        answer.body = str_from(bodies[i]);
        record_usual(&request, &answer);
    }
    assert_int_equal(each_file(NULL, NULL), 3);
    struct http_client client = replay(&memory);
    for (size_t i = 0; i < 5; i++) {
        ask(&client, &request, &log);
        assert_int_equal(log.body_len, strlen(bodies[i]));
        assert_memory_equal(log.body, bodies[i], log.body_len);
    }
    http_client_free(&client);

    /* a recording that somebody took away is no fault */
    char path[PATH_BYTES + 300];
    in_folder("000002.json", path);
    assert_int_equal(unlink(path), 0);
    client = replay(&memory);
    ask(&client, &request, &log);
    assert_memory_equal(log.body, "one", 3);
    ask(&client, &request, &log);
    assert_memory_equal(log.body, "three", 5);
    http_client_free(&client);
    (void)each_file(remove_file, NULL);
}

/* Two recorders of one folder, as two models of a call have them, do not write over each other. */
static void test_two_recorders(void **state)
{
    (void)state;
    struct answering one = { .answer = &usual_answer }, two = { .answer = &usual_answer };
    struct http_client a, b;
    struct error error;
    struct record_log log;
    struct http_request request = usual_request();
    assert_int_equal(
        http_record_new(answering_client(&one), str_from(folder), alloc_default(), &a, &error),
        STATUS_OK);
    assert_int_equal(
        http_record_new(answering_client(&two), str_from(folder), alloc_default(), &b, &error),
        STATUS_OK);
    for (int i = 0; i < 3; i++) {
        ask(&a, &request, &log);
        ask(&b, &request, &log);
    }
    assert_null(http_record_error(&a));
    assert_null(http_record_error(&b));
    http_client_free(&a);
    http_client_free(&b);
    assert_int_equal(each_file(NULL, NULL), 6);
    (void)each_file(remove_file, NULL);
}

/* What passes through reaches the other client, and cancelled transfers leave no file. */
static void test_passes_through(void **state)
{
    (void)state;
    struct answering answering = { .answer = &usual_answer };
    struct test_alloc memory;
    struct http_client client;
    struct http_transfer *transfer = NULL;
    struct record_log log = { .ends = 0 };
    struct http_sink sink = record_log_sink(&log);
    struct error error;
    struct http_request request = usual_request();
    test_alloc_init(&memory);
    assert_int_equal(http_record_new(answering_client(&answering), str_from(folder), &memory.alloc,
                                     &client, &error),
                     STATUS_OK);
    assert_int_equal(http_start(&client, &request, &sink, &transfer, &error), STATUS_OK);
    http_cancel(&client, transfer);
    assert_int_equal(answering.cancels, 1);
    http_run(&client, 0);
    assert_int_equal(log.ends, 0);
    http_wake(&client);
    assert_true(answering.was_woken);
    assert_int_equal(http_now_ms(&client), 42);
    http_client_free(&client);
    assert_true(answering.was_freed);
    assert_int_equal(each_file(NULL, NULL), 0);
    test_alloc_assert_empty(&memory);
}

/* ---- what differs ---- */

static void test_mismatch(void **state)
{
    (void)state;
    static const struct {
        const char *method, *url, *body;
        uint32_t header_count;
        const char *words;
    } table[] = {
        { "PUT", "https://provider.example/v1/chat", BODY, 5, "the method" },
        { "POST", "https://provider.example/v1/other", BODY, 5, "the URL" },
        { "POST", "https://provider.example/v1/chat",
          "{\"model\":\"n\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}", 5,
          "the body at /model" },
        { "POST", "https://provider.example/v1/chat",
          "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"bye\"}]}", 5,
          "the body at /messages/0/content" },
        { "POST", "https://provider.example/v1/chat",
          "{\"model\":\"n\",\"messages\":[],\"a~b/c\":1}", 5,
          "the body at /model, the body at /messages, the body at /a~0b~1c" },
        { "POST", "https://provider.example/v1/chat", "{\"model\":\"m\"}", 5,
          "the body at /messages" },
        { "POST", "https://provider.example/v1/chat", "[]", 5, "the body" },
        { "POST", "https://provider.example/v1/chat", "no JSON", 5, "the body" },
        { "POST", "https://provider.example/v1/chat", "{\"model\":\"m\"}", 1,
          "the body at /messages, the header x-version" },
    };
    struct test_alloc memory;
    struct http_request request = usual_request();
    record_usual(&request, &usual_answer);
    request = request_of("https://far.example/", "{}");
    record_usual(&request, &usual_answer);
    struct http_client client = replay(&memory);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct record_log log;
        char want[512];
        request = request_of(table[i].url, table[i].body);
        request.method = str_from(table[i].method);
        request.header_count = table[i].header_count;
        ask(&client, &request, &log);
        assert_int_equal(log.outcome, HTTP_REPLAY_MISMATCH);
        assert_int_equal(log.heads, 0);
        (void)snprintf(want, sizeof(want), "from the nearest one (number 1) it differs in %s",
                       table[i].words);
        assert_string_equal(log.detail, want);
    }
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
    (void)each_file(remove_file, NULL);
}

/* ---- secrets ---- */

static void assert_no_secret(const char *path, void *context)
{
    static const char *const secrets[] = {
        KEY, "another-secret", "cookie-secret", "query-secret", "session-secret", "org-secret"
    };
    struct stat info;
    struct str text = test_file_read(path);
    uint32_t *markers = context;
    assert_non_null(text.ptr);
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        if (strstr(text.ptr, secrets[i]) != NULL)
            fail_msg("%s holds %s", path, secrets[i]);
    }
    *markers += strstr(text.ptr, "hello") != NULL;
    test_file_free(text);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* Neither what was sent as a secret, nor what a provider says back of it. */
static void test_secrets(void **state)
{
    (void)state;
    static const struct answer answer = {
        .status = 401,
        .headers = { { STR_LITERAL("set-cookie"), STR_LITERAL("a=session-secret"), false },
                     { STR_LITERAL("OpenAI-Organization"), STR_LITERAL("org-secret"), false },
                     { STR_LITERAL("x-echo"), STR_LITERAL("Bearer " KEY), false } },
        .header_count = 3,
        .body = STR_LITERAL("{\"error\":\"wrong key " KEY ", and " KEY " too\"}"),
        .piece = 7,
        .outcome = HTTP_DONE,
    };
    struct test_alloc memory;
    struct record_log log;
    uint32_t markers = 0;
    struct http_request request = request_of(
        "https://provider.example/v1?api_key=query-secret&alt=sse&key=query-secret", BODY);
    record_usual(&request, &answer);
    assert_int_equal(each_file(assert_no_secret, &markers), 1);
    assert_int_equal(markers, 1); /* the prompt is there */
    struct http_client client = replay(&memory);
    ask(&client, &request, &log);
    assert_int_equal(log.outcome, HTTP_DONE);
    assert_int_equal(log.body_len, answer.body.len);
    assert_memory_equal(log.body, "{\"error\":\"wrong key ****", 24);
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
    (void)each_file(remove_file, NULL);
}

/* ---- folders and files ---- */

static void assert_folder_refused(const char *path, enum status want)
{
    struct answering answering = { .answer = &usual_answer };
    struct http_client client = { NULL, NULL };
    struct error error = { 0 };
    assert_int_equal(http_record_new(answering_client(&answering), str_from(path), alloc_default(),
                                     &client, &error),
                     want);
    assert_true(answering.was_freed);
    assert_non_null(strstr(error.message, "folder"));
    assert_null(client.ops);
}

static void test_folders(void **state)
{
    (void)state;
    char path[PATH_BYTES + 300];
    struct http_client client = { NULL, NULL };
    struct error error = { 0 };
    static char long_path[8000];
    memset(long_path, 'a', sizeof(long_path) - 1);
    assert_folder_refused("", STATUS_INVALID_REQUEST);
    assert_folder_refused(long_path, STATUS_INVALID_REQUEST);
    assert_folder_refused("/nowhere/at/all", STATUS_STORE);
    write_file("file", STR("no folder"));
    in_folder("file", path);
    assert_folder_refused(path, STATUS_STORE);
    in_folder("file/below", path);
    assert_folder_refused(path, STATUS_STORE);
    (void)each_file(remove_file, NULL);
    assert_int_equal(http_replay_new(str_from("/nowhere"), alloc_default(), &client, &error),
                     STATUS_STORE);
    assert_int_equal(http_replay_new(str_from(folder), alloc_default(), &client, &error),
                     STATUS_STORE);
    assert_non_null(strstr(error.message, "no recordings"));
    assert_non_null(strstr(error.hint, "--record"));
}

/* A disk that takes no more does not disturb the call, leaves no half of a file, and is told. */
static void test_full_disk(void **state)
{
    (void)state;
    struct answering answering = { .answer = &usual_answer };
    struct http_client client;
    struct error error;
    struct record_log log;
    struct rlimit old, none;
    struct http_request request = usual_request();
    assert_int_equal(http_record_new(answering_client(&answering), str_from(folder),
                                     alloc_default(), &client, &error),
                     STATUS_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    none = (struct rlimit){ .rlim_cur = 10, .rlim_max = old.rlim_max };
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    ask(&client, &request, &log);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(log.outcome, HTTP_DONE);
    assert_int_equal(log.body_len, usual_answer.body.len);
    assert_non_null(http_record_error(&client));
    assert_int_equal(http_record_error(&client)->status, STATUS_STORE);
    assert_int_equal(each_file(NULL, NULL), 0);
    http_client_free(&client);
}

#define GOOD_REQUEST "\"method\":\"POST\",\"url\":\"u\",\"headers\":{},\"body\":{}"

#define GOOD_REPLY "\"reply\":{\"outcome\":\"done\",\"status\":200,\"headers\":{},\"body\":\"\"}"

static void test_damaged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{" GOOD_REQUEST "}",
        "{" GOOD_REQUEST ",\"reply\":[]}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":200,\"headers\":{}}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"none\",\"status\":200,\"headers\":{},\"body\":"
        "\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"replay-mismatch\",\"status\":0,\"headers\":{},"
        "\"body\":\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":0,\"headers\":{},\"body\":"
        "\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":-200,\"headers\":{},\"body\":"
        "\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":2e2,\"headers\":{},\"body\":"
        "\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":99999999999999999999,"
        "\"headers\":{},\"body\":\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":200,\"headers\":[],\"body\":"
        "\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":200,\"headers\":{\"a\":1},"
        "\"body\":\"\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":200,\"headers\":{},"
        "\"bodyHex\":\"abc\"}}",
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":200,\"headers\":{},"
        "\"bodyHex\":\"zz\"}}",
        "{\"method\":1,\"url\":\"u\",\"headers\":{},\"body\":{}," GOOD_REPLY "}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct test_alloc memory;
        struct http_client client = { NULL, NULL };
        struct error error = { 0 };
        test_alloc_init(&memory);
        write_file("000001.json", str_from(texts[i]));
        if (http_replay_new(str_from(folder), &memory.alloc, &client, &error) != STATUS_STORE)
            fail_msg("%s was taken", texts[i]);
        assert_non_null(strstr(error.message, "000001.json is no recording"));
        assert_null(client.ops);
        test_alloc_assert_empty(&memory);
    }
    (void)each_file(remove_file, NULL);
}

/* Every beginning of a good file is no file, and no header of a file becomes two. */
static void test_cut_files(void **state)
{
    (void)state;
    static const char good[] =
        "{" GOOD_REQUEST ",\"reply\":{\"outcome\":\"done\",\"status\":200,\"headers\":{\"x-a\":"
        "\"b\\nx-request-id: forged\",\"x-b\\nx-request-id\":\"forged\",\"x:request\":\"c\","
        "\"\":\"d\"},\"body\":\"hi\"}}";
    struct test_alloc memory;
    struct record_log log;
    for (size_t len = 0; len + 1 < sizeof(good) - 1; len++) {
        struct http_client client = { NULL, NULL };
        struct error error = { 0 };
        write_file("000001.json", str_of(good, len));
        assert_int_equal(http_replay_new(str_from(folder), alloc_default(), &client, &error),
                         STATUS_STORE);
    }
    write_file("000001.json", str_from(good));
    write_file("notes.txt", STR("other files are nobody's"));
    write_file("1.json", STR("and so is this"));
    struct http_client client = replay(&memory);
    struct http_request request = request_of("u", "{}");
    ask(&client, &request, &log);
    assert_int_equal(log.outcome, HTTP_DONE);
    assert_string_equal(log.request_id, "");
    assert_int_equal(log.body_len, 2);
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
    (void)each_file(remove_file, NULL);
}

/* ---- the client itself ---- */

static void test_replay_client(void **state)
{
    (void)state;
    struct test_alloc memory;
    struct http_request request = usual_request();
    struct record_log logs[3];
    struct http_transfer *transfers[3];
    struct error error;
    record_usual(&request, &usual_answer);
    struct http_client client = replay(&memory);
    memset(logs, 0, sizeof(logs));
    for (int i = 0; i < 3; i++) {
        struct http_sink sink = record_log_sink(&logs[i]);
        assert_int_equal(http_start(&client, &request, &sink, &transfers[i], &error), STATUS_OK);
    }
    http_cancel(&client, transfers[2]); /* the last of the queue */
    struct http_sink sink = record_log_sink(&logs[2]);
    assert_int_equal(http_start(&client, &request, &sink, &transfers[2], &error), STATUS_OK);
    http_cancel(&client, transfers[0]); /* the first */
    http_run(&client, http_now_ms(&client) + 100000);
    assert_int_equal(logs[0].ends, 0);
    assert_int_equal(logs[1].ends, 1);
    assert_int_equal(logs[2].ends, 1);
    http_wake(&client); /* run waits for a wake when there is nothing else */
    http_run(&client, http_now_ms(&client) + 100000);
    http_run(&client, http_now_ms(&client) + 1);
    assert_int_equal(http_start(&client, &request, &sink, &transfers[2], &error), STATUS_OK);
    assert_null(http_record_error(&client));
    http_client_free(&client); /* with a transfer that waits */
    test_alloc_assert_empty(&memory);
    (void)each_file(remove_file, NULL);
}

/* One that ends its own transfer at the head, or says stop at the body. */
struct stopping {
    struct record_log log;
    const struct http_client *client;
    struct http_transfer *transfer;
    bool at_head;
};

static void stopping_head(void *state, const struct http_head *head)
{
    struct stopping *stopping = state;
    record_log_head(&stopping->log, head);
    if (stopping->at_head)
        http_cancel(stopping->client, stopping->transfer);
}

static bool stopping_body(void *state, struct str chunk)
{
    struct stopping *stopping = state;
    (void)record_log_body(&stopping->log, chunk);
    return false;
}

static void stopping_end(void *state, const struct http_end *end)
{
    struct stopping *stopping = state;
    record_log_end(&stopping->log, end);
}

static void test_replay_stops(void **state)
{
    (void)state;
    struct test_alloc memory;
    struct http_request request = usual_request();
    record_usual(&request, &usual_answer);
    struct http_client client = replay(&memory);
    for (int at_head = 0; at_head < 2; at_head++) {
        struct stopping stopping = { .client = &client, .at_head = at_head != 0 };
        struct http_sink sink = { stopping_head, stopping_body, stopping_end, &stopping };
        struct error error;
        assert_int_equal(http_start(&client, &request, &sink, &stopping.transfer, &error),
                         STATUS_OK);
        http_run(&client, 0);
        assert_int_equal(stopping.log.heads, 1);
        assert_int_equal(stopping.log.ends, !stopping.at_head);
        assert_int_equal(stopping.log.body_len > 0, !stopping.at_head);
        if (!stopping.at_head)
            assert_int_equal(stopping.log.outcome, HTTP_STOPPED);
    }
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
    (void)each_file(remove_file, NULL);
}

static enum status refusing_start(void *state, const struct http_request *request,
                                  const struct http_sink *sink, struct http_transfer **out_transfer,
                                  struct error *error)
{
    (void)state;
    (void)request;
    (void)sink;
    (void)out_transfer;
    return error_set(error, STATUS_INVALID_REQUEST, "no such URL");
}

/* A request that the other client does not take is not recorded, and is refused as it was. */
static void test_refused_start(void **state)
{
    (void)state;
    struct answering answering = { .answer = &usual_answer };
    struct http_client inner = answering_client(&answering);
    struct http_client_ops refusing = *inner.ops;
    struct http_client client;
    struct test_alloc memory;
    struct record_log log;
    struct error error;
    struct http_request request = usual_request();
    refusing.start = refusing_start;
    inner.ops = &refusing;
    test_alloc_init(&memory);
    assert_int_equal(http_record_new(inner, str_from(folder), &memory.alloc, &client, &error),
                     STATUS_OK);
    assert_int_equal(record_log_ask(&log, &client, &request), STATUS_INVALID_REQUEST);
    assert_null(http_record_error(&client));
    http_client_free(&client);
    assert_int_equal(each_file(NULL, NULL), 0);
    test_alloc_assert_empty(&memory);
}

/* ---- memory ---- */

static void record_scenario(struct test_alloc *test, void *context)
{
    struct record_log log;
    struct http_request request = usual_request();
    (void)context;
    bool is_stored = record(&request, &usual_answer, &test->alloc, &log);
    assert_int_equal(each_file(NULL, NULL), is_stored);
    if (test->failures == 0)
        assert_true(is_stored);
    (void)each_file(remove_file, NULL);
}

static void replay_scenario(struct test_alloc *test, void *context)
{
    const struct http_request *request = context;
    struct http_client client = { NULL, NULL };
    struct error error = { 0 };
    struct record_log log;
    enum status status = http_replay_new(str_from(folder), &test->alloc, &client, &error);
    if (status == STATUS_OK)
        status = record_log_ask(&log, &client, request);
    if (status == STATUS_OK)
        assert_int_equal(log.outcome, HTTP_DONE);
    else
        assert_int_equal(status, STATUS_NO_MEMORY);
    if (test->failures == 0)
        assert_int_equal(status, STATUS_OK);
    http_client_free(&client);
}

static void test_memory(void **state)
{
    (void)state;
    test_alloc_failures(record_scenario, NULL);
    struct http_request request = usual_request();
    record_usual(&request, &usual_answer);
    record_usual(&request, &usual_answer);
    request = request_of("https://provider.example/v1/chat",
                         "{\"messages\":[{\"content\":\"hello\",\"role\":\"user\"}],"
                         "\"model\":\"m\"}");
    test_alloc_failures(replay_scenario, &request);
    (void)each_file(remove_file, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_same_request),
        cmocka_unit_test(test_in_order),       cmocka_unit_test(test_two_recorders),
        cmocka_unit_test(test_passes_through), cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_secrets),        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_full_disk),      cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_cut_files),      cmocka_unit_test(test_replay_client),
        cmocka_unit_test(test_replay_stops),   cmocka_unit_test(test_refused_start),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
