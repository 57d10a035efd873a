/* record_file.c - an exchange as a file. See record_file.h. */
#include "base/features.h"

#include "net/record_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_MODE = 0600,
    FOLDER_MODE = 0700,
    NAME_DIGITS = 6,
    BODY_BYTES = 64 << 20,
    HEADER_BYTES = 1 << 20,
    READ_BYTES = 64 << 10,
    COMPARE_STEPS = 1 << 24,
    FAR = 1000000
};

void record_exchange_init(struct record_exchange *exchange, const struct alloc *alloc)
{
    memset(exchange, 0, sizeof(*exchange));
    buffer_init(&exchange->method, alloc, HEADER_BYTES);
    buffer_init(&exchange->url, alloc, HEADER_BYTES);
    buffer_init(&exchange->headers, alloc, HEADER_BYTES);
    buffer_init(&exchange->request_body, alloc, 2 * (size_t)BODY_BYTES);
    buffer_init(&exchange->reply_headers, alloc, HEADER_BYTES);
    buffer_init(&exchange->body, alloc, BODY_BYTES);
}

void record_exchange_release(struct record_exchange *exchange)
{
    buffer_release(&exchange->method);
    buffer_release(&exchange->url);
    buffer_release(&exchange->headers);
    buffer_release(&exchange->request_body);
    buffer_release(&exchange->reply_headers);
    buffer_release(&exchange->body);
}

static void add_header(struct buffer *out, const struct http_header *header)
{
    if (header->is_secret)
        return;
    buffer_append_str(out, header->name);
    buffer_append_str(out, STR(": "));
    buffer_append_str(out, header->value);
    buffer_append_byte(out, '\n');
}

void record_exchange_request(struct record_exchange *exchange, const struct http_request *request)
{
    buffer_append_str(&exchange->method, request->method);
    buffer_append_str(&exchange->url, request->url);
    for (uint32_t i = 0; i < request->header_count; i++)
        add_header(&exchange->headers, &request->headers[i]);
    buffer_append_str(&exchange->request_body, request->body);
}

/* What a server says of itself or sets is not for a file that may go into git. */
static bool header_is_kept(struct str name)
{
    static const char *const dropped[] = { "set-cookie", "authorization", "x-api-key",
                                           "anthropic-organization-id", "openai-organization" };
    for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
        struct http_header header = { name, STR("x"), false };
        struct http_head head = { 0, &header, 1 };
        if (http_head_get(&head, str_from(dropped[i])).len > 0)
            return false;
    }
    return true;
}

void record_exchange_head(struct record_exchange *exchange, const struct http_head *head)
{
    exchange->status = head->status;
    for (uint32_t i = 0; i < head->header_count; i++) {
        if (header_is_kept(head->headers[i].name))
            add_header(&exchange->reply_headers, &head->headers[i]);
    }
}

/* ---- folders and names ---- */

/* NUL-terminated path of a file of folder. */
static bool path_of(struct str folder, const char *name, char out[RECORD_PATH_BYTES])
{
    int len = snprintf(out, RECORD_PATH_BYTES, "%.*s/%s", (int)folder.len, folder.ptr, name);
    return len > 0 && len < RECORD_PATH_BYTES;
}

static void name_of(uint32_t number, const char *suffix, char out[64])
{
    (void)snprintf(out, 64, "%0*u%s", NAME_DIGITS, number, suffix);
}

static enum status store_error(struct error *error, const char *what, struct str folder)
{
    return error_set(error, STATUS_STORE, "%s %.*s: %s", what, (int)folder.len, folder.ptr,
                     strerror(errno));
}

enum status record_folder_make(struct str folder, struct error *error)
{
    char path[RECORD_PATH_BYTES];
    struct stat info;
    if (folder.len == 0 || folder.len >= sizeof(path))
        return error_set(error, STATUS_INVALID_REQUEST,
                         "the folder of recordings has no usable "
                         "name");
    memcpy(path, folder.ptr, folder.len);
    path[folder.len] = '\0';
    if (mkdir(path, FOLDER_MODE) != 0 && errno != EEXIST)
        return store_error(error, "cannot make the folder of recordings", folder);
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode) || access(path, W_OK) != 0)
        return error_set(error, STATUS_STORE, "%s is no folder that can be written to", path);
    return STATUS_OK;
}

