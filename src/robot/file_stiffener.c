// robot/file_stiffener.c - stiffeners in files: their keys, and from the tree to the robot.
#include "robot/file_save.h"

typedef struct stiffener_draft {
    actuator_draft on;
    td_stiffener_def def;
} stiffener_draft;

#define AT(field) offsetof(stiffener_draft, field)
static const key stiffener_keys[] = {
    ACTUATOR_KEYS,
    {"value", &type_value, NULL, "an input of its own name",
     "relative increase of the stiffness: more than -1", AT(on.value), 0, 0},
    REPEAT_KEY,
};
const mapping stiffener_mapping = {
    "stiffeners[]",
    "A stiffener changes the stiffness of a part of a rod: a jamming sleeve, a wax that freezes. "
    "Without `value` it is driven by an input of its name.",
    KEYS(stiffener_keys), 0, 0};
#undef AT

td_status read_stiffener(reader *r, node *n) {
    stiffener_draft draft = {.def = td_default_stiffener_def()};
    td_stiffener_def *def = &draft.def;
    td_status status = read_mapping(r, n, &stiffener_mapping, &draft);
    if (!status) status = check_name(r, n, "stiffeners", find_stiffener);
    if (!status) status = read_stretch(r, n, &draft.on, &def->rod, &def->from, &def->to);
    if (!status) status = read_effort(r, n, draft.on.value, def->name, "", &def->value);
    return status ? status : added_part(r, n, td_robot_add_stiffener(r->robot, def, r->err));
}

void save_stiffener(saver *s, node *to, const void *of) {
    const stiffener_draft usual = {.def = td_default_stiffener_def()};
    const stiffener_draft draft = {.def = *(const td_stiffener_def *)of};
    save_mapping(s, to, &stiffener_mapping, &draft, &usual);
}
