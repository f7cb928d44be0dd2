// cli/stop.c - see stop.h.
#include "cli/stop.h"

#include <stddef.h>

static volatile sig_atomic_t asked;

static void ask_to_stop(int signal_number) {
    (void)signal_number;
    asked = 1;
}

void catch_stop(bool second_ends) {
    struct sigaction action = {.sa_handler = ask_to_stop,
                               .sa_flags = second_ends ? (int)SA_RESETHAND : 0};
    asked = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool stop_asked(void) {
    return asked != 0;
}

bool stop_wanted(void *unused) {
    (void)unused;
    return stop_asked();
}

const volatile sig_atomic_t *stop_flag(void) {
    return &asked;
}
