// cli/ranks.h - several copies of the program under mpirun, and what they send one another. Only ranks.c knows MPI.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Is the program one of several under a launcher? Then ranks_begin must follow, early; false: told why it cannot.
bool ranks_are_several(void);
bool ranks_begin(int *rank, int *size);
// MPI waits for every rank here, also for one that has died: where one has, the process ends by itself after `patience` s, with this
// exit code. All that is to be kept must have been written before.
void ranks_end(bool some_are_lost, double patience, int code);

int ranks_on_this_machine(void);  // as the launcher says; 1 where it does not

// Does not wait. Bytes are copied.
void ranks_send(int to, int tag, const void *bytes, size_t n);
// A message that has come, if there is one; free *bytes.
bool ranks_take(int *from, int *tag, void **bytes, size_t *n);
