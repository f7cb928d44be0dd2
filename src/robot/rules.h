// robot/rules.h - what the rules of all parts are made of: a value, where it stands, and why it is
// refused.
#pragma once

#include "robot/robot.h"

#define SMALLEST_QUANTITY (1.0 / LARGEST_QUANTITY)

extern const char *const axis_names[3];  // "x", "y", "z"

// Where the value under test stands: owner.group.key, the group optional.
typedef struct place {
    const char *owner, *group, *key;
} place;

td_status refuse(place p, double value, const char *unit, const char *rule, td_error *err);
td_status finite_value(place p, double value, const char *unit, td_error *err);
td_status finite_values(const char *owner, const char *group, const double *values, int n,
                        const char *unit, td_error *err);  // n <= 3, by the names of the axes
td_status positive(place p, double value, const char *unit, td_error *err);
td_status not_negative(place p, double value, const char *unit, td_error *err);
td_status enumerator(place p, int value, int last, const char *what, td_error *err);
td_status number_validate(const td_robot *robot, place p, td_number n, const char *unit,
                          td_error *err);
td_status vector_validate(const td_robot *robot, const char *owner, const char *group,
                          const td_number n[3], const char *unit, td_error *err);
// The norm must be 1 (within 0.001).
td_status quaternion_validate(place p, const double q[4], td_error *err);

// The rules that every named part shares: a good name that nobody of its kind has, and room for one
// more. Writes "kind.name" to `owner`.
typedef struct part_kind {
    const char *key, *word;  // "rods", "rod"
    int (*find)(const td_robot *robot, const char *name);
} part_kind;
#define OWNER_SIZE 160
td_status part_validate(const td_robot *robot, const part_kind *kind, const char *name, int count,
                        char owner[OWNER_SIZE], td_error *err);

// validate_tubes.c
td_status tube_validate(const td_robot *robot, const char *owner, const td_rod_def *def,
                        td_error *err);

td_status rod_index_validate(const td_robot *robot, const char *owner, int rod, td_error *err);
// s on a rod, with room for the rounding of the sum of its pieces.
td_status on_rod(const td_robot *robot, place p, int rod, double s, td_error *err);
// A stretch of a rod: both ends on it, and `from` before `to`. `what` covers it: "the load".
td_status stretch_validate(const td_robot *robot, const char *owner, int rod, double from,
                           double to, const char *what, td_error *err);
