/* catalogue.c - opening the catalogue and looking things up in it. See catalogue.h.
 *
 * Owns: which row a name means. Leaves to others: reading rows (catalogue_read.c), the facts
 * (data/providers.json). Invariant: the last row of every provider matches every model.
 */
#include "base/features.h"

#include "provider/catalogue.h"

#include "provider/catalogue_data.h"
#include "provider/catalogue_read.h"
#include "schema/suggest.h"

enum { MODEL_NAME_BYTES = 256 };

/* ---- opening ---- */

static enum status catalogue_parse(struct catalogue *catalogue, struct json user,
                                   struct error *error)
{
    struct buffer text;
    struct str built_in = str_of((const char *)provider_data, provider_data_size);
    enum status status = json_parse(built_in, NULL, catalogue->alloc, &catalogue->built_in, error);
    if (status != STATUS_OK || !json_exists(user))
        return status;
    buffer_init(&text, catalogue->alloc, CATALOGUE_BYTES_MAX);
    json_write(user, 0, &text);
    status =
        buffer_status(&text) == STATUS_REJECTED ? STATUS_INVALID_REQUEST : buffer_status(&text);
    if (status != STATUS_OK)
        (void)error_set(error, status, "the configuration of providers is too large");
    else
        status = json_parse(buffer_view(&text), NULL, catalogue->alloc, &catalogue->user, error);
    buffer_release(&text);
    return status;
}

enum status catalogue_open(struct json user, const struct alloc *alloc,
                           struct catalogue **out_catalogue, struct error *error)
{
    struct json none = { NULL, NULL };
    struct catalogue *catalogue = alloc_get(alloc, sizeof(*catalogue));
    if (catalogue == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *catalogue = (struct catalogue){ .alloc = alloc };
    arena_init(&catalogue->arena, alloc, CATALOGUE_BYTES_MAX);
    enum status status = catalogue_parse(catalogue, user, error);
    if (status == STATUS_OK) {
        struct json built_in = json_doc_root(catalogue->built_in);
        struct json own = catalogue->user == NULL ? none : json_doc_root(catalogue->user);
        status = catalogue_read_rules(catalogue, own, built_in, error);
        if (status == STATUS_OK)
            status = catalogue_read_providers(catalogue, own, built_in, error);
        if (status == STATUS_OK)
            status = catalogue_read_aliases(catalogue, own, built_in, error);
    }
    if (status != STATUS_OK) {
        catalogue_free(catalogue);
        return error_set(error, status, "out of memory");
    }
    *out_catalogue = catalogue;
    return STATUS_OK;
}

void catalogue_free(struct catalogue *catalogue)
{
    if (catalogue == NULL)
        return;
    const struct alloc *alloc = catalogue->alloc;
    json_doc_free(catalogue->built_in);
    json_doc_free(catalogue->user);
    arena_release(&catalogue->arena);
    alloc_free(alloc, catalogue, sizeof(*catalogue));
}

/* ---- providers and models ---- */

uint32_t catalogue_count(const struct catalogue *catalogue)
{
    return catalogue->item_count;
}

const struct provider_row *catalogue_at(const struct catalogue *catalogue, uint32_t index)
{
    return &catalogue->items[index].row;
}

const struct provider_row *catalogue_provider(const struct catalogue *catalogue, struct str id)
{
    for (uint32_t i = 0; i < catalogue->item_count; i++) {
        if (str_equal(catalogue->items[i].row.id, id))
            return &catalogue->items[i].row;
    }
    return NULL;
}

/* Whether text is of the pattern, in which `*` stands for any bytes. At most len * len steps. */
static bool catalogue_matches(struct str pattern, struct str text)
{
    size_t at = 0, in_text = 0, star = SIZE_MAX, star_text = 0;
    while (in_text < text.len) {
        if (at < pattern.len && pattern.ptr[at] == '*') {
            star = at++;
            star_text = in_text;
        } else if (at < pattern.len && pattern.ptr[at] == text.ptr[in_text]) {
            at++;
            in_text++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            in_text = ++star_text;
        } else {
            return false;
        }
    }
    while (at < pattern.len && pattern.ptr[at] == '*')
        at++;
    return at == pattern.len;
}

const struct provider_model *catalogue_model(const struct provider_row *provider, struct str model,
                                             bool *out_is_known)
{
    uint32_t index = 0;
    while (index + 1 < provider->model_count &&
           !catalogue_matches(provider->models[index].pattern, model))
        index++;
    if (out_is_known != NULL)
        *out_is_known = !str_equal(provider->models[index].pattern, STR("*"));
    return &provider->models[index];
}

const struct wire_rules *catalogue_rules(const struct catalogue *catalogue, struct str name)
{
    for (uint32_t i = 0; i < catalogue->rule_count; i++) {
        if (str_equal(catalogue->rules[i].name, name))
            return &catalogue->rules[i];
    }
    return NULL;
}

/* ---- names ---- */

uint32_t catalogue_alias_count(const struct catalogue *catalogue)
{
    return catalogue->alias_count;
}

struct str catalogue_alias_at(const struct catalogue *catalogue, uint32_t index,
                              struct str *out_value)
{
    *out_value = catalogue->aliases[index].value;
    return catalogue->aliases[index].name;
}

struct str catalogue_alias(const struct catalogue *catalogue, struct str alias)
{
    struct str name = alias;
    unsigned steps = 0;
    for (uint32_t i = 0; i < catalogue->alias_count; i++) {
        if (!str_equal(catalogue->aliases[i].name, name))
            continue;
        if (++steps > CATALOGUE_ALIAS_STEPS)
            return STR("");
        name = catalogue->aliases[i].value;
        i = UINT32_MAX; /* from the first one again */
    }
    return steps == 0 ? STR("") : name;
}

static bool name_is_model_file(struct str name)
{
    static const char suffix[] = ".gguf";
    size_t len = sizeof(suffix) - 1;
    return name.len > len && memcmp(name.ptr + name.len - len, suffix, len) == 0;
}

static bool name_is_clean(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if ((unsigned char)name.ptr[i] <= ' ' || name.ptr[i] == 0x7F)
            return false;
    }
    return name.len < MODEL_NAME_BYTES;
}

