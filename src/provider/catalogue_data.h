/* catalogue_data.h - data/providers.json as it was compiled in (cmake/embed.cmake). */
#ifndef STRUCTURE_PROVIDER_CATALOGUE_DATA_H
#define STRUCTURE_PROVIDER_CATALOGUE_DATA_H

#include <stddef.h>

extern const unsigned char provider_data[];
extern const size_t provider_data_size;

#endif
