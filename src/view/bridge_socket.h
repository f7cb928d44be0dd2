// view/bridge_socket.h - the socket of tendril serve.
#pragma once

#include <signal.h>

#include "view/bridge.h"

typedef struct bridge_socket {
    int fd;
    int port;  // that it has
} bridge_socket;

// port 0: any that is free. False: err says why.
bool bridge_open(bridge_socket *s, const char *host, int port, td_error *err);
// Until *stop is set.
void bridge_serve(bridge_socket *s, bridge *b, const volatile sig_atomic_t *stop);
void bridge_close(bridge_socket *s);
