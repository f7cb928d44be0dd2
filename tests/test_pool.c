#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

typedef struct tally {
    _Atomic int times[64];
    double sums[64];
} tally;

static void count(void *context, int piece) {
    tally *t = context;
    atomic_fetch_add(&t->times[piece], 1);
    double sum = 0.0;
    for (int i = 1; i <= 200 + piece; i++) sum += 1.0 / i;
    t->sums[piece] = sum;
}

static void every_piece_is_done_once_whoever_does_it(void **unused) {
    (void)unused;
    for (int helpers = 0; helpers <= 3; helpers++) {
        pool *p = helpers ? pool_create(helpers) : NULL;
        assert_true(helpers == 0 || p != NULL);
        for (int job = 0; job < 20000; job++) {
            tally t = {0};
            const int n = job % 17;
            pool_run(p, count, &t, n);
            for (int i = 0; i < 64; i++) assert_int_equal(t.times[i], i < n ? 1 : 0);
            for (int i = 1; i < n; i++) assert_true(t.sums[i] > t.sums[i - 1]);
        }
        pool_destroy(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_is_done_once_whoever_does_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
