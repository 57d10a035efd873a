/* catalogue_read.c - rows of providers, models and rules from their JSON form.
 *
 * Owns: which members a row has and what they may hold; what a row takes over from another one
 * ("like", "defaults", the user's over the built-in). Leaves to others: rules (wire_rules.c).
 * Invariant: a text that gets into a request holds no control character, and no row holds a key.
 */
#include "base/features.h"

#include "provider/catalogue_read.h"

#include "schema/suggest.h"

/* ---- faults ---- */

static enum status read_no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "out of memory");
}

/* INVALID_REQUEST at the place of value. */
static enum status read_fault(const struct catalogue *catalogue, struct json value,
                              struct error *error, const char *message)
{
    struct buffer pointer;
    buffer_init(&pointer, catalogue->alloc, ERROR_POINTER_BYTES);
    json_pointer_of(value, &pointer);
    (void)error_set(error, STATUS_INVALID_REQUEST, "%s", message);
    error_at_pointer(error, buffer_view(&pointer));
    buffer_release(&pointer);
    return STATUS_INVALID_REQUEST;
}

/* ---- texts ---- */

static bool text_is_clean(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7F)
            return false;
    }
    return text.len <= CATALOGUE_TEXT_BYTES;
}

static bool byte_is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool byte_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Provider ids: they stand before the slash of "provider/model". */
static bool text_is_id(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_mark = text.ptr[i] == '-' || text.ptr[i] == '_' || text.ptr[i] == '.';
        if (!byte_is_letter(text.ptr[i]) && !byte_is_digit(text.ptr[i]) && !(is_mark && i > 0))
            return false;
    }
    return text.len > 0 && text.len <= 64;
}

static bool text_is_header_name(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!byte_is_letter(text.ptr[i]) && !byte_is_digit(text.ptr[i]) && text.ptr[i] != '-')
            return false;
    }
    return text.len > 0 && text.len <= 128;
}

static bool text_is_same_word(struct str text, const char *word)
{
    size_t i = 0;
    for (; i < text.len && word[i] != '\0'; i++) {
        char byte = text.ptr[i];
        if (byte >= 'A' && byte <= 'Z')
            byte = (char)(byte + ('a' - 'A'));
        if (byte != word[i])
            return false;
    }
    return i == text.len && word[i] == '\0';
}

/* Names of environment variables. */
static bool text_is_variable(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!byte_is_letter(text.ptr[i]) && text.ptr[i] != '_' &&
            !(byte_is_digit(text.ptr[i]) && i > 0))
            return false;
    }
    return true;
}

/* Where a key is, not the key. */
static bool text_is_key_source(struct str text)
{
    if (text.len < 5)
        return false;
    if (str_starts_with(text, STR("env:")))
        return text_is_variable(str_of(text.ptr + 4, text.len - 4));
    return (str_starts_with(text, STR("file:")) && text.len > 5) ||
           str_starts_with(text, STR("cmd:"));
}

/* ---- members by a table ---- */

enum field_kind {
    FIELD_TEXT,
    FIELD_HEADER_NAME,
    FIELD_VARIABLE,
    FIELD_KEY_SOURCE,
    FIELD_FLAG,
    FIELD_COUNT,
    FIELD_WORD,     /* one of words: its index, as an enum */
    FIELD_OBJECT,   /* kept as it is */
    FIELD_ELSEWHERE /* known, but read by somebody else */
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    const char *const *words;
};

static const char *const words_of_protocol[] = { "messages", "responses", "chat",
                                                 "generate-content", NULL };
static const char *const words_of_version[] = { "auto", "1.1", "2", NULL };
static const char *const words_of_mechanism[] = { "prompt", "json-object", "schema", "tool", NULL };
static const char *const words_of_strictness[] = { "no", "yes", "unknown", NULL };

#define ROW(member)   offsetof(struct provider_row, member)
#define MODEL(member) offsetof(struct provider_model, member)

