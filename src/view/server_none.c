// In place of the server where libwebsockets was not there when the program was built.
#include "base/error.h"
#include "view/server.h"

server *server_create(const server_setup *setup, td_error *err) {
    (void)setup;
    error_set(err, TD_ERR_UNSUPPORTED, "view",
              "this program was built without libwebsockets; install libwebsockets-dev and build "
              "again");
    return NULL;
}

bool server_is_loopback(const char *host) {
    (void)host;
    return true;
}

int server_port(const server *s) {
    (void)s;
    return 0;
}

bool server_run(server *s, const volatile sig_atomic_t *stop) {
    (void)s, (void)stop;
    return false;
}

void server_destroy(server *s) {
    (void)s;
}
