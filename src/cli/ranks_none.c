// cli/ranks_none.c - without MPI there is one copy of the program: see ranks.h.
#include <stdlib.h>

#include "cli/ranks.h"
#include "cli/terminal.h"

bool ranks_are_several(void) {
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    return size && atoi(size) > 1;
}

bool ranks_begin(int *rank, int *size) {
    *rank = 0, *size = 1;
    return print_error("mpirun",
                       "this program was built without MPI; --part 1/2, 2/2, .. share a study too");
}

void ranks_end(bool some_are_lost, double patience, int code) {
    (void)some_are_lost, (void)patience, (void)code;
}

int ranks_on_this_machine(void) {
    return 1;
}

void ranks_send(int to, int tag, const void *bytes, size_t n) {
    (void)to, (void)tag, (void)bytes, (void)n;
}

bool ranks_take(int *from, int *tag, void **bytes, size_t *n) {
    (void)from, (void)tag, (void)bytes, (void)n;
    return false;
}
