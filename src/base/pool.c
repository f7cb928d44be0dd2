// base/pool.c - see pool.h.
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define SPINS 20000    // looks for work before a nap
#define NAP 50000      // ns
#define PIECE_BITS 20  // of a ticket; the rest counts the jobs
#define LAST_PIECE ((1ull << PIECE_BITS) - 1)

// A ticket is job number and next piece in one word, so that a helper that wakes late cannot take a
// piece of a job that is over: its exchange fails.
struct pool {
    pthread_t *threads;
    int n_threads;
    _Atomic unsigned long long ticket;
    _Atomic int n;     // pieces of the present job
    _Atomic int done;  // of them
    _Atomic bool stop;
    pool_work *_Atomic work;
    void *_Atomic context;
};

// Takes and does pieces of the job `number` while there are any.
static void help(pool *p, unsigned long long number) {
    unsigned long long ticket = atomic_load_explicit(&p->ticket, memory_order_acquire);
    while (ticket >> PIECE_BITS == number) {
        const int piece = (int)(ticket & LAST_PIECE);
        pool_work *work = atomic_load_explicit(&p->work, memory_order_relaxed);
        void *context = atomic_load_explicit(&p->context, memory_order_relaxed);
        if (piece >= atomic_load_explicit(&p->n, memory_order_relaxed)) return;
        if (!atomic_compare_exchange_weak_explicit(&p->ticket, &ticket, ticket + 1,
                                                   memory_order_acq_rel, memory_order_acquire))
            continue;  // another took it, or the job is over
        work(context, piece);
        atomic_fetch_add_explicit(&p->done, 1, memory_order_release);
        ticket = atomic_load_explicit(&p->ticket, memory_order_acquire);
    }
}

static void *helper(void *argument) {
    pool *p = argument;
    int idle = 0;
    while (!atomic_load_explicit(&p->stop, memory_order_acquire)) {
        unsigned long long ticket = atomic_load_explicit(&p->ticket, memory_order_acquire);
        if ((int)(ticket & LAST_PIECE) < atomic_load_explicit(&p->n, memory_order_relaxed)) {
            help(p, ticket >> PIECE_BITS);
            idle = 0;
        } else if (++idle > SPINS) {
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        }
    }
    return NULL;
}

pool *pool_create(int helpers) {
    pool *p = calloc(1, sizeof *p);
    if (p) p->threads = calloc((size_t)helpers + 1, sizeof *p->threads);
    if (!p || !p->threads) {
        free(p);
        return NULL;
    }
    while (p->n_threads < helpers &&
           pthread_create(&p->threads[p->n_threads], NULL, helper, p) == 0)
        p->n_threads++;
    if (p->n_threads == helpers) return p;
    pool_destroy(p);
    return NULL;
}

void pool_destroy(pool *p) {
    if (!p) return;
    atomic_store_explicit(&p->stop, true, memory_order_release);
    for (int i = 0; i < p->n_threads; i++) pthread_join(p->threads[i], NULL);
    free(p->threads);
    free(p);
}

void pool_run(pool *p, pool_work *work, void *context, int n) {
    if (!p || n < 2) {
        for (int i = 0; i < n; i++) work(context, i);
        return;
    }
    // No piece can be taken now: the old job's are all gone, so these are not read for it again.
    atomic_store_explicit(&p->work, work, memory_order_relaxed);
    atomic_store_explicit(&p->context, context, memory_order_relaxed);
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    unsigned long long number =
        (atomic_load_explicit(&p->ticket, memory_order_relaxed) >> PIECE_BITS) + 1;
    atomic_store_explicit(&p->ticket, number << PIECE_BITS | LAST_PIECE, memory_order_release);
    atomic_store_explicit(&p->n, n, memory_order_relaxed);
    atomic_store_explicit(&p->ticket, number << PIECE_BITS, memory_order_release);
    help(p, number);
    while (atomic_load_explicit(&p->done, memory_order_acquire) < n) sched_yield();
}
