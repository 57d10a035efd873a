/* report.c - validation reports: the verdict on one instance and copies of its violations.
 *
 * Invariant: a report outlives the instance that it is about; it holds no value of it.
 */
#include "base/features.h"

#include "api/api.h"

enum { REPORT_BYTES_MAX = 64 * 1024 * 1024 };

/* Copies one text; false when memory is gone. */
static bool report_copy(struct arena *arena, struct str text, struct str *out)
{
    *out = arena_copy(arena, text);
    return out->ptr != NULL;
}

static bool report_copy_violation(struct arena *arena, const struct schema_violation *from,
                                  struct schema_violation *to)
{
    *to = (struct schema_violation){ .line = from->line, .column = from->column };
    return report_copy(arena, from->pointer, &to->pointer) &&
           report_copy(arena, from->keyword, &to->keyword) &&
           report_copy(arena, from->message, &to->message) &&
           report_copy(arena, from->schema_pointer, &to->schema_pointer) &&
           report_copy(arena, from->hint, &to->hint) &&
           report_copy(arena, from->context, &to->context) &&
           report_copy(arena, from->title, &to->title) &&
           report_copy(arena, from->schema_uri, &to->schema_uri);
}

enum status api_report_new(bool is_valid, const struct schema_violations *violations,
                           const struct alloc *alloc, structure_report **out_report)
{
    structure_report *report = alloc_get(alloc, sizeof(*report));
    if (report == NULL)
        return STATUS_NO_MEMORY;
    *report = (structure_report){ .alloc = *alloc, .is_valid = is_valid };
    arena_init(&report->arena, &report->alloc, REPORT_BYTES_MAX);
    if (!is_valid) {
        report->has_more = violations->more;
        report->items = arena_take_array(&report->arena, violations->count, sizeof(*report->items));
        for (uint32_t i = 0; report->items != NULL && i < violations->count; i++) {
            if (!report_copy_violation(&report->arena, &violations->items[i], &report->items[i]))
                break;
            report->count++;
        }
        if (report->count < violations->count) {
            structure_report_free(report);
            return STATUS_NO_MEMORY;
        }
    }
    *out_report = report;
    return STATUS_OK;
}

void structure_report_free(structure_report *report)
{
    if (report == NULL)
        return;
    struct alloc alloc = report->alloc;
    arena_release(&report->arena);
    alloc_free(&alloc, report, sizeof(*report));
}

enum status api_report(const structure_schema *schema, struct json instance,
                       const struct structure_validate_options *options, const struct alloc *alloc,
                       structure_report **out_report, struct error *error)
{
    struct arena arena;
    bool is_valid = false;
    arena_init(&arena, alloc, REPORT_BYTES_MAX);
    struct schema_violations violations = { .arena = &arena, .count_max = options->violations_max };
    enum status status = schema_validate(schema->program, instance, options->steps_max, alloc,
                                         &is_valid, &violations, error);
    if (status == STATUS_OK)
        status = api_report_new(is_valid, &violations, alloc, out_report);
    arena_release(&arena);
    return status;
}

int structure_report_is_valid(const structure_report *report)
{
    return report->is_valid ? 1 : 0;
}

uint32_t structure_report_count(const structure_report *report)
{
    return report->count;
}

int structure_report_has_more(const structure_report *report)
{
    return report->has_more ? 1 : 0;
}

const char *structure_report_pointer(const structure_report *report, uint32_t index)
{
    return report->items[index].pointer.ptr;
}

const char *structure_report_keyword(const structure_report *report, uint32_t index)
{
    return report->items[index].keyword.ptr;
}

const char *structure_report_message(const structure_report *report, uint32_t index)
{
    return report->items[index].message.ptr;
}

const char *structure_report_hint(const structure_report *report, uint32_t index)
{
    return report->items[index].hint.ptr;
}

const char *structure_report_context(const structure_report *report, uint32_t index)
{
    return report->items[index].context.ptr;
}

const char *structure_report_title(const structure_report *report, uint32_t index)
{
    return report->items[index].title.ptr;
}

const char *structure_report_schema_uri(const structure_report *report, uint32_t index)
{
    return report->items[index].schema_uri.ptr;
}

const char *structure_report_schema_pointer(const structure_report *report, uint32_t index)
{
    return report->items[index].schema_pointer.ptr;
}

uint32_t structure_report_line(const structure_report *report, uint32_t index)
{
    return report->items[index].line;
}

uint32_t structure_report_column(const structure_report *report, uint32_t index)
{
    return report->items[index].column;
}
