/* key_source.c - the key of a provider, from where the person keeps it. See key_source.h.
 *
 * Owns: environment variable, file, command. Leaves to others: sending it. Invariant: no message
 * holds a key or a command, and the memory that held one is zeroed.
 */
#include "base/features.h"

#include "cli/key_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY_COMMAND_MS = 30000, KEY_STEP_MS = 20, KEY_PATH_BYTES = 4096 };

extern char **environ;

void cli_key_source_append(struct buffer *out, const struct provider_row *row)
{
    if (row->key_source.len > 0) {
        buffer_append_str(out, row->key_source);
    } else if (row->key_variable.len > 0) {
        buffer_append_str(out, STR("env:"));
        buffer_append_str(out, row->key_variable);
    }
}

void cli_key_release(struct buffer *key)
{
    volatile char *bytes = key->ptr;
    for (size_t i = 0; bytes != NULL && i < key->cap; i++)
        bytes[i] = 0;
    buffer_release(key);
}

static const char *key_variable(struct str name, char *copy, size_t size)
{
    if (name.len >= size)
        return NULL;
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    const char *value = getenv(copy);
    return value == NULL || value[0] == '\0' ? NULL : value;
}

static struct str key_part(const struct provider_row *row, struct str prefix)
{
    struct str source = row->key_source;
    if (!str_starts_with(source, prefix))
        return STR("");
    return str_of(source.ptr + prefix.len, source.len - prefix.len);
}

/* The path of a key's file; "~/" is the home folder. False: too long, or no home. */
static bool key_path(struct str path, char *out)
{
    const char *home = "";
    if (str_starts_with(path, STR("~/"))) {
        home = getenv("HOME");
        path = str_of(path.ptr + 1, path.len - 1);
    }
    return home != NULL &&
           snprintf(out, KEY_PATH_BYTES, "%s%.*s", home, (int)path.len, path.ptr) < KEY_PATH_BYTES;
}

bool cli_key_is_present(const struct provider_row *row)
{
    char path[KEY_PATH_BYTES];
    struct str file = key_part(row, STR("file:"));
    struct str variable = key_part(row, STR("env:"));
    if (file.len > 0)
        return key_path(file, path) && access(path, R_OK) == 0;
    if (variable.len == 0 && row->key_source.len > 0)
        return true;
    if (variable.len == 0)
        variable = row->key_variable;
    return variable.len > 0 && key_variable(variable, path, sizeof(path)) != NULL;
}

/* ---- a file ---- */

static enum status key_file_open(const char *path, int *out_fd, struct error *error)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) != 0) {
        (void)error_set(error, STATUS_NOT_CONFIGURED,
                        "the key's file \"%.200s\" cannot be read: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        (void)error_set(error, STATUS_INVALID_REQUEST, "the key's file \"%.200s\" is no file",
                        path);
    } else if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        (void)error_set(error, STATUS_INVALID_REQUEST,
                        "the key's file \"%.200s\" can be used by others", path);
        error_hint(error, "chmod 600 it");
    } else if (info.st_uid != geteuid() && info.st_uid != 0) {
        (void)error_set(error, STATUS_INVALID_REQUEST,
                        "the key's file \"%.200s\" belongs to somebody else", path);
    } else {
        *out_fd = fd;
        return STATUS_OK;
    }
    if (fd >= 0)
        (void)close(fd);
    return error->status;
}

static enum status key_from_file(struct str name, struct buffer *out, struct error *error)
{
    char path[KEY_PATH_BYTES];
    char bytes[1024];
    int fd = -1;
    ssize_t count = 1;
    if (!key_path(name, path))
        return error_set(error, STATUS_INVALID_REQUEST, "the path of the key's file is too long");
    enum status status = key_file_open(path, &fd, error);
    if (status != STATUS_OK)
        return status;
    while (count > 0 && buffer_status(out) == STATUS_OK) {
        count = read(fd, bytes, sizeof(bytes));
        if (count > 0)
            buffer_append(out, bytes, (size_t)count);
    }
    memset(bytes, 0, sizeof(bytes));
    (void)close(fd);
    if (count < 0)
        return error_set(error, STATUS_NOT_CONFIGURED, "the key's file \"%.200s\" cannot be read",
                         path);
    return STATUS_OK;
}

/* ---- a command ---- */

/* Starts it with its output at *out_fd. */
static enum status key_command_start(const char *command, pid_t *out_pid, int *out_fd,
                                     struct error *error)
{
    char shell[] = "sh", flag[] = "-c";
    char text[KEY_PATH_BYTES];
    char *arguments[] = { shell, flag, text, NULL };
    int ends[2];
    posix_spawn_file_actions_t actions;
    (void)snprintf(text, sizeof(text), "%s", command);
    if (pipe(ends) != 0)
        return error_set(error, STATUS_INTERNAL, "no pipe for the key's command");
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed == 0) {
        failed |= posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        failed |= posix_spawn_file_actions_addclose(&actions, ends[1]);
        if (failed == 0)
            failed = posix_spawn(out_pid, "/bin/sh", &actions, NULL, arguments, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)close(ends[1]);
    if (failed != 0) {
        (void)close(ends[0]);
        return error_set(error, STATUS_NOT_CONFIGURED, "the key's command cannot be started");
    }
    *out_fd = ends[0];
    return STATUS_OK;
}

