// Debug builds check what must hold inside the library, and a program hears of it.
#include "base/assertion.h"
#include "math/dense.h"
#include "tendril/tendril.h"

#include "check.h"

static int failures;
static int last_line;

static void hear(const char *what, const char *file, int line) {
    assert_non_null(what);
    assert_non_null(file);
    last_line = line;
    failures++;
}

static void what_does_not_hold_is_told(void **unused) {
    (void)unused;
    if (!td_set_assertion_hook(hear)) skip();
    double a = 2.0;
    int pivot;
    assert_true(lu_factor(1, &a, &pivot));
    assert_int_equal(failures, 0);
    lu_factor(-1, &a, &pivot);
    assert_int_equal(failures, 1);
    assert_true(last_line > 0);
    td_set_assertion_hook(NULL);
}

static void an_assertion_that_is_not_checked_is_not_evaluated(void **unused) {
    (void)unused;
    int n = 0;
    const bool checked = td_set_assertion_hook(hear);
    ASSERT(++n == 1);
    assert_int_equal(n, checked ? 1 : 0);
    td_set_assertion_hook(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_hold_is_told),
        cmocka_unit_test(an_assertion_that_is_not_checked_is_not_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
