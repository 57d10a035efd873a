/* hash.h - keyed hashing of bytes. The seed keeps an attacker from choosing colliding keys; nothing
 * may rely on hashes differing: every table bounds its probes or falls back to ordering. */
#ifndef STRUCTURE_BASE_HASH_H
#define STRUCTURE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *ptr, size_t len, uint64_t seed);

/* Per-process secret seed, drawn once from the operating system; the same for the life of the
 * process. */
uint64_t hash_process_seed(void);

/* FIPS 180-4 SHA-256, for cache keys and integrity of downloaded data. */
void hash_sha256(const void *ptr, size_t len, unsigned char out[32]);

#endif
