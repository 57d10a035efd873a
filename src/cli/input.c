/* input.c - reading what the person named. See input.h.
 *
 * Owns: file descriptors of inputs. Leaves to others: what the bytes mean. Invariant: every read is
 * bounded, and an interrupted one asks whether to stop.
 */
#include "base/features.h"

#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/yaml.h"

enum { INPUT_CHUNK_BYTES = 64 * 1024, INPUT_LINES_BYTES = 256 * 1024 };

void cli_text_release(struct cli_text *text)
{
    buffer_release(&text->bytes);
}

bool cli_input_is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

static enum status input_refuse(const char *name, int number, struct error *error)
{
    (void)error_set(error, STATUS_INVALID_REQUEST, "cannot read \"%.200s\": %s", name,
                    strerror(number));
    if (number == ENOENT)
        error_hint(error, "check the path; JSON text given in place of a file begins with {");
    return STATUS_INVALID_REQUEST;
}

static enum status input_open(const char *path, int *out_fd, const char **out_name,
                              struct error *error)
{
    if (cli_input_is_stdin(path)) {
        *out_fd = STDIN_FILENO;
        *out_name = "<stdin>";
        return STATUS_OK;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return input_refuse(path, errno, error);
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)close(fd);
        return input_refuse(path, EISDIR, error);
    }
    *out_fd = fd;
    *out_name = path;
    return STATUS_OK;
}

static void input_close(int fd)
{
    if (fd > STDIN_FILENO)
        (void)close(fd);
}

/* One read; *out_len 0 at the end of the file. */
static enum status input_read(int fd, const char *name, char *into, size_t size, size_t *out_len,
                              struct error *error)
{
    for (;;) {
        if (cli_interrupt_is_requested())
            return error_set(error, STATUS_CANCELLED, "cancelled while reading");
        ssize_t count = read(fd, into, size);
        if (count >= 0) {
            *out_len = (size_t)count;
            return STATUS_OK;
        }
        if (errno != EINTR)
            return input_refuse(name, errno, error);
    }
}

static enum status input_too_large(const char *name, const struct cli_input_limit *limit,
                                   struct error *error)
{
    (void)error_set(error, limit->status, "\"%.200s\" is larger than the limit of %zu bytes", name,
                    limit->bytes_max);
    if (limit->option != NULL)
        error_hint(error, "raise the limit with %s", limit->option);
    return limit->status;
}

enum status cli_input_read(const char *path, const struct cli_input_limit *limit,
                           const struct alloc *alloc, struct cli_text *out, struct error *error)
{
    int fd = -1;
    struct cli_text text = { .name = path };
    enum status status = input_open(path, &fd, &text.name, error);
    if (status != STATUS_OK)
        return status;
    /* One byte beyond the limit tells a text that just fits from one that does not. */
    buffer_init(&text.bytes, alloc, limit->bytes_max + INPUT_CHUNK_BYTES + 1);
    size_t count = 1;
    while (count > 0 && text.bytes.len <= limit->bytes_max) {
        char *room = buffer_reserve(&text.bytes, INPUT_CHUNK_BYTES);
        if (room == NULL) {
            status = error_set(error, STATUS_NO_MEMORY, "out of memory");
            goto out;
        }
        status = input_read(fd, text.name, room, INPUT_CHUNK_BYTES, &count, error);
        if (status != STATUS_OK)
            goto out;
        text.bytes.len += count;
    }
    if (text.bytes.len > limit->bytes_max) {
        status = input_too_large(text.name, limit, error);
        goto out;
    }
    *out = text;
    memset(&text, 0, sizeof(text));
out:
    cli_text_release(&text);
    input_close(fd);
    return status;
}

