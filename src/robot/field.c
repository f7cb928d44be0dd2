// robot/field.c - the rules of magnetic fields and of the fluid around a robot.
#include <stdio.h>

#include "base/error.h"
#include "robot/rules.h"

static const part_kind field_kind = {"fields", "field", find_field};
static const char *const gradient_names[5] = {"xx", "yy", "xy", "xz", "yz"};

td_status field_validate(const td_robot *robot, const td_field_def *def, td_error *err) {
    char owner[OWNER_SIZE];
    td_status status = part_validate(robot, &field_kind, def->name, robot->n_fields, owner, err);
    if (!status && robot->n_fields >= TD_MOST_FIELDS)
        status =
            error_set(err, TD_ERR_VALUE, owner, "there are more than %d fields", TD_MOST_FIELDS);
    if (!status)
        status = enumerator((place){owner, NULL, "kind"}, (int)def->kind, TD_FIELD_DIPOLE,
                            "a kind of field", err);
    if (!status) status = vector_validate(robot, owner, "flux", def->flux, "T", err);
    for (int i = 0; i < 5 && !status; i++)
        status = number_validate(robot, (place){owner, "gradient", gradient_names[i]},
                                 def->gradient[i], "T/m", err);
    if (!status) status = vector_validate(robot, owner, "moment", def->moment, "A m^2", err);
    if (!status) status = vector_validate(robot, owner, "position", def->position, "m", err);
    if (!status)
        status = vector_validate(robot, owner, "motion.rotation", def->rotation, "rad", err);
    if (!status)
        status = quaternion_validate((place){owner, NULL, "quaternion"}, def->orientation, err);
    return status;
}

td_status fluid_validate(const td_robot *robot, const td_fluid_def *def, td_error *err) {
    td_status status = not_negative((place){"fluid", NULL, "density"}, def->density, "kg/m^3", err);
    return status ? status : vector_validate(robot, "fluid", "velocity", def->velocity, "m/s", err);
}
