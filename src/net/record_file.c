/* record_file.c - an exchange as a file. See record_file.h.
 *
 * Owns: what of an exchange is kept, the form of the file, and its place in the folder. Leaves to
 * others: which requests are the same (record_compare.c). Invariants: nothing secret is written; a
 * file appears whole or not at all, and replaces no other; what is read from a file cannot be read
 * as more lines than it was written as.
 */
#include "base/features.h"

#include "net/record_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

enum {
    FOLDER_MODE = 0700,
    NAME_DIGITS = 6,
    NAME_BYTES = 64,
    BODY_BYTES = 64 << 20,
    HEADER_BYTES = 1 << 20,
    READ_BYTES = 64 << 10,
    STATUS_MIN = 100,
    STATUS_MAX = 999
};

/* ---- an exchange ---- */

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
    json_doc_free(exchange->request_doc);
    exchange->request_doc = NULL;
}

enum status record_exchange_status(const struct record_exchange *exchange)
{
    const struct buffer *parts[] = { &exchange->method,        &exchange->url,
                                     &exchange->headers,       &exchange->request_body,
                                     &exchange->reply_headers, &exchange->body };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (buffer_status(parts[i]) != STATUS_OK)
            return buffer_status(parts[i]);
    }
    return STATUS_OK;
}

/* Whether name is in the list, without case. */
static bool is_among(struct str name, const char *const *list, size_t count)
{
    struct http_header header = { name, STR("x"), false };
    struct http_head head = { 0, &header, 1 };
    for (size_t i = 0; i < count; i++) {
        if (http_head_get(&head, str_from(list[i])).len > 0)
            return true;
    }
    return false;
}

bool record_name_is_secret(struct str name)
{
    static const char *const names[] = { "authorization", "proxy-authorization", "x-api-key",
                                         "api-key",       "x-goog-api-key",      "cookie",
                                         "set-cookie" };
    return is_among(name, names, sizeof(names) / sizeof(names[0]));
}

/* What a server says of the account is not for a file that may be shown to others. */
static bool name_is_of_account(struct str name)
{
    static const char *const names[] = { "anthropic-organization-id", "openai-organization",
                                         "openai-project" };
    return is_among(name, names, sizeof(names) / sizeof(names[0]));
}

/* A line of its own, and no other: no end of line, and a name without a colon. */
static bool header_is_line(const struct http_header *header)
{
    struct str name = header->name, value = header->value;
    if (name.len == 0 || memchr(name.ptr, ':', name.len) != NULL ||
        memchr(name.ptr, '\n', name.len) != NULL)
        return false;
    return value.len == 0 || memchr(value.ptr, '\n', value.len) == NULL;
}

static bool has_name(const struct buffer *lines, struct str name)
{
    struct str left = buffer_view(lines);
    while (left.len > 0) {
        const char *end = memchr(left.ptr, '\n', left.len);
        size_t len = end == NULL ? left.len : (size_t)(end - left.ptr) + 1;
        if (len > name.len && left.ptr[name.len] == ':' && str_starts_with(left, name))
            return true;
        left = str_of(left.ptr + len, left.len - len);
    }
    return false;
}

static void add_header(struct buffer *out, const struct http_header *header)
{
    if (header->is_secret || record_name_is_secret(header->name) ||
        name_is_of_account(header->name) || !header_is_line(header) || has_name(out, header->name))
        return;
    buffer_append_str(out, header->name);
    buffer_append_str(out, STR(": "));
    buffer_append_str(out, header->value);
    buffer_append_byte(out, '\n');
}

/* The URL; what a query says under the name of a key is left out. */
static void add_url(struct buffer *out, struct str url)
{
    static const char *const names[] = { "key",   "api_key",      "api-key", "apikey",
                                         "token", "access_token", "sig",     "signature" };
    const char *query = url.len == 0 ? NULL : memchr(url.ptr, '?', url.len);
    size_t at = query == NULL ? url.len : (size_t)(query - url.ptr) + 1;
    buffer_append(out, url.ptr, at);
    while (at < url.len) {
        const char *end = memchr(url.ptr + at, '&', url.len - at);
        size_t len = end == NULL ? url.len - at : (size_t)(end - url.ptr) - at + 1;
        const char *equals = memchr(url.ptr + at, '=', len);
        size_t name_len = equals == NULL ? len : (size_t)(equals - url.ptr) - at;
        struct str name = { url.ptr + at, name_len };
        if (equals != NULL && is_among(name, names, sizeof(names) / sizeof(names[0]))) {
            buffer_append_str(out, name);
            buffer_append_str(out, end == NULL ? STR("=***") : STR("=***&"));
        } else {
            buffer_append(out, url.ptr + at, len);
        }
        at += len;
    }
}