/* A name for a message: short, and of printable ASCII alone. */
static const char *name_shown(struct str name, char *out, size_t size)
{
    size_t len = name.len < size ? name.len : size - 1;
    for (size_t i = 0; i < len; i++)
        out[i] = name.ptr[i] > ' ' && name.ptr[i] < 0x7F ? name.ptr[i] : '?';
    out[len] = '\0';
    return out;
}

static enum status name_unknown(const struct catalogue *catalogue, struct str name,
                                struct str provider, struct error *error)
{
    char shown[96];
    struct suggestion near;
    bool is_whole = provider.len == name.len;
    suggestion_init(&near, provider);
    for (uint32_t i = 0; i < catalogue->item_count; i++)
        suggestion_offer(&near, catalogue->items[i].row.id);
    suggestion_offer(&near, STR("local"));
    for (uint32_t i = 0; is_whole && i < catalogue->alias_count; i++)
        suggestion_offer(&near, catalogue->aliases[i].name);
    (void)error_set(error, STATUS_NOT_CONFIGURED, "no %s is called \"%s\"",
                    is_whole ? "model or provider" : "provider",
                    name_shown(provider, shown, sizeof(shown)));
    if (suggestion_found(&near))
        error_hint(error, "did you mean \"%.*s%s\"?", (int)near.best.len, near.best.ptr,
                   is_whole ? "" : "/...");
    else
        error_hint(error, "structure models list shows what there is; a path to a .gguf file "
                          "works too");
    return STATUS_NOT_CONFIGURED;
}

enum status catalogue_resolve(const struct catalogue *catalogue, struct str name,
                              const struct provider_row **out_provider, struct str *out_model,
                              struct error *error)
{
    struct str alias = catalogue_alias(catalogue, name);
    struct str meant = alias.len > 0 ? alias : name;
    const char *slash = meant.len == 0 ? NULL : memchr(meant.ptr, '/', meant.len);
    struct str id = str_of(meant.ptr, slash == NULL ? meant.len : (size_t)(slash - meant.ptr));
    const struct provider_row *row = catalogue_provider(catalogue, id);
    if (str_equal(id, STR("local")) || (row == NULL && name_is_model_file(meant))) {
        *out_provider = NULL;
        *out_model = meant;
        return STATUS_OK;
    }
    if (row == NULL)
        return name_unknown(catalogue, meant, id, error);
    struct str model = row->default_model;
    if (slash != NULL)
        model = str_of(slash + 1, meant.len - id.len - 1);
    if (!name_is_clean(model)) {
        (void)error_set(error, STATUS_INVALID_REQUEST,
                        "the name of the model is too long or holds a control character");
        return STATUS_INVALID_REQUEST;
    }
    if (model.len == 0) {
        (void)error_set(error, STATUS_NOT_CONFIGURED, "no model of the provider \"%.*s\" is named",
                        (int)id.len, id.ptr);
        error_hint(error, "name one: %.*s/MODEL", (int)id.len, id.ptr);
        return STATUS_NOT_CONFIGURED;
    }
    *out_provider = row;
    *out_model = model;
    return STATUS_OK;
}

const char *provider_protocol_name(enum provider_protocol protocol)
{
    switch (protocol) {
    case PROVIDER_ANTHROPIC: return "messages";
    case PROVIDER_RESPONSES: return "responses";
    case PROVIDER_CHAT: return "chat";
    case PROVIDER_GEMINI: return "generate-content";
    }
    return "chat";
}

const char *provider_mechanism_name(enum provider_mechanism mechanism)
{
    switch (mechanism) {
    case PROVIDER_BY_PROMPT: return "prompt";
    case PROVIDER_BY_JSON_OBJECT: return "json-object";
    case PROVIDER_BY_SCHEMA: return "schema";
    case PROVIDER_BY_TOOL: return "tool";
    }
    return "prompt";
}
