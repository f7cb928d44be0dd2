// robot/actuators.h - the kinds of actuators as they are described: one row each, and what is asked of
// an actuator whatever its kind. What they do to a rod is in actuation/.
//
// A new kind is its structure in tendril/robot.h, its row (robot/NAME.c), its keys (robot/file_NAME.c),
// its functional (actuation/NAME.c), and a line here.
#pragma once

#include "base/hash.h"
#include "robot/robot.h"

// One line per kind: its word, its list in files and results, its flag among TD_RECORD_*, its help.
// In this order the actuators of a robot are counted.
// clang-format off
#define ACTUATOR_KINDS(X)                                                                           \
    X(tendon, tendons, TD_RECORD_TENDONS, "tendons along rods")                                     \
    X(chamber, chambers, TD_RECORD_CHAMBERS, "chambers under pressure in rods")                     \
    X(muscle, muscles, TD_RECORD_MUSCLES, "muscles that change the shape of rods at rest")   \
    X(temperature, temperatures, TD_RECORD_TEMPERATURES, "temperatures of rods")                    \
    X(stiffener, stiffeners, TD_RECORD_STIFFENERS, "what changes the stiffness of rods")            \
    X(joint_motor, joint_motors, TD_RECORD_JOINT_MOTORS, "motors that turn or slide joints")
// clang-format on

#define GAS_CONSTANT 8.31446261815324  // J/(mol K), exact in the SI of 2019

#define KIND_INDEX(word, plural, flag, help) KIND_##word,
enum { ACTUATOR_KINDS(KIND_INDEX) N_ACTUATOR_KINDS };
#undef KIND_INDEX

typedef struct actuator_head {  // what every description holds
    const char *name;
    int rod;          // FREE_BODY: none, it moves a body
    double from, to;  // m
    int input;        // which of its kind's inputs is given; 0: the effort
    td_number value;
} actuator_head;

typedef struct actuator_look {  // how it is drawn
    bool straight;              // a thin one: few points do
    double offset[2], area;     // m, m^2, of a room in its rod
} actuator_look;

typedef struct actuator_row {
    td_actuator_kind words;
    size_t size;  // of its definition: td_tendon_def, ...
    actuator_head (*head)(const void *def);
    td_status (*validate)(const td_robot *robot, const char *owner, const void *def, td_error *err);
    // A copy gets its name, what it points to becomes its own, and what the rules let pass exact.
    bool (*own)(const robot_rod *rod, const char *name, void *def);  // false: out of memory
    void (*release)(void *def);                                      // NULL: nothing
    // What comes with it, once it is in the robot. NULL: nothing.
    td_status (*beside)(td_robot *robot, const void *def, td_error *err);
    bool (*made)(const void *def);  // did it come with another? Files do not say it. NULL: no
    void (*hash)(hash *h, const void *def);  // all that fixes the meaning of a snapshot
    feature_set (*features)(const void *def);
    // For people: where it lies, "parallel at (9.5, 0) mm", and the rest, "EA 20000 N"; may be empty.
    void (*describe)(const void *def, char *where, char *properties, size_t size);
    // How large such an input is when it does something: bends the rod by a radian, fills a room twice.
    double (*scale)(const robot_rod *rod, const void *def, int input);
    bool (*takes_negative)(const void *def);
    actuator_look (*look)(const void *def);  // NULL: a thin straight one
    bool in_joint;                           // it has no stretch of its rod, but moves an end of it
} actuator_row;

extern const actuator_row *const actuator_rows[N_ACTUATOR_KINDS];

struct robot_actuator {
    const actuator_row *kind;
    int index;  // among its kind
    char *name;
    void *def;  // td_tendon_def, ... with def->name == name; owned
};

static inline actuator_head actuator_head_of(const robot_actuator *a) {
    return a->kind->head(a->def);
}

int robot_n_actuators(const td_robot *robot, int kind);
// Number `index` of a kind; actuators are sorted by kind.
const robot_actuator *robot_actuator_at(const td_robot *robot, int kind, int index);
#define FINDER(word, plural, flag, help) int find_##word(const td_robot *robot, const char *name);
ACTUATOR_KINDS(FINDER)
#undef FINDER

static inline td_tendon_def *robot_tendon(const td_robot *robot, int index) {
    return robot_actuator_at(robot, KIND_tendon, index)->def;
}
static inline td_chamber_def *robot_chamber(const td_robot *robot, int index) {
    return robot_actuator_at(robot, KIND_chamber, index)->def;
}

// Of the joint that a motor moves; TD_FREE: there is none.
td_joint joint_of_motor(const td_robot *robot, const td_joint_motor_def *def);
int motor_of_joint(const td_robot *robot, int rod, td_end end);  // of all actuators; -1: none
int motor_of_body(const td_robot *robot, int body);              // of the joint by which it is held

double chamber_area(const td_chamber_def *def);        // m^2
bool chamber_holds_volume(const td_chamber_def *def);  // of a fluid that does not compress
double softest_bending(const robot_rod *rod);          // N m^2, the least of its ends and axes

void robot_free_actuators(td_robot *robot);