/* Reads until the end, the deadline, or the wish to stop. */
static enum status key_command_read(int fd, const struct cancel *cancel, struct buffer *out,
                                    struct error *error)
{
    char bytes[1024];
    const struct clock *clock = clock_system();
    int64_t until_ms = clock->now_ms(clock->state) + KEY_COMMAND_MS;
    enum status status = STATUS_OK;
    for (;;) {
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        if (cancel != NULL && atomic_load(&cancel->requested)) {
            status = error_set(error, STATUS_CANCELLED, "cancelled while the key was read");
            break;
        }
        if (clock->now_ms(clock->state) >= until_ms) {
            status = error_set(error, STATUS_DEADLINE, "the key's command did not end within 30 s");
            break;
        }
        if (poll(&wait, 1, KEY_STEP_MS) <= 0)
            continue;
        ssize_t count = read(fd, bytes, sizeof(bytes));
        if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
            break;
        if (count > 0)
            buffer_append(out, bytes, (size_t)count);
        if (buffer_status(out) != STATUS_OK)
            break;
    }
    memset(bytes, 0, sizeof(bytes));
    return status;
}

static enum status key_from_command(struct str name, const struct cancel *cancel,
                                    struct buffer *out, struct error *error)
{
    char command[KEY_PATH_BYTES];
    pid_t pid = -1;
    int fd = -1;
    int code = 0;
    if (name.len >= sizeof(command))
        return error_set(error, STATUS_INVALID_REQUEST, "the key's command is too long");
    memcpy(command, name.ptr, name.len);
    command[name.len] = '\0';
    enum status status = key_command_start(command, &pid, &fd, error);
    if (status != STATUS_OK)
        return status;
    status = key_command_read(fd, cancel, out, error);
    (void)close(fd);
    if (status != STATUS_OK || buffer_status(out) != STATUS_OK)
        (void)kill(pid, SIGTERM);
    while (waitpid(pid, &code, 0) < 0 && errno == EINTR)
        continue;
    if (status == STATUS_OK && buffer_status(out) == STATUS_OK &&
        (!WIFEXITED(code) || WEXITSTATUS(code) != 0))
        status = error_set(error, STATUS_NOT_CONFIGURED, "the key's command failed");
    return status;
}

/* ---- any of them ---- */

/* Without the newline at its end; visible ASCII only, so that it can be a header's value. */
static enum status key_check(struct buffer *key, struct str id, struct error *error)
{
    if (buffer_status(key) == STATUS_NO_MEMORY)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    while (key->len > 0 && strchr("\r\n \t", key->ptr[key->len - 1]) != NULL)
        buffer_truncate(key, key->len - 1);
    bool is_good = buffer_status(key) == STATUS_OK;
    for (size_t i = 0; i < key->len; i++)
        is_good = is_good && key->ptr[i] > ' ' && key->ptr[i] < 0x7F;
    if (!is_good)
        return error_set(error, STATUS_INVALID_REQUEST,
                         "the key of the provider \"%.*s\" is too long or holds a character that "
                         "no key has",
                         (int)id.len, id.ptr);
    return STATUS_OK;
}

enum status cli_key_read(const struct provider_row *row, const struct cancel *cancel,
                         struct buffer *out, struct error *error)
{
    char name[KEY_PATH_BYTES];
    struct str file = key_part(row, STR("file:"));
    struct str command = key_part(row, STR("cmd:"));
    struct str variable = key_part(row, STR("env:"));
    enum status status = STATUS_OK;
    bool is_configured = row->key_source.len > 0;
    /* All at once: growing would leave copies behind. */
    if (buffer_reserve(out, CLI_KEY_BYTES) == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    if (file.len > 0)
        status = key_from_file(file, out, error);
    else if (command.len > 0)
        status = key_from_command(command, cancel, out, error);
    else
        buffer_append_str(out,
                          str_from(key_variable(variable.len > 0 ? variable : row->key_variable,
                                                name, sizeof(name))));
    if (status == STATUS_OK)
        status = key_check(out, row->id, error);
    if (status == STATUS_OK && is_configured && out->len == 0) {
        bool is_command = command.len > 0;
        (void)error_set(error, STATUS_NOT_CONFIGURED, "there is no key for the provider \"%.*s\"",
                        (int)row->id.len, row->id.ptr);
        error_hint(error, "its configuration names %.*s", is_command ? 9 : (int)row->key_source.len,
                   is_command ? "a command" : row->key_source.ptr);
        status = STATUS_NOT_CONFIGURED;
    }
    return status;
}
