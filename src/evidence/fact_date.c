/* fact_date.c - dates as people write them, turned into ISO 8601.
 *
 * Owns: day-month-year in words and figures, ranges that share a month or year, dates whose year
 * stands elsewhere. Numbers with strokes are read day first unless the text shows otherwise.
 * Relative dates are not read.
 */
#include "base/features.h"

#include <stdio.h>

#include "evidence/chars.h"
#include "evidence/facts.h"

enum { YEAR_UNKNOWN = 0 };
#define DOUBT_NO_YEAR 0.7

/* A date while it is being read. */
struct day {
    size_t begin, end;
    uint32_t year, month, day;
};

/* Names of months, twelve a language, full before short. */
static const char *const month_names[] = { "january",
                                           "february",
                                           "march",
                                           "april",
                                           "may",
                                           "june",
                                           "july",
                                           "august",
                                           "september",
                                           "october",
                                           "november",
                                           "december",
                                           "jan",
                                           "feb",
                                           "mar",
                                           "apr",
                                           "may",
                                           "jun",
                                           "jul",
                                           "aug",
                                           "sep",
                                           "oct",
                                           "nov",
                                           "dec",
                                           "januar",
                                           "februar",
                                           "m\xC3\xA4rz",
                                           "april",
                                           "mai",
                                           "juni",
                                           "juli",
                                           "august",
                                           "september",
                                           "oktober",
                                           "november",
                                           "dezember",
                                           "janvier",
                                           "f\xC3\xA9vrier",
                                           "mars",
                                           "avril",
                                           "mai",
                                           "juin",
                                           "juillet",
                                           "ao\xC3\xBBt",
                                           "septembre",
                                           "octobre",
                                           "novembre",
                                           "d\xC3\xA9"
                                           "cembre",
                                           "enero",
                                           "febrero",
                                           "marzo",
                                           "abril",
                                           "mayo",
                                           "junio",
                                           "julio",
                                           "agosto",
                                           "septiembre",
                                           "octubre",
                                           "noviembre",
                                           "diciembre",
                                           "jan",
                                           "feb",
                                           "mar",
                                           "apr",
                                           "may",
                                           "june",
                                           "july",
                                           "aug",
                                           "sept",
                                           "oct",
                                           "nov",
                                           "dec",
                                           NULL };

static size_t scan_month(struct str text, size_t at, uint32_t *out_month)
{
    unsigned index;
    size_t end = scan_any_word(text, at, month_names, &index);
    if (end == SCAN_NONE)
        return SCAN_NONE;
    *out_month = index % 12 + 1;
    return end < text.len && text.ptr[end] == '.' ? end + 1 : end;
}

/* 1..31 with an ordinal ending or a point. */
static size_t scan_day(struct str text, size_t at, uint32_t *out_day)
{
    static const char *const ordinals[] = { "st", "nd", "rd", "th", NULL };
    size_t end = scan_digits(text, at, 1, 2, out_day);
    if (end == SCAN_NONE || *out_day == 0 || *out_day > 31)
        return SCAN_NONE;
    size_t ordinal = scan_any_word(text, end, ordinals, NULL);
    if (ordinal != SCAN_NONE)
        return ordinal;
    return end < text.len && text.ptr[end] == '.' ? end + 1 : end;
}

/* Blanks and single line ends between the parts of a date. */
static size_t scan_gap(struct str text, size_t at)
{
    size_t end = scan_blanks(text, at);
    if (end < text.len && text.ptr[end] == '\n')
        end = scan_blanks(text, end + 1);
    return end;
}

static size_t scan_year(struct str text, size_t at, uint32_t *out_year)
{
    size_t end = scan_gap(text, at);
    if (end < text.len && text.ptr[end] == ',')
        end = scan_gap(text, end + 1);
    if (end == at)
        return SCAN_NONE;
    end = scan_digits(text, end, 4, 4, out_year);
    return end == SCAN_NONE || char_is_alnum(char_at(text, end, NULL)) || *out_year < 1000
               ? SCAN_NONE
               : end;
}

/* "to", "-", "and", ... between two dates. */
static size_t scan_range_mark(struct str text, size_t at)
{
    static const char *const words[] = {
        "to", "until", "till", "through", "and", "bis", "au", NULL
    };
    static const char *const marks[] = { "-", "\xE2\x80\x93", "\xE2\x80\x94" };
    at = scan_gap(text, at);
    size_t end = scan_any_word(text, at, words, NULL);
    for (size_t i = 0; end == SCAN_NONE && i < 3; i++)
        end = scan_literal(text, at, marks[i]);
    return end == SCAN_NONE ? SCAN_NONE : scan_gap(text, end);
}