void record_exchange_request(struct record_exchange *exchange, const struct http_request *request)
{
    buffer_append_str(&exchange->method, request->method);
    add_url(&exchange->url, request->url);
    for (uint32_t i = 0; i < request->header_count; i++)
        add_header(&exchange->headers, &request->headers[i]);
    buffer_append_str(&exchange->request_body, request->body);
}

void record_exchange_head(struct record_exchange *exchange, const struct http_head *head)
{
    exchange->status = head->status;
    for (uint32_t i = 0; i < head->header_count; i++)
        add_header(&exchange->reply_headers, &head->headers[i]);
}

static void hide_in(struct buffer *buffer, struct str secret)
{
    size_t at = 0;
    while (buffer->len - at >= secret.len) {
        char *found = memchr(buffer->ptr + at, secret.ptr[0], buffer->len - at);
        if (found == NULL || buffer->len - (size_t)(found - buffer->ptr) < secret.len)
            return;
        if (memcmp(found, secret.ptr, secret.len) == 0)
            memset(found, '*', secret.len);
        at = (size_t)(found - buffer->ptr) + 1;
    }
}

void record_exchange_hide(struct record_exchange *exchange, struct str secret)
{
    if (secret.len == 0)
        return;
    hide_in(&exchange->url, secret);
    hide_in(&exchange->headers, secret);
    hide_in(&exchange->request_body, secret);
    hide_in(&exchange->reply_headers, secret);
    hide_in(&exchange->body, secret);
}

/* ---- its text ---- */

static void write_lines(struct str lines, struct buffer *out)
{
    bool is_first = true;
    buffer_append_byte(out, '{');
    while (lines.len > 0) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end == NULL ? lines.len : (size_t)(end - lines.ptr);
        const char *colon = memchr(lines.ptr, ':', len);
        size_t name = (size_t)(colon - lines.ptr);
        struct str value = { colon + 2, len - name - 2 };
        bool is_text = utf8_check(str_of(lines.ptr, len)) == len;
        if (is_text) { /* else a header that no JSON can hold */
            buffer_append_str(out, is_first ? STR("") : STR(","));
            json_write_string(str_of(lines.ptr, name), out);
            buffer_append_byte(out, ':');
            json_write_string(value, out);
            is_first = false;
        }
        lines = str_of(lines.ptr + len + 1, lines.len - len - 1);
    }
    buffer_append_byte(out, '}');
}

static bool is_container(const struct json_doc *doc)
{
    enum json_type type = json_type(json_doc_root(doc));
    return type == JSON_OBJECT || type == JSON_ARRAY;
}

/* As JSON, so that a person can read it and compare; what else it is, as a string. */
static void write_request_body(struct str body, const struct alloc *alloc, struct buffer *out)
{
    struct json_doc *doc = NULL;
    enum status status = json_parse(body, NULL, alloc, &doc, NULL);
    if (status == STATUS_NO_MEMORY)
        out->status = status;
    else if (status == STATUS_OK && is_container(doc))
        json_write(json_doc_root(doc), 0, out);
    else
        json_write_string(body, out);
    json_doc_free(doc);
}

static void write_hex(struct str bytes, struct buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    buffer_append_byte(out, '"');
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        const char pair[2] = { digits[byte >> 4], digits[byte & 0xF] };
        buffer_append(out, pair, sizeof(pair));
    }
    buffer_append_byte(out, '"');
}

static void write_reply_body(struct str body, struct buffer *out)
{
    if (utf8_check(body) == body.len) {
        buffer_append_str(out, STR(",\n\"body\":"));
        json_write_string(body, out);
    } else {
        buffer_append_str(out, STR(",\n\"bodyHex\":"));
        write_hex(body, out);
    }
}

void record_text_write(const struct record_exchange *exchange, const struct alloc *alloc,
                       struct buffer *out)
{
    buffer_append_str(out, STR("{\"method\":"));
    json_write_string(buffer_view(&exchange->method), out);
    buffer_append_str(out, STR(",\n\"url\":"));
    json_write_string(buffer_view(&exchange->url), out);
    buffer_append_str(out, STR(",\n\"headers\":"));
    write_lines(buffer_view(&exchange->headers), out);
    buffer_append_str(out, STR(",\n\"body\":"));
    write_request_body(buffer_view(&exchange->request_body), alloc, out);
    buffer_printf(out, ",\n\"reply\":{\"outcome\":\"%s\",\"status\":%d,\n\"headers\":",
                  http_outcome_name(exchange->outcome), exchange->status);
    write_lines(buffer_view(&exchange->reply_headers), out);
    write_reply_body(buffer_view(&exchange->body), out);
    buffer_append_str(out, STR("}}\n"));
}

