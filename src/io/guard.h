// io/guard.h - looking into a file of unknown state without risk: HDF5 1.10 crashes inside on some
// damaged files, so a child process looks first.
#pragma once

// Runs `look` in a child and returns what it returned (0 to 125), or GUARD_CRASHED when the child
// ended in any other way: a signal, or more than `seconds` of processor time. Memory that `look`
// writes stays the child's. Where no child can be started `look` runs here.
enum { GUARD_CRASHED = -1 };
int guard_look(int (*look)(void *), void *data, unsigned seconds);
