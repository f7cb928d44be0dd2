// fuzz_file.c - a libFuzzer target for the reader of robot files. Build and run it with run.sh;
// test_file_corpus.c feeds it the corpus and every input that once went wrong.
//
// Comment lines "#set path=value" of the input are applied as overrides. Three things must hold
// for any bytes: no crash and no leak; a refusal has words; what is accepted can be written out and
// read again, and is then written the same.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tendril/robot.h"

#define MOST_SETS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int find_sets(const char *text, char *sets[MOST_SETS]) {
    int n = 0;
    const char *at = strstr(text, "#set ");
    for (; at && n < MOST_SETS; at = strstr(at + 5, "#set ")) {
        size_t length = strcspn(at + 5, "\n");
        sets[n] = calloc(1, length + 1);
        if (!sets[n]) break;
        memcpy(sets[n++], at + 5, length);
    }
    return n;
}

static void require(int condition) {
    if (!condition) abort();
}

static void check_refusal(const td_error *err) {
    require(err->status < 0);
    require(err->message[0] != '\0');
    require(err->line >= 0 && err->column >= 0);
}

// The override that changes nothing makes the reader write the document itself.
static void check_source(const td_robot *robot) {
    const char *nothing[] = {"description=none"};
    const char *text = td_robot_source(robot);
    td_error err;
    td_robot *first = td_robot_parse(text, strlen(text), NULL, nothing, 1, &err);
    require(first != NULL);
    const char *source = td_robot_source(first);
    td_robot *second = td_robot_parse(source, strlen(source), NULL, nothing, 1, &err);
    require(second != NULL);
    require(strcmp(source, td_robot_source(second)) == 0);
    require(td_robot_n_rods(robot) == td_robot_n_rods(second));
    require(td_robot_n_inputs(robot) == td_robot_n_inputs(second));
    require(td_robot_n_loads(robot) == td_robot_n_loads(second));
    require(td_robot_n_bodies(robot) == td_robot_n_bodies(second));
    require(td_robot_n_tendons(robot) == td_robot_n_tendons(second));
    require(td_robot_n_chambers(robot) == td_robot_n_chambers(second));
    td_robot_destroy(first);
    td_robot_destroy(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = calloc(1, size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    char *sets[MOST_SETS];
    int n_sets = find_sets(text, sets);
    td_error err;
    td_robot *robot = td_robot_parse(text, size, NULL, (const char *const *)sets, n_sets, &err);
    if (robot) check_source(robot);
    else check_refusal(&err);
    td_robot_destroy(robot);
    for (int i = 0; i < n_sets; i++) free(sets[i]);
    free(text);
    return 0;
}