uint32_t record_folder_count(struct str folder)
{
    char path[RECORD_PATH_BYTES];
    uint32_t highest = 0;
    if (!path_of(folder, "", path))
        return 0;
    DIR *handle = opendir(path);
    if (handle == NULL)
        return 0;
    for (struct dirent *entry = readdir(handle); entry != NULL; entry = readdir(handle)) {
        char *end = NULL;
        unsigned long number = strtoul(entry->d_name, &end, 10);
        if (end != entry->d_name && strcmp(end, ".json") == 0 && number < RECORD_FILES_MAX &&
            number > highest)
            highest = (uint32_t)number;
    }
    (void)closedir(handle);
    return highest;
}

/* ---- writing ---- */

static void write_lines(struct str lines, struct buffer *out)
{
    bool is_first = true;
    buffer_append_byte(out, '{');
    while (lines.len > 0) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end == NULL ? lines.len : (size_t)(end - lines.ptr);
        const char *colon = memchr(lines.ptr, ':', len);
        if (colon != NULL) {
            size_t name = (size_t)(colon - lines.ptr);
            buffer_append_str(out, is_first ? STR("") : STR(","));
            json_write_string(str_of(lines.ptr, name), out);
            buffer_append_byte(out, ':');
            json_write_string(str_of(colon + 2, len - name - 2), out);
            is_first = false;
        }
        lines = str_of(lines.ptr + len + 1, lines.len - len - 1);
    }
    buffer_append_byte(out, '}');
}

/* A JSON body as JSON, so that a person can read it and compare; else as a string. */
static void write_body(struct str body, const struct alloc *alloc, struct buffer *out)
{
    struct json_doc *doc = NULL;
    if (json_parse(body, NULL, alloc, &doc, NULL) == STATUS_OK) {
        json_write(json_doc_root(doc), 0, out);
        json_doc_free(doc);
        return;
    }
    json_write_string(body, out);
}

static void write_document(const struct record_exchange *exchange, const struct alloc *alloc,
                           struct buffer *out)
{
    buffer_append_str(out, STR("{\"method\":"));
    json_write_string(buffer_view(&exchange->method), out);
    buffer_append_str(out, STR(",\n\"url\":"));
    json_write_string(buffer_view(&exchange->url), out);
    buffer_append_str(out, STR(",\n\"headers\":"));
    write_lines(buffer_view(&exchange->headers), out);
    buffer_append_str(out, STR(",\n\"body\":"));
    write_body(buffer_view(&exchange->request_body), alloc, out);
    buffer_printf(out, ",\n\"reply\":{\"outcome\":\"%s\",\"status\":%d,\n\"headers\":",
                  http_outcome_name(exchange->outcome), exchange->status);
    write_lines(buffer_view(&exchange->reply_headers), out);
    buffer_append_str(out, STR(",\n\"body\":"));
    json_write_string(buffer_view(&exchange->body), out);
    buffer_append_str(out, STR("}}\n"));
}

static bool write_all(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t written = write(fd, bytes.ptr, bytes.len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes = str_of(bytes.ptr + written, bytes.len - (size_t)written);
    }
    return true;
}

enum status record_file_write(struct str folder, uint32_t number,
                              const struct record_exchange *exchange, const struct alloc *alloc,
                              struct error *error)
{
    char name[64], path[RECORD_PATH_BYTES], temporary[RECORD_PATH_BYTES];
    struct buffer text;
    name_of(number, ".json", name);
    bool has_path = path_of(folder, name, path);
    name_of(number, ".tmp", name);
    has_path = path_of(folder, name, temporary) && has_path;
    if (!has_path)
        return error_set(error, STATUS_STORE, "the path of a recording is too long");
    buffer_init(&text, alloc, RECORD_FILE_BYTES);
    write_document(exchange, alloc, &text);
    enum status status = buffer_status(&text);
    int fd = status == STATUS_OK ? open(temporary, O_WRONLY | O_CREAT | O_TRUNC, FILE_MODE) : -1;
    if (status != STATUS_OK)
        status = error_set(error, STATUS_STORE, "a recording is too large");
    else if (fd < 0 || !write_all(fd, buffer_view(&text)) || fsync(fd) != 0 ||
             rename(temporary, path) != 0)
        status = store_error(error, "cannot write a recording into", folder);
    if (fd >= 0)
        (void)close(fd);
    buffer_release(&text);
    return status;
}

