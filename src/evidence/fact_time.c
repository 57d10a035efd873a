/* fact_time.c - times of day and ISO date-times.
 *
 * Owns: 14:30, 2.30 pm, 9 am, noon, and RFC 3339 date-times whose seconds or zone may be missing
 * (then :00 and Z are taken, since the format asks for them).
 */
#include "base/features.h"

#include <stdio.h>

#include "evidence/chars.h"
#include "evidence/facts.h"

/* 0: neither; else 1 for am, 2 for pm. */
static size_t scan_half(struct str text, size_t at, unsigned *out_half)
{
    static const char *const halves[] = { "a.m.", "a.m", "am", "p.m.", "p.m", "pm" };
    size_t begin = scan_blanks(text, at);
    for (unsigned i = 0; i < 6; i++) {
        size_t end = scan_word(text, begin, halves[i]);
        if (end != SCAN_NONE) {
            *out_half = i < 3 ? 1 : 2;
            return end;
        }
    }
    *out_half = 0;
    return SCAN_NONE;
}

static void add_time(struct facts *facts, size_t begin, size_t end, unsigned hour, unsigned minute)
{
    char value[16];
    int len = snprintf(value, sizeof(value), "%02u:%02u", hour % 24, minute);
    struct evidence_fact fact = { .begin = (uint32_t)begin,
                                  .end = (uint32_t)end,
                                  .kind = EVIDENCE_TIME,
                                  .value = str_of(value, (size_t)len) };
    facts_add(facts, &fact);
}

/* 8:26, 08.26 pm, 9 am. */
static size_t read_clock(struct facts *facts, size_t at)
{
    struct str text = facts->text->text;
    uint32_t hour;
    uint32_t minute = 0;
    unsigned half;
    size_t end = scan_digits(text, at, 1, 2, &hour);
    if (end == SCAN_NONE)
        return SCAN_NONE;
    bool colon = end < text.len && text.ptr[end] == ':';
    bool point = end < text.len && text.ptr[end] == '.';
    size_t minutes = colon || point ? scan_digits(text, end + 1, 2, 2, &minute) : SCAN_NONE;
    if (minutes != SCAN_NONE)
        end = minutes;
    if (minutes != SCAN_NONE && end < text.len && text.ptr[end] == ':') {
        size_t seconds = scan_digits(text, end + 1, 2, 2, NULL);
        end = seconds == SCAN_NONE ? end : seconds;
    }
    size_t with_half = scan_half(text, end, &half);
    if (half == 0 && !(colon && minutes != SCAN_NONE))
        return SCAN_NONE;
    if (hour > 24 || minute > 59 || (half != 0 && hour > 12))
        return SCAN_NONE;
    if (half != 0)
        hour = hour % 12 + (half == 2 ? 12 : 0);
    end = half != 0 ? with_half : end;
    if (char_is_alnum(char_at(text, end, NULL)) || (end < text.len && text.ptr[end] == ':'))
        return SCAN_NONE;
    add_time(facts, at, end, hour, minute);
    return end;
}

void facts_read_times(struct facts *facts)
{
    struct str text = facts->text->text;
    size_t at = 0;
    while (at < text.len) {
        unsigned bytes;
        uint32_t first = char_at(text, at, &bytes);
        uint32_t before = char_before(text, at);
        size_t end = SCAN_NONE;
        if (!char_is_alnum(before) && before != ':' && before != '.' && before != ',' &&
            !facts_cover(facts, at, at + 1)) {
            if (char_is_digit(first))
                end = read_clock(facts, at);
            else if ((end = scan_word(text, at, "noon")) != SCAN_NONE)
                add_time(facts, at, end, 12, 0);
            else if ((end = scan_word(text, at, "midnight")) != SCAN_NONE)
                add_time(facts, at, end, 0, 0);
        }
        at = end == SCAN_NONE ? at + bytes : end;
    }
}

