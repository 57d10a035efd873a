/* facts.c - the list of typed values of a text, and the readers of the simple kinds.
 *
 * Owns: the list, e-mail addresses, URIs and currencies. Leaves to others: dates and times
 * (fact_date.c, fact_time.c), numbers (fact_number.c).
 */
#include "base/features.h"

#include "evidence/facts.h"

#include <stdlib.h>

#include "evidence/chars.h"

enum { URI_BYTES_MAX = 2048, PHONE_BYTES_MAX = 32 };

void facts_add(struct facts *facts, const struct evidence_fact *fact)
{
    if (facts->count >= FACTS_MAX || facts->failed)
        return;
    if (facts->count == facts->cap) {
        uint32_t cap = facts->cap == 0 ? 32 : facts->cap * 2;
        struct evidence_fact *items = arena_take_array(&facts->text->arena, cap, sizeof(*items));
        if (items == NULL) {
            facts->failed = true;
            return;
        }
        if (facts->count > 0)
            memcpy(items, facts->items, facts->count * sizeof(*items));
        facts->items = items;
        facts->cap = cap;
    }
    struct evidence_fact *added = &facts->items[facts->count];
    *added = *fact;
    added->value = arena_copy(&facts->text->arena, fact->value);
    if (added->value.ptr == NULL)
        facts->failed = true;
    else
        facts->count++;
    if (fact->kind == EVIDENCE_CURRENCY || fact->kind == EVIDENCE_PHONE)
        return; /* a guess must not cast doubt on the numbers in it */
    for (size_t at = fact->begin; at < fact->end; at++)
        facts->covered[at / 8] |= (unsigned char)(1u << (at % 8));
}

bool facts_cover(const struct facts *facts, size_t begin, size_t end)
{
    for (size_t at = begin; at < end; at++)
        if (facts->covered[at / 8] >> (at % 8) & 1)
            return true;
    return false;
}