static const struct field provider_fields[] = {
    { "title", FIELD_TEXT, ROW(title), NULL },
    { "protocol", FIELD_WORD, ROW(protocol), words_of_protocol },
    { "baseUrl", FIELD_TEXT, ROW(base_url), NULL },
    { "baseUrlVariable", FIELD_VARIABLE, ROW(base_url_variable), NULL },
    { "keyVariable", FIELD_VARIABLE, ROW(key_variable), NULL },
    { "keyRequired", FIELD_FLAG, ROW(key_required), NULL },
    { "keyHeader", FIELD_HEADER_NAME, ROW(key_header), NULL },
    { "key", FIELD_KEY_SOURCE, ROW(key_source), NULL },
    { "defaultModel", FIELD_TEXT, ROW(default_model), NULL },
    { "headers", FIELD_ELSEWHERE, 0, NULL },
    { "path", FIELD_TEXT, ROW(path), NULL },
    { "httpVersion", FIELD_WORD, ROW(http_version), words_of_version },
    { "caFile", FIELD_TEXT, ROW(ca_file), NULL },
    { "proxy", FIELD_TEXT, ROW(proxy), NULL },
    { "date", FIELD_TEXT, ROW(date), NULL },
    { "source", FIELD_TEXT, ROW(source), NULL },
    { "note", FIELD_ELSEWHERE, 0, NULL },
    { "like", FIELD_ELSEWHERE, 0, NULL },
    { "defaults", FIELD_ELSEWHERE, 0, NULL },
    { "models", FIELD_ELSEWHERE, 0, NULL },
    { NULL, FIELD_ELSEWHERE, 0, NULL },
};

static const struct field model_fields[] = {
    { "pattern", FIELD_TEXT, MODEL(pattern), NULL },
    { "date", FIELD_TEXT, MODEL(date), NULL },
    { "source", FIELD_TEXT, MODEL(source), NULL },
    { "note", FIELD_ELSEWHERE, 0, NULL },
    { "mechanism", FIELD_WORD, MODEL(mechanism), words_of_mechanism },
    { "strictness", FIELD_WORD, MODEL(strictness), words_of_strictness },
    { "rules", FIELD_ELSEWHERE, 0, NULL },
    { "parameters", FIELD_ELSEWHERE, 0, NULL },
    { "outputLimitName", FIELD_TEXT, MODEL(output_limit_name), NULL },
    { "contextTokens", FIELD_COUNT, MODEL(context_tokens), NULL },
    { "outputTokensMax", FIELD_COUNT, MODEL(output_tokens_max), NULL },
    { "reasoningTokens", FIELD_COUNT, MODEL(reasoning_tokens), NULL },
    { "extra", FIELD_OBJECT, MODEL(extra), NULL },
    { NULL, FIELD_ELSEWHERE, 0, NULL },
};

static const struct {
    const char *name;
    unsigned bit;
} parameter_names[] = {
    { "temperature", PROVIDER_TAKES_TEMPERATURE }, { "seed", PROVIDER_TAKES_SEED },
    { "stream", PROVIDER_TAKES_STREAM },           { "streamUsage", PROVIDER_TAKES_STREAM_USAGE },
    { "cacheMarks", PROVIDER_TAKES_CACHE_MARKS },  { "systemRole", PROVIDER_TAKES_SYSTEM_ROLE },
    { "showsSchema", PROVIDER_SHOWS_SCHEMA },      { "store", PROVIDER_TAKES_STORE },
    { "needsWordJson", PROVIDER_NEEDS_WORD_JSON }, { NULL, 0 },
};

static enum status field_text(const struct catalogue *catalogue, const struct field *field,
                              struct json value, void *target, struct error *error)
{
    const char *fault = NULL;
    if (json_type(value) != JSON_STRING)
        return read_fault(catalogue, value, error, "must be a string");
    struct str text = json_string(value);
    if (!text_is_clean(text))
        fault = "is too long or holds a control character";
    else if (field->kind == FIELD_HEADER_NAME && !text_is_header_name(text))
        fault = "is not the name of a header";
    else if (field->kind == FIELD_VARIABLE && !text_is_variable(text))
        fault = "is not the name of an environment variable";
    else if (field->kind == FIELD_KEY_SOURCE && !text_is_key_source(text))
        fault = "must say where the key is: env:NAME, file:PATH or cmd:COMMAND";
    if (fault != NULL)
        return read_fault(catalogue, value, error, fault);
    memcpy(target, &text, sizeof(text));
    return STATUS_OK;
}

