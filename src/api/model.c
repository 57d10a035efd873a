/* model.c - model handles: a model file loaded into this process, or a model of a provider.
 *
 * Leaves to others: options of providers (model_options.c), which provider a name means
 * (model_provider.c).
 */
#include "base/features.h"

#include "api/api_extract.h"

enum { MODEL_NAME_BYTES_MAX = 64 * 1024 };

enum structure_kind structure_model_open(const char *name, const structure_model_options *options,
                                         const struct structure_allocator *allocator,
                                         structure_model **out_model, structure_error **out_error)
{
    struct error error = { 0 };
    struct alloc alloc = api_alloc(allocator);
    struct model_local_options local = { .threads = 0 };
    structure_model *model = alloc_get(&alloc, sizeof(*model));
    if (model == NULL)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    if (options != NULL)
        local = options->options;
    *model = (structure_model){ .alloc = alloc };
    arena_init(&model->arena, &model->alloc, MODEL_NAME_BYTES_MAX);
    enum status status = api_model_resolve(model, name, options, &local.path, &error);
    if (status == STATUS_OK && !model->is_provider)
        status = model_local_open(&local, &model->alloc, NULL, &model->model, &error);
    if (status == STATUS_OK) {
        model->info = model_info(&model->model);
        model->name = arena_copy(&model->arena, model->info.name).ptr;
        status = model->name == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    }
    if (status != STATUS_OK) {
        structure_model_free(model);
        return api_fail(status, &error, out_error);
    }
    *out_model = model;
    return STRUCTURE_OK;
}

void structure_model_free(structure_model *model)
{
    if (model == NULL)
        return;
    struct alloc alloc = model->alloc;
    model_free(&model->model);
    catalogue_free(model->catalogue);
    arena_release(&model->arena);
    alloc_free(&alloc, model, sizeof(*model));
}

const char *structure_model_name(const structure_model *model)
{
    return model->name;
}

uint64_t structure_model_parameter_count(const structure_model *model)
{
    return model->info.parameter_count;
}

uint32_t structure_model_context_tokens(const structure_model *model)
{
    return model->info.context_tokens;
}
