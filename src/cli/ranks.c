// cli/ranks.c - messages between ranks by MPI: see ranks.h.
//
// Everything is sent without waiting, and what is under way is remembered, so that a rank that has died holds nobody up.
#include "cli/ranks.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

typedef struct letter {
    struct letter *next;
    MPI_Request request;
    char bytes[];
} letter;

static letter *under_way;

bool ranks_are_several(void) {
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (int i = 0; i < 3; i++)
        if (getenv(sizes[i]) && atoi(getenv(sizes[i])) > 1) return true;
    return false;
}

int ranks_on_this_machine(void) {
    const char *text = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!text) text = getenv("MPI_LOCALNRANKS");
    return text && atoi(text) > 1 ? atoi(text) : 1;
}

bool ranks_begin(int *rank, int *size) {
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return true;
}

static void forget_delivered(void) {
    for (letter **at = &under_way; *at;) {
        letter *l = *at;
        int done = 0;
        MPI_Test(&l->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        free(l);
    }
}

void ranks_send(int to, int tag, const void *bytes, size_t n) {
    letter *l = malloc(sizeof *l + n);
    forget_delivered();
    if (!l) return;
    if (n > 0) memcpy(l->bytes, bytes, n);
    MPI_Isend(l->bytes, (int)n, MPI_BYTE, to, tag, MPI_COMM_WORLD, &l->request);
    l->next = under_way;
    under_way = l;
}

bool ranks_take(int *from, int *tag, void **bytes, size_t *n) {
    MPI_Status status;
    MPI_Message message;
    int there = 0, count = 0;
    forget_delivered();
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status) !=
            MPI_SUCCESS ||
        !there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *bytes = malloc((size_t)count + 1);
    if (!*bytes) return false;
    MPI_Mrecv(*bytes, count, MPI_BYTE, &message, &status);
    *from = status.MPI_SOURCE, *tag = status.MPI_TAG, *n = (size_t)count;
    return true;
}

static int last_code;

static void leave(int number) {
    (void)number;
    _exit(last_code);
}

void ranks_end(bool some_are_lost, double patience, int code) {
    forget_delivered();
    if (some_are_lost) {
        last_code = code;
        fflush(NULL);
        signal(SIGALRM, leave);
        alarm((unsigned)fmin(fmax(patience, 1.0), 60.0));
    }
    MPI_Finalize();
    alarm(0);
}
