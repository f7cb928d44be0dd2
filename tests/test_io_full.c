// A disk that fills up where nobody looked: from some byte on every write fails. Whatever came of
// it, the result does not call itself finished, and an older one is not lost before there is a new.
#define _DEFAULT_SOURCE  // syscall
#include "tendril/tendril.h"

#include "io_small.h"

#include <errno.h>
#include <sys/syscall.h>

enum { STEPS = 12 };

// ---------------------------------------------------------------- the disk
static bool counting;
static long room;  // bytes that can still be written while counting

static bool is_full(size_t n) {
    if (!counting) return false;
    if (room < (long)n) {
        errno = ENOSPC;
        return true;
    }
    room -= (long)n;
    return false;
}

// In place of the C library's: HDF5 writes through these.
ssize_t write(int fd, const void *bytes, size_t n) {
    return fd > 2 && is_full(n) ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
    return is_full(n) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, n, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t at);
ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t at) {
    return pwrite(fd, bytes, n, at);
}

// ---------------------------------------------------------------- results
static td_status write_with_room(small *w, long bytes, td_error *err) {
    assert_int_equal(td_begin(w->system, w->state), TD_OK);
    room = bytes;
    counting = true;
    td_status status = small_write(w, STEPS, err);
    counting = false;
    return status;
}

// Unreadable with a message, or not finished, or the older one in full.
static void check_not_mislabelled(const small *w, long bytes) {
    td_error err = {0};
    result *r = result_read(w->path, &err);
    if (!r) {
        assert_true(err.message[0]);
        return;
    }
    bool finished = !strcmp(r->ending, "finished");
    if (finished && r->n_times != STEPS / 2 + 1)
        print_error("%ld bytes: %d records, '%s'\n", bytes, r->n_times, r->ending);
    assert_true(!finished || r->n_times == STEPS / 2 + 1);
    result_destroy(r);
}

static void what_did_not_fit_is_not_called_finished(void **state) {
    small *w = *state;
    td_error err = {0};
    CHECK_OK(write_with_room(w, 1l << 40, &err), err);
    long used = (1l << 40) - room;
    for (int k = 0; k < 60; k++) {
        CHECK_OK(small_write(w, STEPS / 2, &err), err);  // the older result
        err = (td_error){0};
        td_status status = write_with_room(w, used * k / 60, &err);
        assert_true(status < 0 && err.message[0]);
        check_not_mislabelled(w, used * k / 60);
    }
}

static void a_state_file_is_whole_or_as_it_was(void **state) {
    small *w = *state;
    td_error err = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/bent.state", w->folder);
    CHECK_OK(state_write(path, w->system, w->state, &err), err);
    for (long bytes = 0; bytes < 20000; bytes += 500) {
        room = bytes;
        counting = true;
        td_status status = state_write(path, w->system, w->state, &err);
        counting = false;
        assert_true(status == TD_OK || err.message[0]);
        CHECK_OK(state_load(path, w->system, w->state, &err), err);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_did_not_fit_is_not_called_finished),
        TEST(a_state_file_is_whole_or_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
