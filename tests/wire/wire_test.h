/* wire_test.h - a call of the product against the fault server: what the tests of this folder
 * share. */
#ifndef STRUCTURE_WIRE_TEST_H
#define STRUCTURE_WIRE_TEST_H

#include "test.h"

#include "base/limits.h"
#include "engine/driver.h"
#include "faults.h"
#include "net/http_curl.h"
#include "provider/provider.h"
#include "schema/compile.h"

#define WIRE_SCHEMA                                                                                \
    "{\"type\":\"object\",\"properties\":{\"actor\":{\"type\":\"string\"},\"priority\":{\"type\":" \
    "\"integer\",\"minimum\":1,\"maximum\":5}},\"required\":[\"actor\",\"priority\"],"             \
    "\"additionalProperties\":false}"

/* One model of the product that asks the server. */
struct wire_client {
    struct catalogue *catalogue;
    struct schema_program *program;
    struct http_client http;
    struct model model;
    struct buffer trace; /* every line that the exchange told */
};

struct wire_setting {
    enum wire_protocol protocol;
    bool is_streamed;
    uint32_t attempts; /* of one model call */
    int64_t retry_base_ms;
    int64_t silence_ms;    /* before the first byte, and between two */
    const struct rng *rng; /* jitter; NULL: the product's own */
};

void wire_client_open(struct wire_client *client, const struct fault_server *server,
                      const struct wire_setting *setting);
/* The same over a client of the test's own, which goes over to the wire_client. */
void wire_client_open_over(struct wire_client *client, const struct http_client *http,
                           const struct wire_setting *setting);
void wire_client_close(struct wire_client *client);

/* A request for the schema, with a prompt. */
struct engine_request wire_request(const struct wire_client *client, struct str prompt);

/* Fails the test when a marker is in text. */
void wire_assert_private(struct str text, const char *where);

#endif
