// base/pool.h - threads that help with independent pieces of one piece of work.
//
// The caller takes pieces too and waits only for those that a helper has begun: a helper that sleeps
// costs nothing but its help. Nothing is allocated, locked or signalled after pool_create. Idle helpers
// look for work for some tens of microseconds, then doze in naps of 50 us.
#pragma once

typedef struct pool pool;
typedef void pool_work(void *context, int piece);

pool *pool_create(int helpers);  // NULL: no memory or no threads
void pool_destroy(pool *p);      // NULL is fine

// work(context, 0 .. n - 1), each once, in any order, by any thread. p NULL: one after the other.
void pool_run(pool *p, pool_work *work, void *context, int n);
