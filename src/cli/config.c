/* config.c - what the machine and the person configured for models. See config.h.
 *
 * Owns: which files are read, and that the nearest one wins, member by member of a provider.
 * Leaves to others: what rows mean (provider/catalogue.h), keys (key_source.h). Invariant: a file
 * that a folder brings along (.structure/config.yaml) is not read: it could send a key elsewhere.
 */
#include "base/features.h"

#include "cli/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFIG_BYTES_MAX = 1024 * 1024 };

static const char *const config_sections[] = { "rules", "providers", "aliases", NULL };
static const char *const config_names[] = { "config.yaml", "config.yml", "config.json", NULL };

/* ---- finding the files ---- */

/* The first of the names that is in folder; *path is empty when there is none. */
static void config_find(const char *folder, const char *below, char *path)
{
    struct stat info;
    for (unsigned i = 0; config_names[i] != NULL; i++) {
        int len = snprintf(path, CLI_CONFIG_PATH_BYTES, "%s%s/%s", folder, below, config_names[i]);
        if (len < CLI_CONFIG_PATH_BYTES && stat(path, &info) == 0)
            return;
    }
    path[0] = '\0';
}

static void config_find_usual(struct cli_config *config)
{
    const char *named = getenv("STRUCTURE_CONFIG");
    const char *folder = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    config_find("/etc", "/structure", config->files[0].path);
    if (named != NULL && named[0] != '\0')
        (void)snprintf(config->files[1].path, CLI_CONFIG_PATH_BYTES, "%s", named);
    else if (folder != NULL && folder[0] == '/')
        config_find(folder, "/structure", config->files[1].path);
    else if (home != NULL && home[0] == '/')
        config_find(home, "/.config/structure", config->files[1].path);
}

/* The nearest .structure/config.* at or above the working directory. */
static void config_find_project(struct cli_config *config)
{
    char folder[CLI_CONFIG_PATH_BYTES];
    if (getcwd(folder, sizeof(folder)) == NULL)
        return;
    for (;;) {
        config_find(folder, "/.structure", config->project);
        char *slash = strrchr(folder, '/');
        if (config->project[0] != '\0' || slash == NULL || folder[0] == '\0')
            return;
        *slash = '\0';
    }
}

/* ---- reading one ---- */

/* Nothing but white space and comments. */
static bool text_is_blank(struct str text)
{
    bool in_comment = false;
    for (size_t i = 0; i < text.len; i++) {
        bool is_end = text.ptr[i] == '\n' || text.ptr[i] == '\r';
        if (in_comment || is_end)
            in_comment = !is_end;
        else if (text.ptr[i] == '#')
            in_comment = true;
        else if (text.ptr[i] != ' ' && text.ptr[i] != '\t')
            return false;
    }
    return true;
}

static enum status config_fault(const struct cli_config_file *file, struct json value,
                                const char *message, struct error *error)
{
    struct buffer pointer;
    uint32_t line, column;
    buffer_init(&pointer, alloc_default(), ERROR_POINTER_BYTES);
    json_pointer_of(value, &pointer);
    json_position(buffer_view(&file->text.bytes), json_offset(value), &line, &column);
    (void)error_set(error, STATUS_INVALID_REQUEST, "%s", message);
    error_at_pointer(error, buffer_view(&pointer));
    error_at_line(error, line, column);
    buffer_release(&pointer);
    return STATUS_INVALID_REQUEST;
}

static bool name_is_section(struct str name)
{
    for (unsigned i = 0; config_sections[i] != NULL; i++) {
        if (str_equal(name, str_from(config_sections[i])))
            return true;
    }
    return false;
}

static enum status config_check(struct cli_config *config, const struct cli_config_file *file,
                                struct error *error)
{
    struct json root = json_doc_root(file->doc);
    if (json_type(root) != JSON_OBJECT)
        return config_fault(file, root, "a configuration is an object", error);
    for (struct json value = json_first(root); json_exists(value); value = json_next(value, root)) {
        struct str name = json_member_name(value);
        if (name_is_section(name)) {
            if (json_type(value) != JSON_OBJECT)
                return config_fault(file, value, "must be an object", error);
        } else if (str_equal(name, STR("model"))) {
            if (json_type(value) != JSON_STRING || json_string(value).len == 0)
                return config_fault(file, value,
                                    "must name a model: provider/model, local, a path or an alias",
                                    error);
            config->model = json_string(value);
            config->model_origin = file->path;
        } else if (!str_equal(name, STR("$schema"))) {
            (void)config_fault(file, value, "is no setting that is known here", error);
            error_hint(error, "settings are: rules, providers, aliases, model");
            return STATUS_INVALID_REQUEST;
        }
    }
    return STATUS_OK;
}

static enum status config_read(struct cli_config *config, struct cli_config_file *file,
                               const struct alloc *alloc, struct error *error)
{
    static const struct cli_input_limit limit = { CONFIG_BYTES_MAX, NULL, STATUS_INVALID_REQUEST };
    if (file->path[0] == '\0')
        return STATUS_OK;
    enum status status = cli_input_read(file->path, &limit, alloc, &file->text, error);
    if (status != STATUS_OK || text_is_blank(buffer_view(&file->text.bytes)))
        return status;
    cli_text_release(&file->text);
    status = cli_input_document(file->path, &limit, alloc, &file->text, error);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&file->text.bytes), NULL, alloc, &file->doc, error);
    if (status == STATUS_OK)
        status = config_check(config, file, error);
    return status;
}