static enum status field_word(const struct catalogue *catalogue, const struct field *field,
                              struct json value, void *target, struct error *error)
{
    struct buffer message;
    _Static_assert(sizeof(enum provider_protocol) == sizeof(unsigned), "enums are unsigned");
    for (unsigned i = 0; json_type(value) == JSON_STRING && field->words[i] != NULL; i++) {
        if (str_equal(json_string(value), str_from(field->words[i]))) {
            memcpy(target, &i, sizeof(i));
            return STATUS_OK;
        }
    }
    buffer_init(&message, catalogue->alloc, ERROR_MESSAGE_BYTES);
    buffer_append_str(&message, STR("must be one of"));
    for (unsigned i = 0; field->words[i] != NULL; i++)
        buffer_printf(&message, "%s \"%s\"", i == 0 ? "" : ",", field->words[i]);
    enum status status =
        read_fault(catalogue, value, error, message.ptr == NULL ? "is no known word" : message.ptr);
    buffer_release(&message);
    return status;
}

static enum status field_count(const struct catalogue *catalogue, struct json value, void *target,
                               struct error *error)
{
    uint64_t count = 0;
    struct str text = json_type(value) == JSON_NUMBER ? json_number_text(value) : STR("-");
    for (size_t i = 0; i < text.len; i++) {
        if (!byte_is_digit(text.ptr[i]) || text.len > 10)
            return read_fault(catalogue, value, error,
                              "must be a whole number of at most 10 digits");
        count = count * 10 + (unsigned)(text.ptr[i] - '0');
    }
    uint32_t kept = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    memcpy(target, &kept, sizeof(kept));
    return STATUS_OK;
}

static enum status field_read(const struct catalogue *catalogue, const struct field *field,
                              struct json value, void *row, struct error *error)
{
    char *target = (char *)row + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_HEADER_NAME:
    case FIELD_VARIABLE:
    case FIELD_KEY_SOURCE: return field_text(catalogue, field, value, target, error);
    case FIELD_WORD: return field_word(catalogue, field, value, target, error);
    case FIELD_COUNT: return field_count(catalogue, value, target, error);
    case FIELD_FLAG:
        if (json_type(value) != JSON_TRUE && json_type(value) != JSON_FALSE)
            return read_fault(catalogue, value, error, "must be true or false");
        *(bool *)target = json_type(value) == JSON_TRUE;
        return STATUS_OK;
    case FIELD_OBJECT:
        if (json_type(value) != JSON_OBJECT)
            return read_fault(catalogue, value, error, "must be an object");
        memcpy(target, &value, sizeof(value));
        return STATUS_OK;
    case FIELD_ELSEWHERE: return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status fields_read(const struct catalogue *catalogue, struct json object,
                               const struct field *fields, void *row, struct error *error)
{
    enum status status = STATUS_OK;
    if (json_type(object) != JSON_OBJECT)
        return read_fault(catalogue, object, error, "must be an object");
    for (struct json value = json_first(object); json_exists(value) && status == STATUS_OK;
         value = json_next(value, object)) {
        struct str name = json_member_name(value);
        const struct field *field = fields;
        while (field->name != NULL && !str_equal(str_from(field->name), name))
            field++;
        if (field->name == NULL) {
            struct suggestion near;
            suggestion_init(&near, name);
            for (field = fields; field->name != NULL; field++)
                suggestion_offer(&near, str_from(field->name));
            status = read_fault(catalogue, value, error, "is no member that is known here");
            if (suggestion_found(&near))
                error_hint(error, "did you mean \"%.*s\"?", (int)near.best.len, near.best.ptr);
        } else {
            status = field_read(catalogue, field, value, row, error);
        }
    }
    return status;
}

/* ---- rules and aliases ---- */

/* The member of that name, which must be an object; not there: a value that does not exist. */
static enum status read_part(const struct catalogue *catalogue, struct json document,
                             struct str name, struct json *out_part, struct error *error)
{
    struct json none = { NULL, NULL };
    *out_part = none;
    if (!json_exists(document))
        return STATUS_OK;
    if (json_type(document) != JSON_OBJECT)
        return read_fault(catalogue, document, error, "must be an object");
    *out_part = json_get(document, name);
    if (json_exists(*out_part) && json_type(*out_part) != JSON_OBJECT)
        return read_fault(catalogue, *out_part, error, "must be an object");
    return STATUS_OK;
}

static uint32_t part_count(struct json part)
{
    return json_exists(part) ? json_count(part) : 0;
}

enum status catalogue_read_rules(struct catalogue *catalogue, struct json user,
                                 struct json built_in, struct error *error)
{
    struct json parts[2];
    enum status status = read_part(catalogue, user, STR("rules"), &parts[0], error);
    if (status == STATUS_OK)
        status = read_part(catalogue, built_in, STR("rules"), &parts[1], error);
    if (status != STATUS_OK)
        return status;
    catalogue->rules =
        arena_take_array(&catalogue->arena, part_count(parts[0]) + (size_t)part_count(parts[1]) + 1,
                         sizeof(*catalogue->rules));
    if (catalogue->rules == NULL)
        return read_no_memory(error);
    for (unsigned i = 0; i < 2; i++) {
        if (!json_exists(parts[i]))
            continue;
        for (struct json value = json_first(parts[i]); json_exists(value);
             value = json_next(value, parts[i])) {
            status = wire_rules_read(json_member_name(value), value, &catalogue->arena,
                                     &catalogue->rules[catalogue->rule_count], error);
            if (status != STATUS_OK)
                return status;
            catalogue->rule_count++;
        }
    }
    return STATUS_OK;
}

static enum status aliases_add(struct catalogue *catalogue, struct json part, struct error *error)
{
    for (struct json value = json_first(part); json_exists(value); value = json_next(value, part)) {
        if (json_type(value) != JSON_STRING || !text_is_clean(json_string(value)) ||
            json_string(value).len == 0)
            return read_fault(catalogue, value, error,
                              "must name a model: provider/model, local, a path or an alias");
        catalogue->aliases[catalogue->alias_count++] =
            (struct catalogue_alias_row){ json_member_name(value), json_string(value) };
    }
    return STATUS_OK;
}

enum status catalogue_read_aliases(struct catalogue *catalogue, struct json user,
                                   struct json built_in, struct error *error)
{
    struct json parts[2];
    enum status status = read_part(catalogue, user, STR("aliases"), &parts[0], error);
    if (status == STATUS_OK)
        status = read_part(catalogue, built_in, STR("aliases"), &parts[1], error);
    if (status != STATUS_OK)
        return status;
    if (part_count(parts[0]) > CATALOGUE_ALIASES_MAX)
        return read_fault(catalogue, parts[0], error, "has too many members");
    catalogue->aliases =
        arena_take_array(&catalogue->arena, part_count(parts[0]) + (size_t)part_count(parts[1]) + 1,
                         sizeof(*catalogue->aliases));
    if (catalogue->aliases == NULL)
        return read_no_memory(error);
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        if (json_exists(parts[i]))
            status = aliases_add(catalogue, parts[i], error);
    }
    return status;
}