static int fact_order(const void *left, const void *right)
{
    const struct evidence_fact *a = left;
    const struct evidence_fact *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

enum status facts_read(struct evidence_text *text)
{
    struct facts facts = { .text = text };
    facts.covered = arena_take_zeroed(&text->arena, text->text.len / 8 + 1);
    if (facts.covered == NULL)
        return STATUS_NO_MEMORY;
    facts_read_emails_and_uris(&facts);
    facts_read_date_times(&facts);
    facts_read_dates(&facts);
    facts_read_times(&facts);
    facts_read_phones(&facts);
    facts_read_numbers(&facts);
    facts_read_currencies(&facts);
    if (facts.failed)
        return STATUS_NO_MEMORY;
    if (facts.count > 0)
        qsort(facts.items, facts.count, sizeof(*facts.items), fact_order);
    text->facts = facts.items;
    text->fact_count = facts.count;
    return STATUS_OK;
}

static void add_as_written(struct facts *facts, enum evidence_kind kind, size_t begin, size_t end)
{
    struct evidence_fact fact = { .begin = (uint32_t)begin, .end = (uint32_t)end, .kind = kind };
    fact.value = evidence_slice(facts->text, fact.begin, fact.end);
    facts_add(facts, &fact);
}

static bool is_local_char(uint32_t c)
{
    return c < 0x80 &&
           (char_is_alnum(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-');
}

/* The address around the @ at `at`: a domain of at least two labels. */
static void read_email(struct facts *facts, size_t at)
{
    struct str text = facts->text->text;
    size_t begin = at;
    size_t end = at + 1;
    size_t labels = 0;
    while (begin > 0 && is_local_char((unsigned char)text.ptr[begin - 1]))
        begin--;
    while (begin < at && text.ptr[begin] == '.')
        begin++;
    for (;;) {
        size_t label = end;
        while (end < text.len &&
               (char_is_alnum((unsigned char)text.ptr[end]) || text.ptr[end] == '-') &&
               (unsigned char)text.ptr[end] < 0x80)
            end++;
        if (end == label)
            break;
        labels++;
        if (end + 1 >= text.len || text.ptr[end] != '.' ||
            !char_is_alnum((unsigned char)text.ptr[end + 1]) ||
            (unsigned char)text.ptr[end + 1] >= 0x80)
            break;
        end++;
    }
    if (begin < at && labels >= 2)
        add_as_written(facts, EVIDENCE_EMAIL, begin, end);
}

static bool ends_uri(unsigned char byte)
{
    return byte <= ' ' || byte == '"' || byte == '<' || byte == '>' || byte == '|' || byte == '`' ||
           byte >= 0x7F;
}

/* Returns the end of what was read. */
static size_t read_uri(struct facts *facts, size_t begin, size_t end)
{
    struct str text = facts->text->text;
    size_t host = end;
    while (end < text.len && end - begin < URI_BYTES_MAX && !ends_uri((unsigned char)text.ptr[end]))
        end++;
    size_t whole = end;
    while (end > host && char_in(".,;:)!?'", text.ptr[end - 1]))
        end--;
    if (end > host)
        add_as_written(facts, EVIDENCE_URI, begin, end);
    return whole;
}

void facts_read_emails_and_uris(struct facts *facts)
{
    struct str text = facts->text->text;
    for (size_t at = 0; at < text.len; at++) {
        if (text.ptr[at] == '@')
            read_email(facts, at);
        if ((text.ptr[at] | 0x20) != 'h' || char_is_alnum(char_before(text, at)))
            continue;
        size_t end = scan_literal(text, at, "https://");
        if (end == SCAN_NONE)
            end = scan_literal(text, at, "http://");
        if (end != SCAN_NONE)
            at = read_uri(facts, at, end) - 1;
    }
}

/* Digits in groups: a plus sign, brackets, blanks and single marks between. Returns the end,
 * SCAN_NONE when that is no telephone number: 7 to 15 digits in two groups or more, or behind a
 * plus sign. */
static size_t scan_phone(struct str text, size_t at)
{
    bool plus = text.ptr[at] == '+';
    size_t end = SCAN_NONE;
    unsigned digits = 0;
    unsigned groups = 0;
    for (size_t i = at + (plus ? 1 : 0); i < text.len && i - at < PHONE_BYTES_MAX; i++) {
        if (char_is_digit((unsigned char)text.ptr[i])) {
            groups += !char_is_digit((unsigned char)text.ptr[i - (i > 0 ? 1 : 0)]) || i == at;
            digits++;
            end = i + 1;
        } else if (!char_in(" -/().", text.ptr[i]) || (i > at + 1 && i > end + 1)) {
            break;
        }
    }
    bool is_phone = digits >= 7 && digits <= 15 && (groups >= 2 || plus);
    if (!is_phone || char_is_alnum(char_at(text, end, NULL)))
        return SCAN_NONE;
    return end;
}

void facts_read_phones(struct facts *facts)
{
    struct str text = facts->text->text;
    for (size_t at = 0; at < text.len; at++) {
        bool opens = text.ptr[at] == '+' || text.ptr[at] == '(' || text.ptr[at] == '0' ||
                     char_is_digit((unsigned char)text.ptr[at]);
        uint32_t before = char_before(text, at);
        if (!opens || char_is_alnum(before) ||
            char_in("+-/.,:#", (char)(before < 0x80 ? before : 0)) ||
            facts_cover(facts, at, at + 1))
            continue;
        size_t end = scan_phone(text, at);
        if (end == SCAN_NONE || facts_cover(facts, at, end))
            continue;
        add_as_written(facts, EVIDENCE_PHONE, at, end);
        at = end - 1;
    }
}

static const struct {
    const char *written;
    const char *code;
    bool is_sign;
} currencies[] = {
    { "\xE2\x82\xAC", "EUR", true }, { "$", "USD", true },
    { "\xC2\xA3", "GBP", true },     { "\xC2\xA5", "JPY", true },
    { "\xE2\x82\xB9", "INR", true }, { "euros", "EUR", false },
    { "euro", "EUR", false },        { "dollars", "USD", false },
    { "dollar", "USD", false },      { "pounds", "GBP", false },
    { "pound", "GBP", false },       { "yen", "JPY", false },
    { "francs", "CHF", false },      { "franc", "CHF", false },
    { "rupees", "INR", false },
};

static const char *const currency_codes[] = { "EUR", "USD", "GBP", "JPY", "CHF", "INR",
                                              "AUD", "CAD", "SEK", "NOK", "DKK", "PLN",
                                              "CZK", "HUF", "CNY", "NZD", "SGD", "ZAR",
                                              "BRL", "MXN", "TRY", NULL };

struct str facts_currency_at(struct str text, size_t at, size_t *out_end)
{
    for (size_t i = 0; i < sizeof(currencies) / sizeof(currencies[0]); i++) {
        size_t end = currencies[i].is_sign ? scan_literal(text, at, currencies[i].written)
                                           : scan_word(text, at, currencies[i].written);
        if (end != SCAN_NONE) {
            *out_end = end;
            return str_from(currencies[i].code);
        }
    }
    for (const char *const *code = currency_codes; *code != NULL; code++) {
        if (text.len >= at + 3 && memcmp(text.ptr + at, *code, 3) == 0 &&
            !char_is_letter(char_at(text, at + 3, NULL))) {
            *out_end = at + 3;
            return str_from(*code);
        }
    }
    return str_of(NULL, 0);
}

void facts_read_currencies(struct facts *facts)
{
    struct str text = facts->text->text;
    unsigned bytes;
    for (size_t at = 0; at < text.len; at += bytes) {
        uint32_t first = char_at(text, at, &bytes);
        if (char_is_alnum(first) && char_is_letter(char_before(text, at)))
            continue;
        size_t end;
        struct str code = facts_currency_at(text, at, &end);
        if (code.len == 0)
            continue;
        struct evidence_fact fact = {
            .begin = (uint32_t)at, .end = (uint32_t)end, .kind = EVIDENCE_CURRENCY, .value = code
        };
        facts_add(facts, &fact);
    }
}
