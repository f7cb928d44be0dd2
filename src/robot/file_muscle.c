// robot/file_muscle.c - muscles in files: their keys, and from the tree to the robot.
#include "robot/file_save.h"

typedef struct muscle_draft {
    actuator_draft on;
    td_muscle_def def;
} muscle_draft;

#define AT(field) offsetof(muscle_draft, field)
static const key muscle_keys[] = {
    ACTUATOR_KEYS,
    {"curvature", &type_vector, "1/m", "[0, 0, 0]",
     "curvature that an activation of 1 adds to the rest shape", AT(def.curvature), 0, 0},
    {"stretch", &type_vector, "", "[0, 0, 0]",
     "strain that an activation of 1 adds to the rest shape: shear along x and y, stretch along z",
     AT(def.stretch), 0, 0},
    {"value", &type_value, NULL, "an input of its own name", "activation", AT(on.value), 0, 0},
    REPEAT_KEY,
};
const mapping muscle_mapping = {"muscles[]",
                                "A muscle changes the rest shape of a part of a rod. Without "
                                "`value` it is driven by an input of its name.",
                                KEYS(muscle_keys), 0, 0};
#undef AT

td_status read_muscle(reader *r, node *n) {
    muscle_draft draft = {.def = td_default_muscle_def()};
    td_muscle_def *def = &draft.def;
    td_status status = read_mapping(r, n, &muscle_mapping, &draft);
    if (!status) status = check_name(r, n, "muscles", find_muscle);
    if (!status) status = read_stretch(r, n, &draft.on, &def->rod, &def->from, &def->to);
    if (!status) status = read_effort(r, n, draft.on.value, def->name, "", &def->value);
    return status ? status : added_part(r, n, td_robot_add_muscle(r->robot, def, r->err));
}

void save_muscle(saver *s, node *to, const void *of) {
    const muscle_draft usual = {.def = td_default_muscle_def()};
    const muscle_draft draft = {.def = *(const td_muscle_def *)of};
    save_mapping(s, to, &muscle_mapping, &draft, &usual);
}
