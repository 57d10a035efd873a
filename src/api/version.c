/* version.c - versions of the library and of what it is linked with. */
#include "base/features.h"

#include "api/api.h"

#if STRUCTURE_HAVE_EXTRACT
#include "model/local.h"
#include "net/http_curl.h"
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

const char *structure_version_http(void)
{
#if STRUCTURE_HAVE_EXTRACT
    return http_curl_library_version();
#else
    return NULL;
#endif
}
