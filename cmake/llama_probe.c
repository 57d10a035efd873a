/* llama_probe.c - compiles and links only with a libllama whose interface is the one that is
 * used. */
#include <llama.h>

int main(void)
{
    struct llama_model_params params = llama_model_default_params();
    struct llama_model *model = llama_model_load_from_file("", params);
    struct llama_context *context =
        model == NULL ? NULL : llama_init_from_model(model, llama_context_default_params());
    if (context == NULL)
        return 0;
    llama_memory_seq_rm(llama_get_memory(context), 0, 0, -1);
    return llama_vocab_n_tokens(llama_model_get_vocab(model)) > 0 ? 0 : 1;
}