/* ---- models ---- */

static enum status model_parameters(const struct catalogue *catalogue, struct json object,
                                    unsigned *parameters, struct error *error)
{
    if (json_type(object) != JSON_OBJECT)
        return read_fault(catalogue, object, error, "must be an object");
    for (struct json value = json_first(object); json_exists(value);
         value = json_next(value, object)) {
        unsigned i = 0;
        while (parameter_names[i].name != NULL &&
               !str_equal(str_from(parameter_names[i].name), json_member_name(value)))
            i++;
        if (parameter_names[i].name == NULL)
            return read_fault(catalogue, value, error, "is no parameter that is known here");
        if (json_type(value) != JSON_TRUE && json_type(value) != JSON_FALSE)
            return read_fault(catalogue, value, error, "must be true or false");
        if (json_type(value) == JSON_TRUE)
            *parameters |= parameter_names[i].bit;
        else
            *parameters &= ~parameter_names[i].bit;
    }
    return STATUS_OK;
}

/* What object says, over what *model has already. */
static enum status model_apply(const struct catalogue *catalogue, struct json object,
                               struct provider_model *model, struct error *error)
{
    enum status status = fields_read(catalogue, object, model_fields, model, error);
    if (status != STATUS_OK)
        return status;
    struct json parameters = json_get(object, STR("parameters"));
    struct json rules = json_get(object, STR("rules"));
    if (json_exists(parameters))
        status = model_parameters(catalogue, parameters, &model->parameters, error);
    if (status == STATUS_OK && json_exists(rules)) {
        model->rules =
            json_type(rules) == JSON_STRING ? catalogue_rules(catalogue, json_string(rules)) : NULL;
        if (model->rules == NULL)
            return read_fault(catalogue, rules, error, "names no rules that are known");
    }
    return status;
}