static struct json member(struct json object, struct str name, enum json_type type)
{
    struct json value = json_get(object, name);
    return json_exists(value) && json_type(value) == type ? value : (struct json){ NULL, NULL };
}

static bool take_text(struct json object, struct str name, struct buffer *out)
{
    struct json value = member(object, name, JSON_STRING);
    if (json_exists(value))
        buffer_append_str(out, json_string(value));
    return json_exists(value);
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static bool take_hex(struct json object, struct str name, struct buffer *out)
{
    struct json value = member(object, name, JSON_STRING);
    if (!json_exists(value))
        return false;
    struct str text = json_string(value);
    for (size_t i = 0; i + 1 < text.len; i += 2) {
        int high = hex_digit(text.ptr[i]), low = hex_digit(text.ptr[i + 1]);
        if (high < 0 || low < 0)
            return false;
        buffer_append_byte(out, (char)(high << 4 | low));
    }
    return text.len % 2 == 0;
}

static bool take_headers(struct json object, struct buffer *out)
{
    struct json headers = member(object, STR("headers"), JSON_OBJECT);
    if (!json_exists(headers))
        return false;
    for (struct json value = json_first(headers); json_exists(value);
         value = json_next(value, headers)) {
        if (json_type(value) != JSON_STRING)
            return false;
        add_header(out,
                   &(struct http_header){ json_member_name(value), json_string(value), false });
    }
    return true;
}

static bool take_outcome(struct json reply, enum http_outcome *out_outcome)
{
    struct json value = member(reply, STR("outcome"), JSON_STRING);
    for (int i = 0; json_exists(value) && i < HTTP_REPLAY_MISMATCH; i++) {
        if (str_equal(json_string(value), str_from(http_outcome_name((enum http_outcome)i)))) {
            *out_outcome = (enum http_outcome)i;
            return true;
        }
    }
    return false;
}

static bool take_status(struct json reply, int *out_status)
{
    struct json value = member(reply, STR("status"), JSON_NUMBER);
    if (!json_exists(value) || !json_number_is_plain(value))
        return false;
    struct str text = json_number_text(value);
    int status = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || status > STATUS_MAX)
            return false;
        status = status * 10 + (text.ptr[i] - '0');
    }
    *out_status = status;
    return status == 0 || (status >= STATUS_MIN && status <= STATUS_MAX);
}

static bool take_request(struct json root, struct record_exchange *out)
{
    struct json body = json_get(root, STR("body"));
    if (!json_exists(body) || !take_text(root, STR("method"), &out->method) ||
        !take_text(root, STR("url"), &out->url) || !take_headers(root, &out->headers))
        return false;
    if (json_type(body) == JSON_STRING)
        buffer_append_str(&out->request_body, json_string(body));
    else
        json_write(body, 0, &out->request_body);
    return true;
}

static bool take_document(struct json root, struct record_exchange *out)
{
    if (json_type(root) != JSON_OBJECT)
        return false;
    struct json reply = member(root, STR("reply"), JSON_OBJECT);
    if (!json_exists(reply) || !take_request(root, out) || !take_outcome(reply, &out->outcome) ||
        !take_status(reply, &out->status) || !take_headers(reply, &out->reply_headers) ||
        (!take_text(reply, STR("body"), &out->body) &&
         !take_hex(reply, STR("bodyHex"), &out->body)))
        return false;
    bool has_head = out->status != 0;
    return has_head || (out->body.len == 0 && out->outcome != HTTP_DONE);
}

bool record_text_read(struct str text, const struct alloc *alloc,
                      struct record_exchange *out_exchange)
{
    struct json_doc *doc = NULL;
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.bytes_max = RECORD_FILE_BYTES;
    enum status status = json_parse(text, &options, alloc, &doc, NULL);
    bool is_taken = status == STATUS_OK && take_document(json_doc_root(doc), out_exchange);
    if (status == STATUS_NO_MEMORY)
        out_exchange->body.status = status;
    json_doc_free(doc);
    return is_taken && record_exchange_status(out_exchange) == STATUS_OK;
}

/* ---- folders and names ---- */

/* NUL-terminated path of a file of folder. */
static bool path_of(struct str folder, const char *name, char out[RECORD_PATH_BYTES])
{
    int len = snprintf(out, RECORD_PATH_BYTES, "%.*s/%s", (int)folder.len, folder.ptr, name);
    return len > 0 && len < RECORD_PATH_BYTES;
}

