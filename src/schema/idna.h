/* idna.h - labels of host names in any script: IDNA2008 (RFC 5890 to 5893). Private to src/schema.
 *
 * Owns: the properties of code points that these rules ask for; tools/gen_idna.py writes the
 * tables.
 */
#ifndef STRUCTURE_SCHEMA_IDNA_H
#define STRUCTURE_SCHEMA_IDNA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum idna_property { IDNA_DISALLOWED, IDNA_PVALID, IDNA_CONTEXTJ, IDNA_CONTEXTO };

enum idna_bidi {
    IDNA_BIDI_OTHER,
    IDNA_BIDI_L,
    IDNA_BIDI_R,
    IDNA_BIDI_AL,
    IDNA_BIDI_AN,
    IDNA_BIDI_EN,
    IDNA_BIDI_ES,
    IDNA_BIDI_CS,
    IDNA_BIDI_ET,
    IDNA_BIDI_ON,
    IDNA_BIDI_BN,
    IDNA_BIDI_NSM
};

enum idna_joining {
    IDNA_JOINING_NONE,
    IDNA_JOINING_LEFT,
    IDNA_JOINING_RIGHT,
    IDNA_JOINING_DUAL,
    IDNA_JOINING_TRANSPARENT
};

enum idna_script {
    IDNA_SCRIPT_OTHER,
    IDNA_SCRIPT_GREEK,
    IDNA_SCRIPT_HEBREW,
    IDNA_SCRIPT_HIRAGANA,
    IDNA_SCRIPT_KATAKANA,
    IDNA_SCRIPT_HAN
};

enum idna_normal { IDNA_NFC_YES, IDNA_NFC_NO, IDNA_NFC_MAYBE };

struct idna_class {
    uint8_t property; /* enum idna_property */
    uint8_t bidi;
    uint8_t joining;
    uint8_t combining; /* canonical combining class */
    uint8_t normal;    /* quick check of NFC */
    uint8_t is_mark;
    uint8_t script;
};

/* Runs of code points of one class: first code point << 8 | class. */
extern const struct idna_class idna_classes[];
extern const uint32_t idna_runs[];
extern const size_t idna_runs_count;
/* Pairs that compose: first << 42 | second << 21 | composed, in order. */
extern const uint64_t idna_pairs[];
extern const size_t idna_pairs_count;

/* Code points of a label: an A-label of 63 bytes stands for fewer. */
enum { IDNA_POINTS_MAX = 63 };

struct idna_label {
    uint32_t points[IDNA_POINTS_MAX];
    unsigned count;
};

const struct idna_class *idna_class_of(uint32_t code_point);

/* Whether the label is a U-label by everything but length and Bidi (RFC 5891 section 5.4, RFC 5892
 * appendix A). It has a code point that is not ASCII. is_strict: it must be in normal form C. */
bool idna_is_u_label(const struct idna_label *label, bool is_strict);

/* Whether a name with this label is a Bidi domain name, and whether the label then satisfies the
 * Bidi rule (RFC 5893 sections 1.4 and 2). */
bool idna_is_right_to_left(const struct idna_label *label);
bool idna_satisfies_bidi(const struct idna_label *label);

/* punycode.c, RFC 3492. text is what follows "xn--", lower case or not. False for a fault or more
 * than IDNA_POINTS_MAX code points. */
bool punycode_decode(struct str text, struct idna_label *out_label);
/* The bytes of the encoded form, at most size of them written, lower case; 0 for a fault. */
size_t punycode_encode(const struct idna_label *label, char *out, size_t size);

#endif