static enum status model_check(const struct catalogue *catalogue, struct json value,
                               const struct provider_model *model, struct error *error)
{
    bool needs_rules =
        model->mechanism == PROVIDER_BY_SCHEMA || model->mechanism == PROVIDER_BY_TOOL;
    if (model->pattern.len == 0 || model->pattern.len > 256)
        return read_fault(catalogue, value, error, "must have a pattern of at most 256 bytes");
    if (needs_rules && model->rules == NULL)
        return read_fault(catalogue, value, error, "must have rules, for its mechanism");
    return STATUS_OK;
}

/* The models of a row: those of list (may not exist), then the ones that it has already, then one
 * that matches all. */
static enum status models_build(struct catalogue *catalogue, struct json list,
                                struct catalogue_item *item, struct error *error)
{
    struct provider_row *row = &item->row;
    uint32_t count = 0;
    if (json_exists(list) && json_type(list) != JSON_ARRAY)
        return read_fault(catalogue, list, error, "must be an array");
    if (part_count(list) + (uint64_t)row->model_count > CATALOGUE_MODELS_MAX)
        return read_fault(catalogue, list, error, "has too many items");
    struct provider_model *models = arena_take_array(
        &catalogue->arena, (size_t)part_count(list) + row->model_count + 1, sizeof(*models));
    if (models == NULL)
        return read_no_memory(error);
    if (json_exists(list)) {
        for (struct json value = json_first(list); json_exists(value);
             value = json_next(value, list)) {
            models[count] = item->base;
            enum status status = model_apply(catalogue, value, &models[count], error);
            if (status == STATUS_OK)
                status = model_check(catalogue, value, &models[count], error);
            if (status != STATUS_OK)
                return status;
            count++;
        }
    }
    for (uint32_t i = 0; i < row->model_count; i++)
        models[count++] = row->models[i];
    if (count == 0 || !str_equal(models[count - 1].pattern, STR("*"))) {
        models[count] = item->base;
        models[count++].pattern = STR("*");
    }
    row->models = models;
    row->model_count = count;
    return STATUS_OK;
}

/* ---- providers ---- */

static enum status provider_headers(const struct catalogue *catalogue, struct json object,
                                    struct provider_row *row, struct error *error)
{
    static const char *const refused[] = { "authorization", "proxy-authorization",
                                           "x-api-key",     "x-goog-api-key",
                                           "api-key",       "cookie",
                                           "host",          "content-length",
                                           "connection",    "transfer-encoding",
                                           "content-type",  NULL };
    if (json_type(object) != JSON_OBJECT)
        return read_fault(catalogue, object, error, "must be an object");
    if (json_count(object) > 16)
        return read_fault(catalogue, object, error, "has more than 16 members");
    for (struct json value = json_first(object); json_exists(value);
         value = json_next(value, object)) {
        struct str name = json_member_name(value);
        if (!text_is_header_name(name))
            return read_fault(catalogue, value, error, "is not the name of a header");
        for (unsigned i = 0; refused[i] != NULL; i++) {
            if (text_is_same_word(name, refused[i]))
                return read_fault(catalogue, value, error,
                                  "is not to be set here; a key is named by \"key\"");
        }
        if (json_type(value) != JSON_STRING || !text_is_clean(json_string(value)))
            return read_fault(catalogue, value, error,
                              "must be a string without control characters");
    }
    row->headers = object;
    return STATUS_OK;
}

/* What object says, over what *item has already; models are not looked at. */
static enum status provider_apply(const struct catalogue *catalogue, struct json object,
                                  struct catalogue_item *item, struct error *error)
{
    enum status status = fields_read(catalogue, object, provider_fields, &item->row, error);
    if (status != STATUS_OK)
        return status;
    struct json headers = json_get(object, STR("headers"));
    struct json defaults = json_get(object, STR("defaults"));
    if (json_exists(headers))
        status = provider_headers(catalogue, headers, &item->row, error);
    if (status == STATUS_OK && json_exists(defaults))
        status = model_apply(catalogue, defaults, &item->base, error);
    return status;
}