/* Either order of a day and a month's name, without a year. */
static size_t scan_day_and_month(struct str text, size_t at, struct day *out)
{
    size_t end = scan_day(text, at, &out->day);
    out->begin = at;
    if (end != SCAN_NONE) {
        end = scan_gap(text, end);
        size_t of = scan_word(text, end, "of");
        end = scan_month(text, of == SCAN_NONE ? end : scan_gap(text, of), &out->month);
    } else {
        end = scan_month(text, at, &out->month);
        if (end != SCAN_NONE)
            end = scan_day(text, scan_gap(text, end), &out->day);
        if (end != SCAN_NONE && text.ptr[end - 1] == '.')
            end--; /* the end of a sentence rather than an ordinal */
    }
    out->end = end;
    return end;
}

static bool is_leap(uint32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool day_exists(const struct day *day)
{
    static const uint8_t days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (day->month < 1 || day->month > 12 || day->day < 1 || day->day > days[day->month - 1])
        return false;
    return day->month != 2 || day->day < 29 || day->year == YEAR_UNKNOWN || is_leap(day->year);
}

static void add_day(struct facts *facts, const struct day *day, double doubt)
{
    char value[32];
    if (day->year == YEAR_UNKNOWN || !day_exists(day))
        return;
    int len = snprintf(value, sizeof(value), "%04u-%02u-%02u", (unsigned)day->year,
                       (unsigned)day->month, (unsigned)day->day);
    struct evidence_fact fact = { .begin = (uint32_t)day->begin,
                                  .end = (uint32_t)day->end,
                                  .kind = EVIDENCE_DATE,
                                  .value = str_of(value, (size_t)len),
                                  .doubt = doubt };
    facts_add(facts, &fact);
}

/* Where a date without a year takes it from: the nearest date that states one, else the first four
 * digits that look like one. */
struct years {
    const struct evidence_fact *dated; /* by place */
    uint32_t count;
    uint32_t bare;
};

static uint32_t bare_year(struct str text)
{
    for (size_t at = 0; at + 4 <= text.len; at++) {
        uint32_t found;
        if (!char_is_digit((unsigned char)text.ptr[at]))
            continue;
        size_t end = scan_digits(text, at, 4, 4, &found);
        if (end != SCAN_NONE && found >= 1900 && found < 2100 &&
            !char_is_alnum(char_at(text, end, NULL)))
            return found;
        while (at + 1 < text.len && char_is_alnum((unsigned char)text.ptr[at + 1]))
            at++;
    }
    return YEAR_UNKNOWN;
}

static uint32_t year_near(const struct years *years, size_t at)
{
    uint32_t low = 0;
    uint32_t high = years->count;
    uint32_t year = years->bare;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (years->dated[middle].begin < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == years->count ||
        (low > 0 && at - years->dated[low - 1].begin < years->dated[low].begin - at))
        low = low > 0 ? low - 1 : 0;
    if (low < years->count)
        (void)scan_digits(years->dated[low].value, 0, 4, 4, &year);
    return year;
}

/* "14 to 18 May 2026", "May 14-18, 2026", "28 May to 3 June 2026": two days, of which the second
 * has the rest. */
static size_t read_range(struct facts *facts, size_t at, bool with_year, uint32_t year_hint)
{
    struct str text = facts->text->text;
    struct day from = { .begin = at };
    struct day to = { 0 };
    size_t end = scan_day(text, at, &from.day);
    size_t both = scan_day_and_month(text, at, &from);
    from.end = both != SCAN_NONE ? both : end;
    if (from.end == SCAN_NONE)
        return SCAN_NONE;
    size_t second = scan_range_mark(text, from.end);
    if (second == SCAN_NONE)
        return SCAN_NONE;
    end = scan_day_and_month(text, second, &to);
    if (end == SCAN_NONE && both != SCAN_NONE && !char_is_digit((unsigned char)text.ptr[at])) {
        end = scan_day(text, second, &to.day); /* "May 14-18" */
        to = (struct day){ .begin = second, .end = end, .month = from.month, .day = to.day };
    }
    if (end == SCAN_NONE)
        return SCAN_NONE;
    if (both == SCAN_NONE)
        from.month = to.month;
    size_t year_end = scan_year(text, end, &to.year);
    if (with_year != (year_end != SCAN_NONE))
        return SCAN_NONE;
    to.year = with_year ? to.year : year_hint;
    to.end = with_year ? year_end : end;
    from.year = to.year - (to.year != YEAR_UNKNOWN && from.month > to.month ? 1 : 0);
    add_day(facts, &from, with_year ? 0.0 : DOUBT_NO_YEAR);
    add_day(facts, &to, with_year ? 0.0 : DOUBT_NO_YEAR);
    return to.end;
}

/* 2026-05-14, 2026/05/14, 14.05.2026, 14/05/2026, 14-05-2026. */
static size_t read_figures(struct facts *facts, size_t at, bool month_first)
{
    struct str text = facts->text->text;
    struct day day = { .begin = at };
    uint32_t a;
    uint32_t b;
    uint32_t c;
    size_t end = scan_digits(text, at, 1, 4, &a);
    if (end == SCAN_NONE || end >= text.len || !char_in("-./", text.ptr[end]))
        return SCAN_NONE;
    char mark = text.ptr[end];
    bool year_first = end == at + 4;
    end = scan_digits(text, end + 1, 1, 2, &b);
    if (end == SCAN_NONE || end >= text.len || text.ptr[end] != mark)
        return SCAN_NONE;
    end = scan_digits(text, end + 1, year_first ? 1 : 4, year_first ? 2 : 4, &c);
    if (end == SCAN_NONE || (!year_first && a > 99))
        return SCAN_NONE;
    if (year_first)
        day = (struct day){ at, end, a, b, c };
    else if (mark == '/' && (month_first || b > 12) && a <= 12)
        day = (struct day){ at, end, c, a, b };
    else
        day = (struct day){ at, end, c, b, a };
    if (!day_exists(&day) || day.year < 1000)
        return SCAN_NONE;
    add_day(facts, &day, 0.0);
    return end;
}

/* Does the text write the month first: 05/14/2026, or a dollar sign? */
static bool writes_month_first(struct str text)
{
    bool dollars = false;
    for (size_t at = 0; at + 6 < text.len; at++) {
        uint32_t a;
        uint32_t b;
        dollars = dollars || text.ptr[at] == '$';
        if (!char_is_digit((unsigned char)text.ptr[at]) ||
            (at > 0 && char_is_alnum(char_before(text, at))))
            continue;
        size_t end = scan_digits(text, at, 1, 2, &a);
        if (end == SCAN_NONE || end >= text.len || text.ptr[end] != '/')
            continue;
        end = scan_digits(text, end + 1, 1, 2, &b);
        if (end == SCAN_NONE || end >= text.len || text.ptr[end] != '/')
            continue;
        if (a > 12 || b > 12)
            return b > 12;
    }
    return dollars;
}

static size_t read_named(struct facts *facts, size_t at, bool with_year, uint32_t year_hint)
{
    struct str text = facts->text->text;
    struct day day = { 0 };
    size_t end = scan_day_and_month(text, at, &day);
    if (end == SCAN_NONE || !day_exists(&day))
        return SCAN_NONE;
    size_t year_end = scan_year(text, end, &day.year);
    if (with_year != (year_end != SCAN_NONE))
        return SCAN_NONE;
    day.year = with_year ? day.year : year_hint;
    day.end = with_year ? year_end : end;
    add_day(facts, &day, with_year ? 0.0 : DOUBT_NO_YEAR);
    return day.end;
}

/* One date or range at `at`; years NULL: those that state their year. */
static size_t read_at(struct facts *facts, size_t at, const struct years *years, bool month_first)
{
    struct day probe;
    uint32_t hint = YEAR_UNKNOWN;
    if (years != NULL) {
        uint32_t first = char_at(facts->text->text, at, NULL);
        if (!char_is_digit(first) && scan_day_and_month(facts->text->text, at, &probe) == SCAN_NONE)
            return SCAN_NONE;
        hint = year_near(years, at);
    }
    size_t end = read_range(facts, at, years == NULL, hint);
    if (end == SCAN_NONE)
        end = read_named(facts, at, years == NULL, hint);
    if (end == SCAN_NONE && years == NULL)
        end = read_figures(facts, at, month_first);
    return end;
}

static void read_pass(struct facts *facts, const struct years *years, bool month_first)
{
    struct str text = facts->text->text;
    size_t at = 0;
    while (at < text.len) {
        unsigned bytes;
        uint32_t first = char_at(text, at, &bytes);
        uint32_t before = char_before(text, at);
        size_t end = SCAN_NONE;
        if (char_is_alnum(first) && !char_is_alnum(before) && before != '.' && before != '/' &&
            !facts_cover(facts, at, at + 1))
            end = read_at(facts, at, years, month_first);
        at = end == SCAN_NONE ? at + bytes : end;
    }
}

void facts_read_dates(struct facts *facts)
{
    bool month_first = writes_month_first(facts->text->text);
    uint32_t first = facts->count;
    read_pass(facts, NULL, month_first);
    struct years years = { .count = facts->count - first, .bare = bare_year(facts->text->text) };
    struct evidence_fact *dated =
        arena_take_array(&facts->text->arena, years.count + 1, sizeof(*dated));
    if (dated == NULL) {
        facts->failed = true;
        return;
    }
    if (years.count > 0)
        memcpy(dated, facts->items + first, years.count * sizeof(*dated));
    years.dated = dated;
    read_pass(facts, &years, month_first);
}