/* ---- reading ---- */

static bool read_all(const char *path, struct buffer *out)
{
    char bytes[READ_BYTES];
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    ssize_t got;
    while ((got = read(fd, bytes, sizeof(bytes))) > 0)
        buffer_append(out, bytes, (size_t)got);
    (void)close(fd);
    return got == 0 && buffer_status(out) == STATUS_OK;
}

static bool take_text(struct json object, struct str name, struct buffer *out)
{
    struct json value =
        json_type(object) == JSON_OBJECT ? json_get(object, name) : (struct json){ NULL, NULL };
    if (!json_exists(value) || json_type(value) != JSON_STRING)
        return false;
    buffer_append_str(out, json_string(value));
    return true;
}

static void take_headers(struct json headers, struct buffer *out)
{
    if (!json_exists(headers) || json_type(headers) != JSON_OBJECT)
        return;
    for (struct json value = json_first(headers); json_exists(value);
         value = json_next(value, headers)) {
        if (json_type(value) == JSON_STRING)
            add_header(out,
                       &(struct http_header){ json_member_name(value), json_string(value), false });
    }
}

static enum http_outcome outcome_from(struct str name)
{
    for (int i = 0; i <= HTTP_REPLAY_MISMATCH; i++) {
        if (str_equal(name, str_from(http_outcome_name((enum http_outcome)i))))
            return (enum http_outcome)i;
    }
    return HTTP_PROTOCOL;
}

static bool take_document(struct json root, struct record_exchange *out)
{
    if (json_type(root) != JSON_OBJECT)
        return false;
    struct json reply = json_get(root, STR("reply"));
    struct json body = json_get(root, STR("body"));
    if (!json_exists(reply) || json_type(reply) != JSON_OBJECT || !json_exists(body) ||
        !take_text(root, STR("method"), &out->method) || !take_text(root, STR("url"), &out->url) ||
        !take_text(reply, STR("body"), &out->body))
        return false;
    if (json_type(body) == JSON_STRING)
        buffer_append_str(&out->request_body, json_string(body));
    else
        json_write(body, 0, &out->request_body);
    take_headers(json_get(root, STR("headers")), &out->headers);
    take_headers(json_get(reply, STR("headers")), &out->reply_headers);
    struct json outcome = json_get(reply, STR("outcome")), status = json_get(reply, STR("status"));
    if (!json_exists(outcome) || json_type(outcome) != JSON_STRING || !json_exists(status) ||
        json_type(status) != JSON_NUMBER)
        return false;
    char digits[8] = "";
    struct str text = json_number_text(status);
    memcpy(digits, text.ptr, text.len < sizeof(digits) ? text.len : sizeof(digits) - 1);
    out->status = (int)strtol(digits, NULL, 10);
    out->outcome = outcome_from(json_string(outcome));
    return true;
}

enum status record_file_read(struct str folder, uint32_t number, const struct alloc *alloc,
                             struct record_exchange *out_exchange, struct error *error)
{
    char name[64], path[RECORD_PATH_BYTES];
    struct buffer text;
    struct json_doc *doc = NULL;
    struct json_options options = JSON_OPTIONS_DEFAULT;
    record_exchange_init(out_exchange, alloc);
    name_of(number, ".json", name);
    if (!path_of(folder, name, path))
        return error_set(error, STATUS_STORE, "the path of a recording is too long");
    options.bytes_max = RECORD_FILE_BYTES;
    buffer_init(&text, alloc, RECORD_FILE_BYTES);
    enum status status = STATUS_OK;
    if (!read_all(path, &text))
        status = error_set(error, STATUS_STORE, "cannot read the recording %s", path);
    else if (json_parse(buffer_view(&text), &options, alloc, &doc, NULL) != STATUS_OK ||
             !take_document(json_doc_root(doc), out_exchange))
        status = error_set(error, STATUS_STORE, "%s is no recording of an exchange", path);
    json_doc_free(doc);
    buffer_release(&text);
    return status;
}

