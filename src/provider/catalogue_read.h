/* catalogue_read.h - rows of providers, models and rules from their JSON form. Private to
 * catalogue*.c.
 */
#ifndef STRUCTURE_PROVIDER_CATALOGUE_READ_H
#define STRUCTURE_PROVIDER_CATALOGUE_READ_H

#include "base/arena.h"
#include "provider/catalogue.h"

enum {
    CATALOGUE_BYTES_MAX = 16 * 1024 * 1024, /* of all rows */
    CATALOGUE_PROVIDERS_MAX = 1024,
    CATALOGUE_MODELS_MAX = 4096, /* of one provider */
    CATALOGUE_ALIASES_MAX = 1024,
    CATALOGUE_TEXT_BYTES = 2048, /* of one text */
    CATALOGUE_ALIAS_STEPS = 8    /* from one alias to another */
};

struct catalogue_alias_row {
    struct str name, value;
};

/* A provider and what its models have in common. */
struct catalogue_item {
    struct provider_row row;
    struct provider_model base;
};

struct catalogue {
    const struct alloc *alloc;
    struct arena arena;
    struct json_doc *built_in, *user; /* user: a copy; NULL: none */
    struct catalogue_item *items;
    uint32_t item_count;
    struct wire_rules *rules; /* the user's first */
    uint32_t rule_count;
    struct catalogue_alias_row *aliases; /* the user's first */
    uint32_t alias_count;
};

/* Adds the rows of a document's "rules", "providers" and "aliases". The built-in document comes
 * after the user's for rules and aliases, before it for providers. */
enum status catalogue_read_rules(struct catalogue *catalogue, struct json user,
                                 struct json built_in, struct error *error);
enum status catalogue_read_providers(struct catalogue *catalogue, struct json user,
                                     struct json built_in, struct error *error);
enum status catalogue_read_aliases(struct catalogue *catalogue, struct json user,
                                   struct json built_in, struct error *error);

#endif