static bool path_of_number(struct str folder, uint32_t number, char out[RECORD_PATH_BYTES])
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof(name), "%0*u.json", NAME_DIGITS, number);
    return path_of(folder, name, out);
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
    if (folder.len == 0 || folder.len >= sizeof(path) - NAME_BYTES)
        return error_set(error, STATUS_INVALID_REQUEST,
                         "the folder of recordings has no usable name");
    memcpy(path, folder.ptr, folder.len);
    path[folder.len] = '\0';
    if (mkdir(path, FOLDER_MODE) != 0 && errno != EEXIST)
        return store_error(error, "cannot make the folder of recordings", folder);
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode) || access(path, W_OK) != 0)
        return error_set(error, STATUS_STORE, "%s is no folder that can be written to", path);
    return STATUS_OK;
}

uint32_t record_folder_last(struct str folder)
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
        if (end == entry->d_name + NAME_DIGITS && strcmp(end, ".json") == 0 && number > highest &&
            number < RECORD_FILES_MAX)
            highest = (uint32_t)number;
    }
    (void)closedir(handle);
    return highest;
}

/* ---- files ---- */

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

/* Gives a written file its name, under the next number that nobody has taken. */
static bool take_number(struct str folder, const char *temporary, uint32_t *number)
{
    char path[RECORD_PATH_BYTES];
    while (++*number < RECORD_FILES_MAX && path_of_number(folder, *number, path)) {
        if (link(temporary, path) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    errno = EFBIG;
    return false;
}

static enum status store_text(struct str folder, struct str text, uint32_t *number,
                              struct error *error)
{
    char temporary[RECORD_PATH_BYTES];
    if (!path_of(folder, "recording-XXXXXX", temporary))
        return error_set(error, STATUS_STORE, "the path of a recording is too long");
    int fd = mkstemp(temporary); /* 0600 */
    if (fd < 0)
        return store_error(error, "cannot write a recording into", folder);
    bool is_written = write_all(fd, text) && fsync(fd) == 0;
    is_written = close(fd) == 0 && is_written;
    enum status status = STATUS_OK;
    if (!is_written || !take_number(folder, temporary, number))
        status = store_error(error, "cannot write a recording into", folder);
    (void)unlink(temporary);
    return status;
}

enum status record_file_write(struct str folder, uint32_t *number,
                              const struct record_exchange *exchange, const struct alloc *alloc,
                              struct error *error)
{
    struct buffer text;
    buffer_init(&text, alloc, RECORD_FILE_BYTES);
    enum status status = record_exchange_status(exchange);
    if (status == STATUS_OK) {
        record_text_write(exchange, alloc, &text);
        status = buffer_status(&text);
    }
    if (status == STATUS_NO_MEMORY)
        (void)error_set(error, status, "out of memory");
    else if (status != STATUS_OK)
        status = error_set(error, STATUS_STORE, "a recording is too large");
    else
        status = store_text(folder, buffer_view(&text), number, error);
    buffer_release(&text);
    return status;
}

static bool read_all(int fd, struct buffer *out)
{
    char bytes[READ_BYTES];
    ssize_t got;
    do {
        got = read(fd, bytes, sizeof(bytes));
        if (got > 0)
            buffer_append(out, bytes, (size_t)got);
    } while ((got > 0 && buffer_status(out) == STATUS_OK) || (got < 0 && errno == EINTR));
    return got == 0;
}

enum status record_file_read(struct str folder, uint32_t number, const struct alloc *alloc,
                             struct record_exchange *out_exchange, bool *out_is_absent,
                             struct error *error)
{
    char path[RECORD_PATH_BYTES];
    struct buffer text;
    record_exchange_init(out_exchange, alloc);
    *out_is_absent = false;
    if (!path_of_number(folder, number, path))
        return error_set(error, STATUS_STORE, "the path of a recording is too long");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out_is_absent = fd < 0 && errno == ENOENT;
    if (fd < 0)
        return *out_is_absent ? STATUS_OK
                              : error_set(error, STATUS_STORE, "cannot read the recording %s: %s",
                                          path, strerror(errno));
    buffer_init(&text, alloc, RECORD_FILE_BYTES);
    bool is_read = read_all(fd, &text);
    bool is_short = buffer_status(&text) == STATUS_NO_MEMORY;
    (void)close(fd);
    enum status status = STATUS_OK;
    if (!is_read && !is_short)
        status = error_set(error, STATUS_STORE, "cannot read the recording %s", path);
    else if (is_short || !record_text_read(buffer_view(&text), alloc, out_exchange))
        status = is_short || record_exchange_status(out_exchange) == STATUS_NO_MEMORY
                     ? error_set(error, STATUS_NO_MEMORY, "out of memory")
                     : error_set(error, STATUS_STORE, "%s is no recording of an exchange", path);
    buffer_release(&text);
    return status;
}
