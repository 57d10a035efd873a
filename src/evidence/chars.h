/* chars.h - classes of characters and small scanners over UTF-8 text, for reading prose.
 *
 * Letters beyond ASCII are told from punctuation by block, which is enough to find word edges in
 * prose; exact Unicode properties are not needed here. Scanners take a text and an offset and never
 * read beyond it.
 */
#ifndef STRUCTURE_EVIDENCE_CHARS_H
#define STRUCTURE_EVIDENCE_CHARS_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* The character at offset, and its bytes; 0 bytes at the end of the text. */
uint32_t char_at(struct str text, size_t offset, unsigned *out_bytes);
/* The character that ends before offset; 0 at the start. */
uint32_t char_before(struct str text, size_t offset);

bool char_is_letter(uint32_t code_point);
bool char_is_upper(uint32_t code_point);
bool char_is_space(uint32_t code_point); /* blanks of all widths, tab, line ends */
bool char_is_blank(uint32_t code_point); /* the same without line ends */

static inline bool char_is_digit(uint32_t code_point)
{
    return code_point >= '0' && code_point <= '9';
}

/* The byte is one of a set of ASCII marks. NUL, which texts may hold, never is. */
static inline bool char_in(const char *marks, char byte)
{
    return byte != '\0' && strchr(marks, byte) != NULL;
}

static inline bool char_is_alnum(uint32_t code_point)
{
    return char_is_digit(code_point) || char_is_letter(code_point);
}

/* Lower case of the letters that prose uses (ASCII, Latin-1, Cyrillic), length kept. out may be
 * text.ptr. */
void char_fold(struct str text, char *out);

/* ---- scanners: return the offset after the match, or SCAN_NONE
 * ------------------------------------- */

#define SCAN_NONE SIZE_MAX

size_t scan_blanks(struct str text, size_t at); /* zero or more; never fails */
size_t scan_digits(struct str text, size_t at, unsigned min, unsigned max, uint32_t *out_value);
size_t scan_literal(struct str text, size_t at,
                    const char *literal); /* ASCII letters match any case */
/* The literal as a whole word: no letter or digit follows. */
size_t scan_word(struct str text, size_t at, const char *literal);

/* Index of the first entry of a NULL-terminated list that scan_word finds at `at`, and the offset
 * after it. */
size_t scan_any_word(struct str text, size_t at, const char *const *list, unsigned *out_index);

#endif
