/* failure_time.c - when a provider says to come back, and what else the head of a reply says.
 *
 * Owns: Retry-After as seconds or as a date, retry-after-ms, durations such as "34.5s", request
 * ids, x-should-retry. Leaves to others: whether to wait (retry.h). Invariant: what makes no sense
 * counts as not said; no value is beyond a day.
 */
#include "base/features.h"

#include "provider/failure.h"
#include "provider/failure_parts.h"

enum { WAIT_MS_MAX = 24 * 60 * 60 * 1000, DIGITS_MAX = 12 };

static struct str trim(struct str text)
{
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = str_of(text.ptr + 1, text.len - 1);
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

static int64_t wait_bounded(int64_t wait_ms)
{
    return wait_ms > WAIT_MS_MAX ? WAIT_MS_MAX : wait_ms;
}

/* Digits with an optional fraction, in units of unit_ms; -1 when it is not that. More digits than
 * fit count as the longest wait. */
static int64_t read_number(struct str text, int64_t unit_ms)
{
    int64_t whole = 0;
    int64_t fraction = 0;
    int64_t scale = unit_ms;
    size_t at = 0;
    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
        whole = at < DIGITS_MAX ? whole * 10 + (text.ptr[at] - '0') : INT64_MAX / 10000;
    if (at == 0)
        return -1;
    if (at < text.len && text.ptr[at] == '.') {
        for (at++; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
            scale /= 10;
            fraction += (text.ptr[at] - '0') * scale;
        }
    }
    if (at != text.len)
        return -1;
    if (whole > WAIT_MS_MAX / unit_ms)
        return WAIT_MS_MAX;
    return wait_bounded(whole * unit_ms + fraction);
}

int64_t failure_read_duration(struct str text)
{
    text = trim(text);
    if (text.len < 2 || text.ptr[text.len - 1] != 's')
        return -1;
    return read_number(str_of(text.ptr, text.len - 1), 1000);
}

static int64_t read_digits(struct str text, size_t at, size_t count)
{
    int64_t value = 0;
    for (size_t i = at; i < at + count; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return -1;
        value = value * 10 + (text.ptr[i] - '0');
    }
    return value;
}

static int64_t read_month(struct str text, size_t at)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int64_t i = 0; i < 12; i++) {
        if (memcmp(months + 3 * i, text.ptr + at, 3) == 0)
            return i + 1;
    }
    return -1;
}

/* Days since 1970-01-01 in the Gregorian calendar (years counted from March). */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t shifted = (month + 9) % 12;
    int64_t of_year = (153 * shifted + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7) as milliseconds since 1970; -1. */
static int64_t read_date(struct str text)
{
    enum { DATE_BYTES = 29 };
    if (text.len != DATE_BYTES || memcmp(text.ptr + 3, ", ", 2) != 0 ||
        memcmp(text.ptr + 25, " GMT", 4) != 0)
        return -1;
    int64_t day = read_digits(text, 5, 2);
    int64_t month = read_month(text, 8);
    int64_t year = read_digits(text, 12, 4);
    int64_t hour = read_digits(text, 17, 2);
    int64_t minute = read_digits(text, 20, 2);
    int64_t second = read_digits(text, 23, 2);
    bool is_good = day >= 1 && day <= 31 && month >= 1 && year >= 1970 && hour >= 0 && hour <= 23 &&
                   minute >= 0 && minute <= 59 && second >= 0 && second <= 60;
    if (!is_good)
        return -1;
    return (((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

int64_t provider_retry_after_ms(const struct http_head *head, int64_t wall_ms)
{
    int64_t wait_ms = read_number(trim(http_head_get(head, STR("retry-after-ms"))), 1);
    if (wait_ms >= 0)
        return wait_ms;
    struct str text = trim(http_head_get(head, STR("retry-after")));
    wait_ms = read_number(text, 1000);
    if (wait_ms >= 0)
        return wait_ms;
    int64_t date_ms = wall_ms < 0 ? -1 : read_date(text);
    if (date_ms < 0)
        return -1;
    return date_ms <= wall_ms ? 0 : wait_bounded(date_ms - wall_ms);
}

void failure_head_read(const struct http_head *head, int64_t wall_ms, struct failure_head *out)
{
    static const char *const id_names[] = { "request-id", "x-request-id", "x-goog-request-id",
                                            "apim-request-id", "cf-ray" };
    *out = (struct failure_head){ .retry_after_ms = -1, .should_retry = -1 };
    if (head == NULL)
        return;
    out->http_status = head->status;
    out->retry_after_ms = provider_retry_after_ms(head, wall_ms);
    struct str should = trim(http_head_get(head, STR("x-should-retry")));
    if (str_equal(should, STR("true")) || str_equal(should, STR("false")))
        out->should_retry = should.ptr[0] == 't';
    for (size_t i = 0; i < sizeof(id_names) / sizeof(id_names[0]) && out->request_id[0] == '\0';
         i++)
        failure_copy_word(http_head_get(head, str_from(id_names[i])), out->request_id);
}