/* Everything that another provider is, under another id. */
static enum status provider_like(struct catalogue *catalogue, struct json object, struct str other,
                                 struct catalogue_item *item, struct error *error)
{
    for (uint32_t i = 0; i < catalogue->item_count; i++) {
        if (str_equal(catalogue->items[i].row.id, other)) {
            *item = catalogue->items[i];
            item->row.key_source = STR("");
            return STATUS_OK;
        }
    }
    return read_fault(catalogue, object, error, "names no provider that comes before it");
}

static enum status provider_new(struct catalogue *catalogue, struct json object, bool is_users,
                                struct error *error)
{
    struct catalogue_item *item = &catalogue->items[catalogue->item_count];
    struct json like = json_get(object, STR("like"));
    struct json models = json_get(object, STR("models"));
    struct str id = json_member_name(object);
    enum status status = STATUS_OK;
    *item = (struct catalogue_item){ .row = { .protocol = PROVIDER_CHAT },
                                     .base = { .mechanism = PROVIDER_BY_PROMPT,
                                               .strictness = PROVIDER_STRICT_UNKNOWN } };
    if (!text_is_id(id) || str_equal(id, STR("local")))
        return read_fault(catalogue, object, error, "is not the name of a provider");
    if (json_exists(like) && json_type(like) != JSON_STRING)
        return read_fault(catalogue, like, error, "must be a string");
    if (json_exists(like))
        status = provider_like(catalogue, like, json_string(like), item, error);
    else if (is_users)
        status = provider_like(catalogue, object, STR("compat"), item, error);
    item->row.id = item->row.title = id;
    item->row.is_users = is_users;
    if (is_users)
        item->row.key_variable = item->row.base_url_variable = STR("");
    if (status == STATUS_OK)
        status = provider_apply(catalogue, object, item, error);
    if (status == STATUS_OK && json_exists(models))
        item->row.model_count = 0;
    if (status == STATUS_OK)
        status = models_build(catalogue, models, item, error);
    if (status == STATUS_OK)
        catalogue->item_count++;
    return status;
}

/* The user's words about a provider that is built in. */
static enum status provider_change(struct catalogue *catalogue, struct json object,
                                   struct catalogue_item *item, struct error *error)
{
    struct json like = json_get(object, STR("like"));
    if (json_exists(like))
        return read_fault(catalogue, like, error, "is only for a provider that is not built in");
    item->row.is_users = true;
    enum status status = provider_apply(catalogue, object, item, error);
    if (status == STATUS_OK)
        status = models_build(catalogue, json_get(object, STR("models")), item, error);
    return status;
}

static enum status users_read(struct catalogue *catalogue, struct json part, struct error *error)
{
    uint32_t built_in_count = catalogue->item_count;
    enum status status = STATUS_OK;
    for (struct json value = json_first(part); json_exists(value) && status == STATUS_OK;
         value = json_next(value, part)) {
        uint32_t i = 0;
        if (json_type(value) != JSON_OBJECT)
            return read_fault(catalogue, value, error, "must be an object");
        while (i < built_in_count &&
               !str_equal(catalogue->items[i].row.id, json_member_name(value)))
            i++;
        status = i < built_in_count ? provider_change(catalogue, value, &catalogue->items[i], error)
                                    : provider_new(catalogue, value, true, error);
    }
    return status;
}

enum status catalogue_read_providers(struct catalogue *catalogue, struct json user,
                                     struct json built_in, struct error *error)
{
    struct json own, part;
    enum status status = read_part(catalogue, user, STR("providers"), &own, error);
    if (status == STATUS_OK)
        status = read_part(catalogue, built_in, STR("providers"), &part, error);
    if (status != STATUS_OK)
        return status;
    if (part_count(own) > CATALOGUE_PROVIDERS_MAX)
        return read_fault(catalogue, own, error, "has too many members");
    catalogue->items =
        arena_take_array(&catalogue->arena, part_count(own) + (size_t)part_count(part) + 1,
                         sizeof(*catalogue->items));
    if (catalogue->items == NULL)
        return read_no_memory(error);
    if (json_exists(part)) {
        for (struct json value = json_first(part); json_exists(value) && status == STATUS_OK;
             value = json_next(value, part))
            status = provider_new(catalogue, value, false, error);
    }
    if (status == STATUS_OK && json_exists(own))
        status = users_read(catalogue, own, error);
    return status;
}
