// base/assertion.c - where an assertion that does not hold ends.
#include "base/assertion.h"

#include "tendril/status.h"

#ifdef TENDRIL_ASSERTIONS
static td_assertion_hook *on_failure;

void assertion_failed(const char *what, const char *file, int line) {
    if (on_failure) on_failure(what, file, line);
    else __builtin_trap();
}

bool td_set_assertion_hook(td_assertion_hook *hook) {
    on_failure = hook;
    return true;
}
#else
bool td_set_assertion_hook(td_assertion_hook *hook) {
    (void)hook;
    return false;
}
#endif
