/* test_data.h - files that tests read, and what to do when they are not there.
 *
 * Owns: the search for the shared data folder: the environment variable STRUCTURE_SHARED, else
 * ../shared beside the source tree. Paths that do not fit PATH_BYTES fail the test.
 */
#ifndef STRUCTURE_TEST_DATA_H
#define STRUCTURE_TEST_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum { TEST_PATH_BYTES = 1024 };

/* The path of a file or folder of the shared data; false when it is not there. */
bool test_shared_path(char out[TEST_PATH_BYTES], const char *relative);

/* The same in the source tree. */
bool test_source_path(char out[TEST_PATH_BYTES], const char *relative);

/* A whole file; ptr is NULL when it cannot be read. Has a NUL after its end. Free with
 * test_file_free. */
struct str test_file_read(const char *path);
void test_file_free(struct str content);

/* Calls visit with the path and content of every regular file of a folder, in the order of their
 * names. Returns how many there were; 0 when the folder is not there. */
typedef void test_file_visit(const char *path, struct str content, void *context);
size_t test_files_visit(const char *folder, test_file_visit *visit, void *context);

/* The same for all files below a folder; folders inside folders come after the files. */
size_t test_tree_visit(const char *folder, test_file_visit *visit, void *context);

/* The path of a file or folder of JSON-Schema-Test-Suite: below the environment variable
 * STRUCTURE_SUITE, else in the shared data. False when it is not there. */
bool test_suite_path(char out[TEST_PATH_BYTES], const char *relative);

/* Prints "skipped: reason" and ends the running test as skipped. */
void test_skip(const char *reason);

#endif
