/* output.c - data to stdout or to a file that is replaced at once. See output.h.
 *
 * Owns: writing bytes. Leaves to others: which bytes, and telling the person. Invariant: no
 * temporary file outlives commit or discard.
 */
#include "base/features.h"

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/printable.h"

enum { OUTPUT_FLUSH_BYTES = 64 * 1024, OUTPUT_LINKS_MAX = 40 };

static const char temporary_suffix[] = ".XXXXXX";

static enum status output_refuse(const struct cli_output *out, struct error *error)
{
    (void)error_set(error, STATUS_INVALID_REQUEST, "cannot write \"%.200s\": %s", out->path,
                    strerror(errno));
    error_hint(error, "give -o a file in a directory that exists and that you may write");
    return STATUS_INVALID_REQUEST;
}

/* The file that a rename must replace, in out->target: where symbolic links lead from path. */
static enum status output_set_target(struct cli_output *out, struct error *error)
{
    char place[PATH_MAX];
    char link[PATH_MAX];
    if (strlen(out->path) >= sizeof(place)) {
        errno = ENAMETOOLONG;
        return output_refuse(out, error);
    }
    memcpy(place, out->path, strlen(out->path) + 1);
    for (unsigned hops = 0; hops < OUTPUT_LINKS_MAX; hops++) {
        ssize_t len = readlink(place, link, sizeof(link) - 1);
        if (len < 0)
            break; /* no link, or nothing there: mkstemp says the rest */
        link[len] = '\0';
        const char *slash = strrchr(place, '/');
        size_t kept = link[0] == '/' || slash == NULL ? 0 : (size_t)(slash - place) + 1;
        if (kept + (size_t)len >= sizeof(place)) {
            errno = ENAMETOOLONG;
            return output_refuse(out, error);
        }
        memcpy(place + kept, link, (size_t)len + 1);
    }
    out->target_size = strlen(place) + 1;
    out->target = alloc_get(out->alloc, out->target_size);
    if (out->target == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    memcpy(out->target, place, out->target_size);
    return STATUS_OK;
}

/* mkstemp makes a private file; the result gets the mode of what it replaces, or the usual one. */
static int output_set_mode(int fd, const struct stat *replaced)
{
    if (replaced != NULL)
        return fchmod(fd, replaced->st_mode & 0777);
    mode_t mask = umask(0);
    (void)umask(mask);
    return fchmod(fd, 0666 & ~mask);
}

static enum status output_open_file(struct cli_output *out, struct error *error)
{
    struct stat info;
    bool exists = stat(out->path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) {
        /* Devices and pipes have no contents to protect; a directory is refused by open. */
        out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
        return out->fd < 0 ? output_refuse(out, error) : STATUS_OK;
    }
    enum status status = output_set_target(out, error);
    if (status != STATUS_OK)
        return status;
    size_t size = out->target_size + sizeof(temporary_suffix) - 1;
    out->temporary = alloc_get(out->alloc, size);
    if (out->temporary == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    (void)snprintf(out->temporary, size, "%s%s", out->target, temporary_suffix);
    out->fd = mkstemp(out->temporary);
    if (out->fd < 0) {
        alloc_free(out->alloc, out->temporary, size);
        out->temporary = NULL;
        return output_refuse(out, error);
    }
    (void)fcntl(out->fd, F_SETFD, FD_CLOEXEC);
    if (output_set_mode(out->fd, exists ? &info : NULL) != 0)
        return output_refuse(out, error);
    return STATUS_OK;
}

enum status cli_output_open(struct cli_output *out, const char *path, const struct alloc *alloc,
                            struct error *error)
{
    *out = (struct cli_output){ .fd = STDOUT_FILENO, .alloc = alloc };
    buffer_init(&out->pending, alloc, SIZE_MAX / 2);
    if (path != NULL && strcmp(path, "-") != 0) {
        out->path = path;
        enum status status = output_open_file(out, error);
        if (status != STATUS_OK) {
            cli_output_discard(out);
            out->path = NULL; /* what is said about it goes to standard output */
            out->fd = STDOUT_FILENO;
            return status;
        }
    }
    out->is_terminal = isatty(out->fd) == 1;
    return STATUS_OK;
}

static void output_write(struct cli_output *out)
{
    size_t done = 0;
    while (out->failed_errno == 0 && done < out->pending.len) {
        ssize_t count = write(out->fd, out->pending.ptr + done, out->pending.len - done);
        if (count >= 0)
            done += (size_t)count;
        else if (errno != EINTR)
            out->failed_errno = errno;
    }
    buffer_clear(&out->pending);
}

void cli_output_append(struct cli_output *out, struct str text)
{
    out->is_used = true;
    if (out->is_terminal)
        cli_printable_append_json(&out->pending, text);
    else
        buffer_append_str(&out->pending, text);
    if (buffer_status(&out->pending) != STATUS_OK && out->failed_errno == 0)
        out->failed_errno = ENOMEM;
    if (out->pending.len >= OUTPUT_FLUSH_BYTES)
        output_write(out);
}

static enum status output_failed(const struct cli_output *out, struct error *error)
{
    if (out->failed_errno == EPIPE)
        return error_set(error, STATUS_STORE, "%s", "");
    if (out->path == NULL)
        (void)error_set(error, STATUS_STORE, "cannot write standard output: %s",
                        strerror(out->failed_errno));
    else
        (void)error_set(error, STATUS_STORE, "cannot write \"%.200s\": %s", out->path,
                        strerror(out->failed_errno));
    if (out->target != NULL)
        error_hint(error, "the file is as it was before");
    return STATUS_STORE;
}

enum status cli_output_commit(struct cli_output *out, struct error *error)
{
    enum status status = STATUS_OK;
    if (out->is_used)
        output_write(out);
    if (out->is_used && out->target != NULL && out->failed_errno == 0) {
        if (fsync(out->fd) != 0 || close(out->fd) != 0)
            out->failed_errno = errno;
        else if (rename(out->temporary, out->target) != 0)
            out->failed_errno = errno;
        else
            out->temporary[0] = '\0';
        out->fd = -1;
    }
    if (out->failed_errno != 0)
        status = output_failed(out, error);
    cli_output_discard(out);
    return status;
}

void cli_output_discard(struct cli_output *out)
{
    if (out->fd >= 0 && out->path != NULL)
        (void)close(out->fd);
    out->fd = -1;
    if (out->temporary != NULL) {
        size_t size = out->target_size + sizeof(temporary_suffix) - 1;
        if (out->temporary[0] != '\0')
            (void)unlink(out->temporary);
        alloc_free(out->alloc, out->temporary, size);
    }
    out->temporary = NULL;
    alloc_free(out->alloc, out->target, out->target_size);
    out->target = NULL;
    buffer_release(&out->pending);
}

unsigned cli_output_indent(const struct cli_output *out)
{
    return out->is_terminal ? 2 : 0;
}
