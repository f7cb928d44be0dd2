// Damaged results: whatever the bytes, reading ends with a result or a message, never in a signal.
#include "tendril/tendril.h"

#include "io_small.h"

#include <sys/resource.h>
#include <sys/stat.h>

enum { DAMAGES = 200, STEPS = 12 };

typedef struct image {
    unsigned char *bytes;
    long n;
} image;

static image read_image(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    image i = {.n = ftell(file)};
    rewind(file);
    i.bytes = malloc((size_t)i.n);
    assert_int_equal(fread(i.bytes, 1, (size_t)i.n, file), i.n);
    fclose(file);
    return i;
}

static void write_image(const char *path, const image *i, long n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(i->bytes, 1, (size_t)n, file), n);
    assert_int_equal(fclose(file), 0);
}

static unsigned long random_state;

static long draw(long n) {
    random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
    return (long)((random_state >> 33) % (unsigned long)n);
}

// A few bytes of the metadata or anywhere; some files end early too.
static void damage(image *i, const image *whole, int k) {
    memcpy(i->bytes, whole->bytes, (size_t)whole->n);
    i->n = whole->n;
    long span = k % 3 ? i->n : i->n / 8;
    for (long j = 1 + draw(16); j > 0; j--) i->bytes[draw(span)] = (unsigned char)draw(256);
    if (k % 10 == 0) i->n = 1 + draw(i->n);
}

typedef struct tally {
    int read, refused, crashed;  // crashed: in a child, for others to live
} tally;

// Read or refused with a reason.
static void read_damaged(const char *path, tally *t) {
    td_error err = {0};
    result *r = result_read(path, &err);
    assert_true(r || (err.status < 0 && err.message[0]));
    bool crashed = !r && strstr(err.message, "HDF5 cannot read it");
    t->read += r != NULL;
    t->crashed += crashed;
    t->refused += !r && !crashed;
    result_destroy(r);
}

static void load_damaged(const small *w) {
    td_error err = {0};
    td_status status = state_load(w->path, w->system, w->state, &err);
    assert_true(status == TD_OK || err.message[0]);
    is_own_file(w->path);
}

static void no_damage_ends_in_a_signal(void **state) {
    small *w = *state;
    td_error err = {0};
    CHECK_OK(small_write(w, STEPS, &err), err);
    image whole = read_image(w->path);
    image broken = {malloc((size_t)whole.n), whole.n};
    tally t = {0};
    const int n = check_briefly() ? DAMAGES / 3 : DAMAGES;
    for (int k = 0; k < n; k++) {
        random_state = (unsigned long)k + 1;
        damage(&broken, &whole, k);
        write_image(w->path, &broken, broken.n);
        read_damaged(w->path, &t);
        if (k % 4 == 0) load_damaged(w);
    }
    print_message("of %d damaged files %d could be read, %d were refused, %d crash HDF5\n", n,
                  t.read, t.refused, t.crashed);
    assert_true(t.read > 0 && t.refused > 0);
#ifndef __SANITIZE_ADDRESS__  // which has no limits of memory
    // Files of a few hundred kB; a damaged size in one of them was once taken as 4 GB.
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    assert_true(used.ru_maxrss < 512 * 1024);  // kB
#endif
    free(whole.bytes);
    free(broken.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_damage_ends_in_a_signal, small_setup, small_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