static bool input_is_yaml(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Puts the JSON text of a YAML text in its place. */
static enum status input_convert(struct cli_text *text, const struct cli_input_limit *limit,
                                 const struct alloc *alloc, struct error *error)
{
    struct buffer json;
    buffer_init(&json, alloc, limit->bytes_max);
    enum status status = cli_yaml_to_json(buffer_view(&text->bytes), limit->status, &json, error);
    if (status == STATUS_REJECTED)
        status = input_too_large(text->name, limit, error);
    cli_text_release(text);
    if (status == STATUS_OK)
        text->bytes = json;
    else
        buffer_release(&json);
    return status;
}

enum status cli_input_document(const char *argument, const struct cli_input_limit *limit,
                               const struct alloc *alloc, struct cli_text *out, struct error *error)
{
    if (argument[strspn(argument, " \t\r\n")] == '{') {
        size_t len = strlen(argument);
        struct cli_text text = { .name = "<argument>" };
        if (len > limit->bytes_max)
            return input_too_large(text.name, limit, error);
        buffer_init(&text.bytes, alloc, limit->bytes_max);
        buffer_append(&text.bytes, argument, len);
        if (buffer_status(&text.bytes) != STATUS_OK) {
            cli_text_release(&text);
            return error_set(error, STATUS_NO_MEMORY, "out of memory");
        }
        *out = text;
        return STATUS_OK;
    }
    enum status status = cli_input_read(argument, limit, alloc, out, error);
    return status == STATUS_OK && input_is_yaml(argument) ? input_convert(out, limit, alloc, error)
                                                          : status;
}

enum status cli_lines_open(struct cli_lines *lines, const char *path, size_t bytes_max,
                           const struct alloc *alloc, struct error *error)
{
    struct stat info;
    *lines = (struct cli_lines){ .fd = -1, .alloc = alloc };
    enum status status = input_open(path, &lines->fd, &lines->name, error);
    if (status != STATUS_OK)
        return status;
    if (fstat(lines->fd, &info) == 0 && S_ISREG(info.st_mode))
        lines->bytes_total = (uint64_t)info.st_size;
    buffer_init(&lines->line, alloc, bytes_max);
    lines->chunk = alloc_get(alloc, INPUT_LINES_BYTES);
    if (lines->chunk == NULL) {
        cli_lines_close(lines);
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    }
    return STATUS_OK;
}

/* Fills the chunk, which was used up; *out_more is false at the end of the file. */
static enum status lines_fill(struct cli_lines *lines, bool *out_more, struct error *error)
{
    size_t count = 0;
    enum status status =
        input_read(lines->fd, lines->name, lines->chunk, INPUT_LINES_BYTES, &count, error);
    if (status != STATUS_OK)
        return status;
    lines->chunk_begin = 0;
    lines->chunk_end = count;
    lines->bytes_read += count;
    *out_more = count > 0;
    return STATUS_OK;
}

/* The next part of a line, without its end; *out_ended: the line ends with it. */
static struct str lines_part(struct cli_lines *lines, bool *out_ended)
{
    const char *begin = lines->chunk + lines->chunk_begin;
    size_t len = lines->chunk_end - lines->chunk_begin;
    const char *newline = memchr(begin, '\n', len);
    *out_ended = newline != NULL;
    if (newline != NULL)
        len = (size_t)(newline - begin);
    lines->chunk_begin += len + (newline != NULL ? 1 : 0);
    return str_of(begin, len);
}

enum status cli_lines_next(struct cli_lines *lines, struct str *out_line, bool *out_too_long,
                           bool *out_more, struct error *error)
{
    struct str part = { NULL, 0 };
    bool is_begun = false;
    bool is_ended = false;
    bool more = true;
    buffer_clear(&lines->line);
    while (!is_ended) {
        if (lines->chunk_begin == lines->chunk_end) {
            enum status status = lines_fill(lines, &more, error);
            if (status != STATUS_OK)
                return status;
            if (!more)
                break;
        }
        part = lines_part(lines, &is_ended);
        if (is_begun || !is_ended || part.len > lines->line.max) {
            buffer_append_str(&lines->line, part);
            part = buffer_view(&lines->line);
        } /* else the line lies whole in the chunk, and may stay there */
        is_begun = true;
    }
    *out_line = part;
    if (buffer_status(&lines->line) == STATUS_NO_MEMORY)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *out_too_long = buffer_status(&lines->line) != STATUS_OK;
    *out_more = is_begun;
    lines->number += is_begun ? 1 : 0;
    return STATUS_OK;
}

void cli_lines_close(struct cli_lines *lines)
{
    input_close(lines->fd);
    lines->fd = -1;
    buffer_release(&lines->line);
    alloc_free(lines->alloc, lines->chunk, INPUT_LINES_BYTES);
    lines->chunk = NULL;
}
