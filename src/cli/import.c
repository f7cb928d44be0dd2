// tendril import: bodies and joints of a URDF or MJCF file as a robot file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "import/imported.h"
#include "io/written.h"
#include "tendril/robot.h"

#define MOST_NAMES 64

// The whole file, terminated; free() it. NULL: it was said why.
static char *read_text(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(LARGEST_XML + 2) : NULL;
    if (!text) {
        print_error(path, file ? "out of memory" : "cannot be opened");
        if (file) fclose(file);
        return NULL;
    }
    *length = fread(text, 1, LARGEST_XML + 1, file);
    text[*length] = '\0';
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (!failed) return text;
    print_error(path, "cannot be read");
    free(text);
    return NULL;
}

// Would a robot of these bodies be read?
static td_status check_text(const char *text, td_error *err) {
    td_robot *robot = td_robot_parse(text, strlen(text), "import", NULL, 0, err);
    td_robot_destroy(robot);
    return robot ? TD_OK : err->status;
}

static int write_text(const args *a, const char *text) {
    const char *out = args_value(a, "out");
    td_error err = {0};
    if (out && text_write(out, text, &err) < 0) return exit_reported(EXIT_FAILED, NULL, &err);
    if (out || (fputs(text, stdout) >= 0 && fflush(stdout) == 0)) return EXIT_FINE;
    return exit_error(EXIT_FAILED, "import", "cannot be written: %s", strerror(errno));
}

static int convert(const args *a, const char *path, const char *text, size_t length,
                   imported *chain) {
    td_error err = {0};
    xml_file file;
    td_status status = xml_read(&file, path, text, length, &err);
    if (!status) status = import_chain(&file, chain, &err);
    char *robot = status ? NULL : import_write(chain, path);
    xml_free(&file);
    if (status) return exit_reported(EXIT_INPUT, path, &err);
    if (!robot) return exit_error(EXIT_FAILED, path, "out of memory");
    if (check_text(robot, &err)) {
        free(robot);
        print_error(path, "%s: %s", err.where, err.message);
        return EXIT_INPUT;
    }
    const int code = write_text(a, robot);
    free(robot);
    for (int i = 0; i < chain->n_left && code == EXIT_FINE; i++)
        print_note(path, "left out: %s", chain->left[i].what);
    return code;
}

static int run(const args *a) {
    const char *names[MOST_NAMES];
    imported chain = {.free_base = args_has(a, "free-base"),
                      .with_shapes = args_has(a, "shapes"),
                      .passive = names};
    size_t length;
    for (; chain.n_passive < args_count(a, "passive"); chain.n_passive++) {
        if (chain.n_passive == MOST_NAMES)
            return exit_error(EXIT_INPUT, "--passive", "more than %d joints", MOST_NAMES);
        names[chain.n_passive] = args_nth(a, "passive", chain.n_passive);
    }
    char *text = read_text(a->files[0], &length);
    if (!text) return EXIT_INPUT;
    const int code = convert(a, a->files[0], text, length, &chain);
    imported_free(&chain);
    free(text);
    return code;
}

static const option options[] = {
    {"out", "FILE", "robot file to write; default: stdout", false},
    {"passive", "JOINT", "a joint that no input drives: it moves freely", true},
    {"free-base", NULL, "the first link is not fixed to the world: a vehicle", false},
    {"shapes", NULL, "also what collides: spheres, boxes, capsules, as bodies without mass", false},
    {0},
};

const verb verb_import = {
    .name = "import",
    .summary = "import bodies and joints of a URDF or MJCF file",
    .arguments = "FILE",
    .about =
        "FILE is a URDF (<robot>) or MJCF file (<mujoco>). Its links become bodies that hold\n"
        "one another. Each movable joint is driven by an input of its name, within its\n"
        "limits. The result runs as it is, or a robot file with rods includes it. What is not\n"
        "imported, such as meshes, is reported, and listed at the head of the written file.",
    .options = options,
    .examples = "  tendril import parts/six-joints.urdf --out six-joints.yaml\n"
                "  tendril import parts/six-joints.xml --free-base --passive roll\n",
    .run = run,
};
