// The reader of robot files against the fuzzer's corpus and every input that once went wrong.
#include <dirent.h>
#include <stdio.h>

#include "fuzz/fuzz_file.c"

#include "check.h"

static void feed(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
}

static int feed_folder(const char *folder) {
    DIR *directory = opendir(folder);
    if (!directory) fail_msg("cannot open %s", folder);
    int n = 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        feed(path);
        n++;
    }
    closedir(directory);
    return n;
}

static void the_corpus_is_read_cleanly(void **state) {
    (void)state;
    assert_true(feed_folder(TEST_DATA "/../fuzz/corpus") >= 10);
}

static void old_crashes_stay_away(void **state) {
    (void)state;
    assert_true(feed_folder(TEST_DATA "/../fuzz/crashes") >= 1);
}

// Cut short at every length up to 4096: an error, but never a crash or a leak.
static void cut_short(const char *path) {
    static uint8_t bytes[4096];
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t n = 0; n < size; n++) LLVMFuzzerTestOneInput(bytes, n);
}

static void files_cut_short_are_read_cleanly(void **state) {
    (void)state;
    cut_short(TEST_DATA "/files/arm.yaml");
    cut_short(TEST_DATA "/files/parts.yaml");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corpus_is_read_cleanly),
        cmocka_unit_test(old_crashes_stay_away),
        cmocka_unit_test(files_cut_short_are_read_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
