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
    int from, tag;  // of one that comes
    size_t n;
    char bytes[];
} letter;

static letter *under_way, *coming;

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

// A rank that dies at the wrong moment may leave what others share with it locked, and them waiting for ever in a call that does
// not wait: then it is better to end.
enum { STUCK = 60 };  // s

static void end_stuck(int number) {
    (void)number;
    static const char words[] =
        "mpirun: no answer from MPI for a minute, a rank may have died in it; what was computed "
        "is kept, and the same command goes on\n";
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(2);
    _exit(1);
}

static void watch(bool on) {
    if (on) signal(SIGALRM, end_stuck);
    alarm(on ? STUCK : 0);
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
    if (!l) return;
    if (n > 0) memcpy(l->bytes, bytes, n);
    watch(true);
    forget_delivered();
    MPI_Isend(l->bytes, (int)n, MPI_BYTE, to, tag, MPI_COMM_WORLD, &l->request);
    watch(false);
    l->next = under_way;
    under_way = l;
}

// A letter of which some has come: the rest may never come, of a rank that died while it wrote.
static void begin_to_take(void) {
    MPI_Status status;
    MPI_Message message;
    int there = 0, count = 0;
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status) !=
            MPI_SUCCESS ||
        !there)
        return;
    MPI_Get_count(&status, MPI_BYTE, &count);
    letter *l = malloc(sizeof *l + (size_t)count), **last = &coming;
    if (!l) return;
    *l = (letter){.from = status.MPI_SOURCE, .tag = status.MPI_TAG, .n = (size_t)count};
    MPI_Imrecv(l->bytes, count, MPI_BYTE, &message, &l->request);
    while (*last) last = &(*last)->next;
    *last = l;
}

static bool is_first_of_its_rank(const letter *l) {
    for (const letter *k = coming; k != l; k = k->next)
        if (k->from == l->from) return false;
    return true;
}

static letter *take(void) {
    forget_delivered();
    begin_to_take();
    for (letter **at = &coming; *at; at = &(*at)->next) {
        letter *l = *at;
        int done = 0;
        if (!is_first_of_its_rank(l)) continue;
        MPI_Test(&l->request, &done, MPI_STATUS_IGNORE);
        if (!done) continue;
        *at = l->next;
        return l;
    }
    return NULL;
}

bool ranks_take(int *from, int *tag, void **bytes, size_t *n) {
    watch(true);
    letter *l = take();
    watch(false);
    if (!l) return false;
    *from = l->from, *tag = l->tag, *n = l->n;
    memmove(l, l->bytes, l->n);  // the caller frees it
    *bytes = l;
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