/* ---- the nearest one wins ---- */

static struct json config_part(const struct cli_config_file *file, const char *section)
{
    struct json none = { NULL, NULL };
    return file->doc == NULL ? none : json_get(json_doc_root(file->doc), str_from(section));
}

static bool value_is_object(struct json value)
{
    return json_exists(value) && json_type(value) == JSON_OBJECT;
}

/* Appends the members of far that near has not, and those of near; levels: of objects that are
 * merged in turn. */
static void merge_append(struct buffer *out, struct json far, struct json near, unsigned levels)
{
    const struct json both[] = { far, near };
    bool is_first = true;
    buffer_append_byte(out, '{');
    for (unsigned i = 0; i < 2; i++) {
        if (!value_is_object(both[i]))
            continue;
        for (struct json value = json_first(both[i]); json_exists(value);
             value = json_next(value, both[i])) {
            struct str name = json_member_name(value);
            struct json none = { NULL, NULL };
            struct json other = value_is_object(both[1 - i]) ? json_get(both[1 - i], name) : none;
            if (i == 0 && json_exists(other))
                continue;
            if (!is_first)
                buffer_append_byte(out, ',');
            is_first = false;
            json_write_string(name, out);
            buffer_append_byte(out, ':');
            if (levels > 0 && value_is_object(value) && value_is_object(other))
                merge_append(out, other, value, levels - 1);
            else
                json_write(value, 0, out);
        }
    }
    buffer_append_byte(out, '}');
}

static void config_merge(const struct cli_config *config, struct buffer *out)
{
    for (unsigned i = 0; config_sections[i] != NULL; i++) {
        bool is_providers = strcmp(config_sections[i], "providers") == 0;
        buffer_printf(out, "%c\"%s\":", i == 0 ? '{' : ',', config_sections[i]);
        merge_append(out, config_part(&config->files[0], config_sections[i]),
                     config_part(&config->files[1], config_sections[i]), is_providers ? 1 : 0);
    }
    buffer_append_byte(out, '}');
}

/* The value at pointer in the nearest file that has one. */
static const struct cli_config_file *config_holder(const struct cli_config *config,
                                                   struct str pointer, struct json *out_value)
{
    for (unsigned i = 2; i-- > 0;) {
        if (config->files[i].doc == NULL)
            continue;
        *out_value = json_pointer_get(json_doc_root(config->files[i].doc), pointer);
        if (json_exists(*out_value))
            return &config->files[i];
    }
    return NULL;
}

const char *cli_config_origin(const struct cli_config *config, struct str pointer)
{
    struct json value;
    const struct cli_config_file *file = config_holder(config, pointer, &value);
    return file == NULL ? NULL : file->path;
}

static enum status config_catalogue(struct cli_config *config, const struct alloc *alloc,
                                    const char **out_source, struct error *error)
{
    struct buffer text;
    struct json_doc *doc = NULL;
    struct json none = { NULL, NULL };
    enum status status = STATUS_OK;
    buffer_init(&text, alloc, 4 * CONFIG_BYTES_MAX);
    if (config->files[0].doc != NULL || config->files[1].doc != NULL) {
        config_merge(config, &text);
        status = buffer_status(&text) == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
        if (status == STATUS_OK)
            status = json_parse(buffer_view(&text), NULL, alloc, &doc, error);
    }
    if (status == STATUS_OK)
        status = catalogue_open(doc == NULL ? none : json_doc_root(doc), alloc, &config->catalogue,
                                error);
    if (status == STATUS_INVALID_REQUEST && error->has_pointer) {
        struct json value;
        uint32_t line, column;
        const struct cli_config_file *file =
            config_holder(config, str_from(error->pointer), &value);
        if (file != NULL) {
            *out_source = file->path;
            json_position(buffer_view(&file->text.bytes), json_offset(value), &line, &column);
            error_at_line(error, line, column);
        }
    }
    json_doc_free(doc);
    buffer_release(&text);
    return status == STATUS_OK ? status : error_set(error, status, "out of memory");
}

enum status cli_config_open(const char *const folders[2], const struct alloc *alloc,
                            struct cli_config *out, const char **out_source, struct error *error)
{
    enum status status = STATUS_OK;
    *out = (struct cli_config){ .model = STR("") };
    for (unsigned i = 0; folders != NULL && i < 2; i++)
        config_find(folders[i], "", out->files[i].path);
    if (folders == NULL) {
        config_find_usual(out);
        config_find_project(out);
    }
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        *out_source = out->files[i].path;
        status = config_read(out, &out->files[i], alloc, error);
    }
    if (status == STATUS_OK) {
        *out_source = NULL;
        status = config_catalogue(out, alloc, out_source, error);
    }
    return status;
}

void cli_config_release(struct cli_config *config)
{
    for (unsigned i = 0; i < 2; i++) {
        json_doc_free(config->files[i].doc);
        cli_text_release(&config->files[i].text);
        config->files[i].doc = NULL;
    }
    catalogue_free(config->catalogue);
    config->catalogue = NULL;
}