/* "Z", "+02:00", "+0200". */
static size_t scan_zone(struct str text, size_t at, struct str *out_zone, char out[8])
{
    uint32_t hour;
    uint32_t minute;
    *out_zone = STR("Z");
    if (at < text.len && (text.ptr[at] == 'Z' || text.ptr[at] == 'z'))
        return at + 1;
    if (at >= text.len || (text.ptr[at] != '+' && text.ptr[at] != '-'))
        return at;
    size_t end = scan_digits(text, at + 1, 2, 4, &hour);
    if (end == at + 3 && end < text.len && text.ptr[end] == ':')
        end = scan_digits(text, end + 1, 2, 2, &minute);
    else if (end == at + 5)
        minute = hour % 100, hour /= 100;
    else
        return at;
    if (end == SCAN_NONE || hour > 23 || minute > 59)
        return at;
    int len = snprintf(out, 8, "%c%02u:%02u", text.ptr[at], (unsigned)hour, (unsigned)minute);
    *out_zone = str_of(out, (size_t)len);
    return end;
}

/* hh:mm with seconds and a fraction where they stand; out_seconds is the text from the seconds on.
 */
static size_t scan_clock(struct str text, size_t at, struct str *out_seconds)
{
    uint32_t hour;
    uint32_t minute;
    uint32_t second;
    *out_seconds = STR(":00");
    size_t end = scan_digits(text, at, 2, 2, &hour);
    if (end == SCAN_NONE || end >= text.len || text.ptr[end] != ':')
        return SCAN_NONE;
    end = scan_digits(text, end + 1, 2, 2, &minute);
    if (end == SCAN_NONE || hour > 23 || minute > 59)
        return SCAN_NONE;
    if (end >= text.len || text.ptr[end] != ':')
        return end;
    size_t begin = end;
    size_t seconds = scan_digits(text, end + 1, 2, 2, &second);
    if (seconds == SCAN_NONE || second > 59)
        return end;
    end = seconds;
    if (end < text.len && text.ptr[end] == '.') {
        size_t fraction = scan_digits(text, end + 1, 1, 9, NULL);
        end = fraction == SCAN_NONE ? end : fraction;
    }
    *out_seconds = str_of(text.ptr + begin, end - begin);
    return end;
}

static size_t read_date_time(struct facts *facts, size_t at)
{
    struct str text = facts->text->text;
    uint32_t month;
    uint32_t day;
    struct str seconds;
    struct str zone;
    char zone_text[8];
    char value[64];
    size_t end = scan_digits(text, at, 4, 4, NULL);
    if (end == SCAN_NONE || end >= text.len || text.ptr[end] != '-')
        return SCAN_NONE;
    end = scan_digits(text, end + 1, 2, 2, &month);
    if (end == SCAN_NONE || end >= text.len || text.ptr[end] != '-')
        return SCAN_NONE;
    end = scan_digits(text, end + 1, 2, 2, &day);
    if (end == SCAN_NONE || month < 1 || month > 12 || day < 1 || day > 31 || end >= text.len ||
        (text.ptr[end] != 'T' && text.ptr[end] != 't' && text.ptr[end] != ' '))
        return SCAN_NONE;
    size_t clock = end + 1;
    end = scan_clock(text, clock, &seconds);
    if (end == SCAN_NONE)
        return SCAN_NONE;
    end = scan_zone(text, end, &zone, zone_text);
    int len = snprintf(value, sizeof(value), "%.10sT%.5s%.*s%.*s", text.ptr + at, text.ptr + clock,
                       (int)seconds.len, seconds.ptr, (int)zone.len, zone.ptr);
    struct evidence_fact fact = { .begin = (uint32_t)at,
                                  .end = (uint32_t)end,
                                  .kind = EVIDENCE_DATE_TIME,
                                  .value = str_of(value, (size_t)len) };
    facts_add(facts, &fact);
    return end;
}

void facts_read_date_times(struct facts *facts)
{
    struct str text = facts->text->text;
    for (size_t at = 0; at < text.len; at++) {
        if (!char_is_digit((unsigned char)text.ptr[at]) || char_is_alnum(char_before(text, at)))
            continue;
        size_t end = read_date_time(facts, at);
        if (end != SCAN_NONE)
            at = end - 1;
    }
}
