/* format_time.c - dates, times and durations of RFC 3339.
 *
 * Owns: the calendar and the rule that a leap second falls on 23:59:60 of UTC. Leaves to others:
 * which format a schema asks for. Invariant: digits are ASCII digits only.
 */
#include "base/features.h"

#include "schema/format_parts.h"

/* Two digits at offset, or 99 + something when there are none. */
enum { FORMAT_NO_NUMBER = 1000 };

static unsigned format_two_digits(struct str text, size_t offset)
{
    if (offset + 2 > text.len || !format_is_digit(text.ptr[offset]) ||
        !format_is_digit(text.ptr[offset + 1]))
        return FORMAT_NO_NUMBER;
    return (unsigned)(text.ptr[offset] - '0') * 10 + (unsigned)(text.ptr[offset + 1] - '0');
}

static bool format_has_byte(struct str text, size_t offset, char byte)
{
    return offset < text.len && text.ptr[offset] == byte;
}

static unsigned format_days_in_month(unsigned year, unsigned month)
{
    static const unsigned char days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

bool format_is_date(struct str text)
{
    if (text.len != 10 || text.ptr[4] != '-' || text.ptr[7] != '-')
        return false;
    unsigned century = format_two_digits(text, 0);
    unsigned year = format_two_digits(text, 2);
    unsigned month = format_two_digits(text, 5);
    unsigned day = format_two_digits(text, 8);
    if (century == FORMAT_NO_NUMBER || year == FORMAT_NO_NUMBER || month < 1 || month > 12)
        return false;
    return day >= 1 && day <= format_days_in_month(century * 100 + year, month);
}

/* "Z" or "+hh:mm" at the end of the text. *out_minutes is what to subtract to get to UTC. */
static bool format_is_offset(struct str text, int *out_minutes)
{
    if (text.len == 1 && (text.ptr[0] == 'Z' || text.ptr[0] == 'z')) {
        *out_minutes = 0;
        return true;
    }
    if (text.len != 6 || (text.ptr[0] != '+' && text.ptr[0] != '-') || text.ptr[3] != ':')
        return false;
    unsigned hours = format_two_digits(text, 1);
    unsigned minutes = format_two_digits(text, 4);
    if (hours > 23 || minutes > 59)
        return false;
    int total = (int)(hours * 60 + minutes);
    *out_minutes = text.ptr[0] == '+' ? total : -total;
    return true;
}

bool format_is_time(struct str text)
{
    unsigned hour = format_two_digits(text, 0);
    unsigned minute = format_two_digits(text, 3);
    unsigned second = format_two_digits(text, 6);
    if (hour > 23 || minute > 59 || second > 60 || !format_has_byte(text, 2, ':') ||
        !format_has_byte(text, 5, ':'))
        return false;
    size_t at = 8;
    if (format_has_byte(text, at, '.')) {
        size_t begin = ++at;
        while (at < text.len && format_is_digit(text.ptr[at]))
            at++;
        if (at == begin)
            return false;
    }
    int offset;
    if (!format_is_offset(format_from(text, at), &offset))
        return false;
    const int day = 24 * 60;
    int utc = ((int)(hour * 60 + minute) - offset + day) % day;
    return second < 60 || utc == day - 1;
}

bool format_is_date_time(struct str text)
{
    if (text.len < 11 || (text.ptr[10] != 'T' && text.ptr[10] != 't'))
        return false;
    return format_is_date(str_of(text.ptr, 10)) && format_is_time(format_from(text, 11));
}

/* A chain of "12Y" parts whose units follow each other in `units` without a gap, beginning with
 * any of them. Returns the bytes used. */
static size_t format_duration_parts(struct str text, const char *units)
{
    size_t used = 0;
    const char *expected = NULL;
    for (;;) {
        size_t at = used;
        while (at < text.len && format_is_digit(text.ptr[at]))
            at++;
        if (at == used || at == text.len || text.ptr[at] == '\0')
            return used;
        const char *unit = strchr(units, text.ptr[at]);
        if (unit == NULL || (expected != NULL && unit != expected))
            return used;
        expected = unit + 1;
        used = at + 1;
        if (*expected == '\0')
            return used;
    }
}

bool format_is_duration(struct str text)
{
    if (text.len < 3 || text.ptr[0] != 'P')
        return false;
    struct str rest = format_from(text, 1);
    size_t weeks = format_duration_parts(rest, "W");
    if (weeks > 0)
        return weeks == rest.len;
    rest = format_from(rest, format_duration_parts(rest, "YMD"));
    if (rest.len == 0)
        return true;
    if (rest.ptr[0] != 'T' || rest.len == 1)
        return false;
    rest = format_from(rest, 1);
    return format_duration_parts(rest, "HMS") == rest.len;
}