/* ---- comparing ---- */

/* The pointer of the first member of two JSON bodies that differs, one level at a time. */
static void find_difference(struct json a, struct json b, struct buffer *pointer)
{
    for (;;) {
        uint64_t budget = COMPARE_STEPS;
        struct json next_a = { NULL, NULL }, next_b = { NULL, NULL };
        if (json_type(a) != json_type(b) ||
            (json_type(a) != JSON_OBJECT && json_type(a) != JSON_ARRAY))
            return;
        uint32_t index = 0;
        for (struct json item = json_first(a); json_exists(item); item = json_next(item, a)) {
            struct json other = json_type(a) == JSON_OBJECT ? json_get(b, json_member_name(item))
                                                            : json_at(b, index);
            if (!json_exists(other) || !json_equal(item, other, &budget)) {
                if (json_type(a) == JSON_OBJECT)
                    json_pointer_append(pointer, json_member_name(item));
                else
                    json_pointer_append_index(pointer, index);
                next_a = item;
                next_b = other;
                break;
            }
            index++;
        }
        if (!json_exists(next_a) || !json_exists(next_b))
            return;
        a = next_a;
        b = next_b;
    }
}

static uint32_t differing_members(struct json a, struct json b)
{
    uint32_t count = 0;
    uint64_t budget = COMPARE_STEPS;
    if (json_type(a) != JSON_OBJECT || json_type(b) != JSON_OBJECT)
        return 1;
    for (struct json item = json_first(a); json_exists(item); item = json_next(item, a)) {
        struct json other = json_get(b, json_member_name(item));
        if (!json_exists(other) || !json_equal(item, other, &budget))
            count++;
    }
    return count + (json_count(b) > json_count(a) ? json_count(b) - json_count(a) : 0);
}

static bool same_body(struct str a, struct str b, const struct alloc *alloc,
                      char what[RECORD_DIFFERENCE_BYTES], uint32_t *out_distance)
{
    struct json_doc *doc_a = NULL, *doc_b = NULL;
    uint64_t budget = COMPARE_STEPS;
    bool is_same = false;
    *out_distance = FAR;
    (void)snprintf(what, RECORD_DIFFERENCE_BYTES, "the body");
    if (json_parse(a, NULL, alloc, &doc_a, NULL) != STATUS_OK ||
        json_parse(b, NULL, alloc, &doc_b, NULL) != STATUS_OK) {
        is_same = str_equal(a, b);
    } else {
        struct json root_a = json_doc_root(doc_a), root_b = json_doc_root(doc_b);
        is_same = json_equal(root_a, root_b, &budget);
        if (!is_same) {
            struct buffer pointer;
            buffer_init(&pointer, alloc, RECORD_DIFFERENCE_BYTES);
            find_difference(root_a, root_b, &pointer);
            (void)snprintf(what, RECORD_DIFFERENCE_BYTES, "the body at \"%.*s\"", (int)pointer.len,
                           pointer.len > 0 ? pointer.ptr : "");
            *out_distance = differing_members(root_a, root_b);
            buffer_release(&pointer);
        }
    }
    json_doc_free(doc_a);
    json_doc_free(doc_b);
    return is_same;
}

bool record_same_request(const struct record_exchange *a, const struct record_exchange *b,
                         const struct alloc *alloc, char what[RECORD_DIFFERENCE_BYTES],
                         uint32_t *out_distance)
{
    *out_distance = 2 * (uint32_t)FAR;
    if (!str_equal(buffer_view(&a->method), buffer_view(&b->method))) {
        (void)snprintf(what, RECORD_DIFFERENCE_BYTES, "the method");
        return false;
    }
    if (!str_equal(buffer_view(&a->url), buffer_view(&b->url))) {
        (void)snprintf(what, RECORD_DIFFERENCE_BYTES, "the URL");
        return false;
    }
    return same_body(buffer_view(&a->request_body), buffer_view(&b->request_body), alloc, what,
                     out_distance);
}
