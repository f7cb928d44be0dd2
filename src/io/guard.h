// io/guard.h - looking into a file of unknown state without risk: HDF5 1.10 crashes inside on some
// damaged files, loops in others and asks for any amount of memory, so a child process looks first.
#pragma once

#include "tendril/status.h"

typedef td_status guarded(void *data, td_error *err);

// Runs `look` at the file in a child and returns what it returned, with its err. A child that
// crashes, or takes more time or memory than a file of this size can need, is TD_ERR_FILE: the file
// is damaged. All else that `look` writes stays the child's. Where no child can be started it runs
// here.
td_status guard_look(guarded *look, void *data, const char *path, td_error *err);
