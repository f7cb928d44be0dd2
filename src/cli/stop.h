// cli/stop.h - Ctrl-C and the TERM signal, for verbs that end in good order.
#pragma once

#include <signal.h>
#include <stdbool.h>

// From now on the first signal is noted. The second ends the program at once, or is noted too.
void catch_stop(bool second_ends);
bool stop_asked(void);
bool stop_wanted(void *unused);                // the same, as the library asks it
const volatile sig_atomic_t *stop_flag(void);  // not 0: asked
