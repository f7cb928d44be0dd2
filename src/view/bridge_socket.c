// view/bridge_socket.c - see bridge_socket.h.
#define _GNU_SOURCE  // ppoll
#include "view/bridge_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "io/clock.h"

enum { PACKETS = 64 };  // read in one round, before time goes on

bool bridge_open(bridge_socket *s, const char *host, int port, td_error *err) {
    char service[16];
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_DGRAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    *s = (bridge_socket){.fd = -1};
    snprintf(service, sizeof service, "%d", port);
    const int code = getaddrinfo(host, service, &hints, &found);
    if (code != 0) {
        error_set(err, TD_ERR_ARGUMENT, "--host", "'%.80s' is no address: %s", host,
                  gai_strerror(code));
        return false;
    }
    s->fd = socket(found->ai_family, SOCK_DGRAM, 0);
    const bool bound = s->fd >= 0 && bind(s->fd, found->ai_addr, found->ai_addrlen) == 0;
    if (!bound)
        error_set(err, TD_ERR_FILE, host, "port %d cannot be had: %s", port, strerror(errno));
    freeaddrinfo(found);
    struct sockaddr_storage own;
    socklen_t n = sizeof own;
    if (bound && getsockname(s->fd, (struct sockaddr *)&own, &n) == 0)
        s->port = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
                                                  : ((struct sockaddr_in *)&own)->sin_port);
    return bound;
}

void bridge_close(bridge_socket *s) {
    if (s->fd >= 0) close(s->fd);
}

// What cannot be sent is lost, as packets are.
static void send_text(const bridge_socket *s, const bridge *b, const void *address, uint32_t size) {
    (void)!sendto(s->fd, b->text, b->length, MSG_DONTWAIT, address, (socklen_t)size);
}

static void send_to_all(const bridge_socket *s, const bridge *b) {
    for (int i = 0; i < BRIDGE_CLIENTS; i++)
        if (b->clients[i].size) send_text(s, b, b->clients[i].address, b->clients[i].size);
}

static void read_packets(bridge_socket *s, bridge *b) {
    char packet[BRIDGE_MOST + 1];
    for (int i = 0; i < PACKETS; i++) {
        struct sockaddr_storage from;
        memset(&from, 0, sizeof from);
        socklen_t size = sizeof from;
        const ssize_t n =
            recvfrom(s->fd, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
        if (n < 0) return;
        if (bridge_receive(b, wall_clock(), &from, (uint32_t)size, packet, (size_t)n))
            send_text(s, b, &from, (uint32_t)size);
    }
}

void bridge_serve(bridge_socket *s, bridge *b, const volatile sig_atomic_t *stop) {
    b->stop = stop;
    b->next_frame = b->anchor = wall_clock();
    while (!*stop) {
        struct pollfd ready = {.fd = s->fd, .events = POLLIN};
        const struct timespec wait = {.tv_nsec = (long)(1e9 * bridge_wait(b, wall_clock()))};
        if (ppoll(&ready, 1, &wait, NULL) > 0) read_packets(s, b);
        if (!bridge_advance(b, wall_clock())) send_to_all(s, b);
        if (bridge_frame(b, wall_clock())) send_to_all(s, b);
    }
    if (bridge_goodbye(b)) send_to_all(s, b);
}
