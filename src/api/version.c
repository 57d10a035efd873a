/* version.c - versions of the library and of what it is linked with. */
#include "base/features.h"

#include "api/api.h"

#if STRUCTURE_HAVE_EXTRACT
#include "model/local.h"
#endif

const char *structure_version(void)
{
    return STRUCTURE_VERSION;
}

int structure_version_number(void)
{
    return STRUCTURE_VERSION_NUMBER;
}

const char *structure_version_llama(void)
{
#if STRUCTURE_HAVE_EXTRACT
    return model_local_library_version();
#else
    return NULL;
#endif
}
