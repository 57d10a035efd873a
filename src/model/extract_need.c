/* extract_need.c - what the text lacks: typed values that the target requires and of which the text
 * has none.
 *
 * Looks at required members of required objects only; items of arrays may be none. Not recursive: a
 * bounded list of nodes.
 */
#include "base/features.h"

#include "model/extractor.h"

enum { NEED_NODES_MAX = 64 };

static const char *kind_name(enum evidence_kind kind)
{
    switch (kind) {
    case EVIDENCE_NUMBER: return "number";
    case EVIDENCE_DATE: return "date";
    case EVIDENCE_DATE_TIME: return "date and time";
    case EVIDENCE_TIME: return "time";
    case EVIDENCE_EMAIL: return "e-mail address";
    case EVIDENCE_URI: return "web address";
    case EVIDENCE_CURRENCY: return "currency";
    case EVIDENCE_PHONE: return "telephone number";
    }
    return "value";
}

static bool text_has(const struct evidence_text *text, const struct target *target,
                     enum evidence_kind kind)
{
    bool has_date = false;
    bool has_time = false;
    for (uint32_t i = 0; i < text->fact_count; i++) {
        const struct evidence_fact *fact = &text->facts[i];
        has_date = has_date || fact->kind == EVIDENCE_DATE;
        has_time = has_time || fact->kind == EVIDENCE_TIME;
        if (fact->kind == kind && !(fact->is_decimal && (target->types & SCHEMA_FRACTION) == 0))
            return true;
    }
    return kind == EVIDENCE_DATE_TIME && has_date && has_time;
}

static void missing_append(struct buffer *out, enum evidence_kind kind, const struct target *target,
                           struct str name)
{
    buffer_append_str(out, out->len == 0 ? STR("the text has no ") : STR(", no "));
    buffer_append_str(out, str_from(kind_name(kind)));
    buffer_append_str(out, STR(" for \""));
    buffer_append_str(out, name);
    buffer_append_byte(out, '"');
    if (target->description.len > 0 && target->description.len <= 60) {
        buffer_append_str(out, STR(" ("));
        buffer_append_str(out, target->description);
        buffer_append_byte(out, ')');
    }
}

void extract_missing(struct extractor *x, struct buffer *out)
{
    uint32_t nodes[NEED_NODES_MAX];
    unsigned count = 1;
    nodes[0] = 0;
    for (unsigned at = 0; at < count; at++) {
        struct target target;
        struct target_member member;
        target_read(x->program, nodes[at], &target);
        for (uint32_t i = 0; target_member_at(x->program, &target, i, &member); i++) {
            struct target leaf_target;
            struct evidence_leaf leaf;
            enum evidence_kind kind;
            target_read(x->program, member.node, &leaf_target);
            if (!member.required || leaf_target.branches != NULL || leaf_target.is_derived ||
                leaf_target.literals != NULL || (leaf_target.types & SCHEMA_NULL) != 0)
                continue;
            if ((leaf_target.types & SCHEMA_OBJECT) != 0) {
                if (count < NEED_NODES_MAX)
                    nodes[count++] = member.node;
                continue;
            }
            evidence_leaf_init(&leaf, &member.name, 1, leaf_target.description, &x->arena);
            bool is_typed = leaf_target.format != SCHEMA_FORMAT_UNKNOWN ||
                            (leaf_target.types & SCHEMA_STRING) == 0;
            if (is_typed && extract_fact_kind(&leaf_target, &leaf, &kind) &&
                !text_has(x->text, &leaf_target, kind))
                missing_append(out, kind, &leaf_target, member.name);
        }
    }
}
