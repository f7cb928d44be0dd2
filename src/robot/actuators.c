// robot/actuators.c - actuators of a robot, whatever their kind: the rules that all share, and their
// list, which is sorted by kind.
#include "robot/actuators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/rules.h"

#define ROW(word, plural, flag, help) extern const actuator_row word##_row;
ACTUATOR_KINDS(ROW)
#undef ROW
#define ROW(word, plural, flag, help) [KIND_##word] = &word##_row,
const actuator_row *const actuator_rows[N_ACTUATOR_KINDS] = {ACTUATOR_KINDS(ROW)};
#undef ROW

int td_n_actuator_kinds(void) {
    return N_ACTUATOR_KINDS;
}

const td_actuator_kind *td_actuator_kind_at(int kind) {
    return kind >= 0 && kind < N_ACTUATOR_KINDS ? &actuator_rows[kind]->words : NULL;
}

// ---------------------------------------------------------------- look
// Where a kind begins in the list, or where the next one would.
static int first_of(const td_robot *robot, int kind) {
    int n = 0;
    for (int k = 0; k < kind; k++) n += robot_n_actuators(robot, k);
    return n;
}

int robot_n_actuators(const td_robot *robot, int kind) {
    int n = 0;
    for (int i = 0; i < robot->n_actuators; i++)
        n += robot->actuators[i].kind == actuator_rows[kind];
    return n;
}

const robot_actuator *robot_actuator_at(const td_robot *robot, int kind, int index) {
    return &robot->actuators[first_of(robot, kind) + index];
}

static int find_actuator(const td_robot *robot, int kind, const char *name) {
    for (int i = 0; i < robot->n_actuators; i++) {
        const robot_actuator *a = &robot->actuators[i];
        if (a->kind == actuator_rows[kind] && strcmp(a->name, name) == 0) return a->index;
    }
    return -1;
}

#define FINDER(word, plural, flag, help)                                                           \
    int find_##word(const td_robot *robot, const char *name) {                                     \
        return find_actuator(robot, KIND_##word, name);                                            \
    }
ACTUATOR_KINDS(FINDER)

// ---------------------------------------------------------------- rules
#define PART(word, plural, flag, help) [KIND_##word] = {#plural, #word, find_##word},
static const part_kind part_kinds[N_ACTUATOR_KINDS] = {ACTUATOR_KINDS(PART)};

static td_status actuator_validate(const td_robot *robot, int kind, const void *def,
                                   td_error *err) {
    const actuator_row *row = actuator_rows[kind];
    const actuator_head h = row->head(def);
    char owner[OWNER_SIZE], what[32];
    snprintf(what, sizeof what, "the %s", row->words.word);
    const int n = robot_n_actuators(robot, kind);
    td_status status = part_validate(robot, &part_kinds[kind], h.name, n, owner, err);
    const bool on_body = row->in_joint && h.rod == FREE_BODY;
    if (!status && !on_body) status = rod_index_validate(robot, owner, h.rod, err);
    if (!status && !row->in_joint)
        status = stretch_validate(robot, owner, h.rod, h.from, h.to, what, err);
    if (!status)
        status = enumerator((place){owner, NULL, "input"}, h.input, row->words.n_inputs - 1,
                            "a kind of input", err);
    if (!status) status = row->validate(robot, owner, def, err);
    if (status) return status;
    return number_validate(robot, (place){owner, NULL, "value"}, h.value,
                           row->words.inputs[h.input].unit, err);
}

// ---------------------------------------------------------------- add and free
static bool make_room(td_robot *robot, int at) {
    const size_t size = sizeof *robot->actuators;
    robot_actuator *larger = realloc(robot->actuators, (size_t)(robot->n_actuators + 1) * size);
    if (!larger) return false;
    memmove(larger + at + 1, larger + at, (size_t)(robot->n_actuators - at) * size);
    robot->actuators = larger;
    return true;
}

static void free_actuator(const robot_actuator *a) {
    if (a->kind->release) a->kind->release(a->def);
    free(a->def);
    free(a->name);
}

// At its place in the list.
static int add_valid(td_robot *robot, int kind, const void *def, td_error *err) {
    const actuator_row *row = actuator_rows[kind];
    const actuator_head h = row->head(def);
    const int index = robot_n_actuators(robot, kind), at = first_of(robot, kind) + index;
    robot_actuator a = {row, index, strdup(h.name), malloc(row->size)};
    bool ok = a.name && a.def;
    if (ok) {
        memcpy(a.def, def, row->size);
        const robot_rod *rod = h.rod == FREE_BODY ? NULL : &robot->rods[h.rod];
        ok = row->own(rod, a.name, a.def) && make_room(robot, at);
        if (!ok && row->release) row->release(a.def);
    }
    if (!ok) {
        free(a.name);
        free(a.def);
        return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    }
    robot->actuators[at] = a;
    robot->n_actuators++;
    return index;
}

// A copy of `def` joins the robot: its index among its kind, or a negative td_status.
static int robot_add_actuator(td_robot *robot, int kind, const void *def, td_error *err) {
    const actuator_row *row = actuator_rows[kind];
    if (!robot || !def)
        return error_set(err, TD_ERR_ARGUMENT, row->words.plural, "an argument is NULL");
    td_status status = actuator_validate(robot, kind, def, err);
    if (status) return status;
    const int index = add_valid(robot, kind, def, err), at = first_of(robot, kind) + index;
    if (index >= 0 && row->beside) status = row->beside(robot, robot->actuators[at].def, err);
    if (status >= 0) return index;
    free_actuator(&robot->actuators[at]);
    robot->n_actuators--;
    memmove(robot->actuators + at, robot->actuators + at + 1,
            (size_t)(robot->n_actuators - at) * sizeof *robot->actuators);
    return status;
}

void robot_free_actuators(td_robot *robot) {
    for (int i = 0; i < robot->n_actuators; i++) free_actuator(&robot->actuators[i]);
    free(robot->actuators);
}

double softest_bending(const robot_rod *rod) {
    const td_section_properties base = piece_properties(&rod->pieces[0], 0.0);
    const td_section_properties tip = piece_properties(&rod->pieces[rod->n_pieces - 1], 1.0);
    return fmin(fmin(base.stiffness[0], base.stiffness[1]),
                fmin(tip.stiffness[0], tip.stiffness[1]));
}

// ---------------------------------------------------------------- the interface of each kind
#define ENTRIES(word, plural, flag, help)                                                          \
    int td_robot_add_##word(td_robot *robot, const td_##word##_def *def, td_error *err) {          \
        return robot_add_actuator(robot, KIND_##word, def, err);                                   \
    }                                                                                              \
    int td_robot_n_##plural(const td_robot *robot) {                                               \
        return robot ? robot_n_actuators(robot, KIND_##word) : 0;                                  \
    }
ACTUATOR_KINDS(ENTRIES)
