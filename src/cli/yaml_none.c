/* yaml_none.c - YAML in a build without libyaml: refused by name. yaml.c is the other half. */
#include "base/features.h"

#include "cli/yaml.h"

enum status cli_yaml_to_json(struct str yaml, enum status fault, struct buffer *out,
                             struct error *error)
{
    (void)yaml;
    (void)fault;
    (void)out;
    (void)error_set(error, STATUS_UNSUPPORTED, "this program was built without YAML");
    error_hint(error, "convert the document to JSON and give that file");
    return STATUS_UNSUPPORTED;
}
