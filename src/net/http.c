/* http.c - what every HTTP client shares: names of outcomes, headers by name. */
#include "base/features.h"

#include "net/http.h"

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool name_equal(struct str a, struct str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i]))
            return false;
    }
    return true;
}

struct str http_head_get(const struct http_head *head, struct str name)
{
    for (uint32_t i = 0; i < head->header_count; i++) {
        if (name_equal(head->headers[i].name, name))
            return head->headers[i].value;
    }
    return STR("");
}

const char *http_outcome_name(enum http_outcome outcome)
{
    static const char *const names[] = {
        [HTTP_DONE] = "done",
        [HTTP_STOPPED] = "stopped",
        [HTTP_UNREACHABLE] = "unreachable",
        [HTTP_TLS_FAILED] = "tls-failed",
        [HTTP_CONNECT_TIMEOUT] = "connect-timeout",
        [HTTP_FIRST_BYTE_TIMEOUT] = "first-byte-timeout",
        [HTTP_IDLE_TIMEOUT] = "idle-timeout",
        [HTTP_DEADLINE] = "deadline",
        [HTTP_RESET] = "reset",
        [HTTP_BODY_TOO_LARGE] = "body-too-large",
        [HTTP_HEAD_TOO_LARGE] = "head-too-large",
        [HTTP_PROTOCOL] = "protocol",
        [HTTP_NO_MEMORY] = "no-memory",
        [HTTP_REPLAY_MISMATCH] = "replay-mismatch",
    };
    return names[outcome];
}
