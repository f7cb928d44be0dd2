// robot/file_read.h - the table-driven reader: one table of keys per mapping of the file serves
// reading, messages about unknown keys, and the reference in docs/file-format.md.
#pragma once

#include <locale.h>

#include "robot/actuators.h"
#include "robot/file_tree.h"
#include "robot/formula.h"
#include "robot/options.h"
#include "robot/robot.h"
#include "robot/suggest.h"

typedef struct reader reader;
typedef struct key key;
typedef struct mapping mapping;

// How a value is read: into *to, which is the target of its mapping plus the key's offset.
typedef struct value_type {
    const char *words;  // for the reference: "3 numbers"
    td_status (*read)(reader *r, node *n, const key *k, void *to);
} value_type;

struct key {
    const char *name;
    const value_type *type;
    const char *unit;      // SI; "": a plain number; SIGNAL_UNIT; NULL: not a quantity
    const char *fallback;  // what holds when the key is left out; NULL: it is required
    const char *text;      // what it means, one line
    size_t offset;
    const choice *choices;  // of a choice
    const mapping *inside;  // of a mapping, or of the items of a list
};

#define SIGNAL_UNIT "*"  // the unit of the place where the signal is used

#define KEYS(table) table, (int)(sizeof table / sizeof *table), false
#define OPTIONS NULL, 0, true
#define REQUIRED NULL

struct mapping {
    const char *path;   // "rods[].section"
    const char *title;  // one sentence for the reference
    const key *keys;
    int n_keys;
    bool has_options;     // before them, those of the table of options that have this path
    const mapping *also;  // more keys, shared with another mapping ...
    size_t also_offset;   // ... whose target lies here in ours
};

// An input that is used somewhere, and where it was first.
typedef struct input_use {
    struct input_use *next;
    const char *name, *unit;
    int index;  // in the robot
} input_use;

typedef struct constants {  // of `let`
    const char **names;     // (n)
    quantity *values;       // (n)
    int n;
} constants;

struct reader {
    tree *t;
    td_error *err;  // never NULL
    td_robot *robot;
    node *root;
    const char *directory;  // of the document, with its slash; NULL: no other file may be named
    const char *owner;      // inputs made in place are called <owner>.<key>.<axis>
    const char *unit;       // of the signal that is being read
    input_use *uses;
    constants constants;
    bool *applied;       // (overrides) early
    bool overridden;     // there are overrides
    bool rewritten;      // the tree no longer says what the text says
    int asked;           // the source of a quantity whose unit somebody wants to know; 0: none
    const char *answer;  // that unit; NULL: it was read as something else
};

// What stands at a node, or its key, is wrong; where r is the reader.
#define REFUSE(node_, ...) node_error(r->t, (node_), false, r->err, TD_ERR_VALUE, __VA_ARGS__)
#define REFUSE_KEY(node_, ...) node_error(r->t, (node_), true, r->err, TD_ERR_VALUE, __VA_ARGS__)

// ---------------------------------------------------------------- what the tables fill
typedef struct root_draft {
    int version;
    const char *name, *description, *robot;
    node *templates, *let, *gravity, *materials, *rods, *bodies, *actuators[N_ACTUATOR_KINDS],
        *loads, *fields, *fluid;
    node *obstacles, *contacts, *sensors, *controllers, *estimator, *inputs, *limits;
    struct initial_draft {
        node *coordinates, *velocities;
        robot_motion motion;
    } initial;
    plan plan;
} root_draft;

typedef struct material_draft {
    double youngs_modulus, shear_modulus, poisson_ratio, density;
    td_law law;
    double mooney_share;
    td_superelastic superelastic;
    td_relaxation relaxation;
} material_draft;

typedef struct tube_draft {
    const char *within;
    td_tube_def def;
} tube_draft;

typedef struct rod_draft {
    const char *name;
    td_piece_def piece;  // what the pieces take over
    node *pieces;
    td_base_def base;
    td_tip_def tip;
    td_number feed;
    tube_draft tube;
    double envelope;
    bool mean_stretch, feed_at_tip;
} rod_draft;

typedef struct orientation_draft {  // one of them
    double direction[3], quaternion[4], rotation[3];
} orientation_draft;

typedef struct base_draft {
    td_base_def def;
    const char *body;
    orientation_draft turned;
} base_draft;

typedef struct tip_draft {
    td_tip_def def;
    const char *body;
    orientation_draft turned;
} tip_draft;

typedef struct shape_draft {
    double radius,
        height;  // of a cylinder, a sphere or a capsule, whose round ends are beyond its length
    double box[3];
} shape_draft;

typedef struct body_draft {
    const char *on;
    node *at;
    int count;
    double every;
    shape_draft shape;
    orientation_draft turned;
    td_body_def def;
} body_draft;

typedef struct actuator_draft {  // what drafts of actuators of every kind begin with
    const char *rod;
    node *from, *to, *value;
} actuator_draft;

// The keys of most kinds: what it is called, and where it is.
// clang-format off
#define ACTUATOR_KEYS                                                                                      \
    {"name", &type_text, NULL, REQUIRED, "unique; letters, digits, `_` and `-`", AT(def.name), 0, 0},      \
    {"rod", &type_text, NULL, "the only rod", "name of the rod", AT(on.rod), 0, 0},                        \
    {"from", &type_place, "m", "base", "where it begins", AT(on.from), 0, 0},                              \
    {"to", &type_place, "m", "tip", "where it ends", AT(on.to), 0, 0}
// clang-format on

typedef struct load_draft {
    const char *name, *rod, *body;
    node *at, *from, *to, *force, *moment;
    td_frame frame;
} load_draft;

typedef struct table_draft {
    const char *file;
    node *time, *value;
    bool smooth;
} table_draft;

// ---------------------------------------------------------------- the tables (file_keys*.c)
extern const mapping root_mapping, material_mapping, rod_mapping, piece_mapping, section_mapping,
    stiffness_mapping, damping_mapping, rest_mapping, base_mapping, motion_mapping, load_mapping,
    signal_mapping, step_mapping, ramp_mapping, hat_mapping, sine_mapping, table_mapping,
    initial_mapping, moving_mapping, spring_mapping, turning_mapping, hold_motion_mapping,
    simulation_mapping, record_mapping, tube_mapping;
extern const mapping field_mapping, gradient_mapping, field_motion_mapping, fluid_mapping;
extern const mapping orientation_mapping, tip_mapping, body_mapping, shape_mapping,
    cylinder_mapping, sphere_mapping, capsule_mapping, obstacle_mapping, contact_mapping,
    sensor_mapping, controller_mapping, estimator_mapping, input_limits_mapping;
extern const choice joint_choices[];

// A point of the section of a rod (file_actuators.c).
extern const mapping polar_mapping;
extern const value_type type_offset;
// Of the items of lists of parts (file_repeat.c).
extern const mapping repeat_mapping;
extern const value_type type_repeat, type_include;
#define REPEAT_KEY                                                                                 \
    {                                                                                              \
        "repeat", &type_repeat, NULL, "one", "number of parts made from this entry", 0, 0,         \
            &repeat_mapping                                                                        \
    }
td_status expand_repeats(reader *r);

// Of motors and valves (file_engine.c), into td_motor_def and td_valve_def.
extern const mapping tendon_motor_mapping, chamber_motor_mapping, joint_motor_motor_mapping,
    valve_mapping;
// A group of keys that goes with some words of `input` alone; of a motor also its limits.
td_status check_engine(reader *r, const node *n, const char *group, bool wanted, const char *input,
                       const td_motor_def *motor);

// Key number i of a mapping, counting options and those of `also`, whose offset is then in the target of
// the mapping. False past the last.
bool mapping_key(const mapping *m, int i, key *out);

// ---------------------------------------------------------------- reading (file_read.c)
td_status read_mapping(reader *r, node *n, const mapping *m, void *to);
td_status read_quantity(reader *r, const node *n, const char *unit, double *out);
td_status read_quantities(reader *r, node *n, const char *unit, int count, double *out);
td_status expect_kind(reader *r, const node *n, node_kind kind, const char *wanted);
td_status expect_scalar(reader *r, const node *n, const char *wanted);
td_status expect_list(reader *r, const node *n, int count, const char *wanted);

td_status out_of_memory(reader *r, const node *n);
// How a value is read that depends on other parts of the file: the node itself, to *to.
td_status keep_node(reader *r, node *n, const key *k, void *to);
int doubles_of(const value_type *type);  // that its values are; 0: something else

extern const value_type type_text, type_flag, type_count, type_quantity, type_pair, type_triple,
    type_vector, type_matrix, type_series, type_quaternion, type_choice, type_mapping, type_later,
    type_list, type_named, type_quantities, type_model, type_fields, type_column, type_path,
    type_polar_path, type_value, type_centre_line, type_radii, type_parts;

// ---------------------------------------------------------------- formulas (file_let.c)
td_status read_constants(reader *r, const node *let);  // NULL: there are none
bool is_constant(const reader *r, const char *name);
// "-100 mm + out", "palm/2 - 0.5*push": the one input that a formula of constants is of, NULL: of none; and what it makes of that.
td_status sum_input(reader *r, const node *n, const char **input);
td_status sum_of_input(reader *r, const node *n, const char *unit, const char *input,
                       double *constant, double *gain);
bool is_name_of_input(const char *text);
bool is_input(const reader *r, const char *name);  // declared, or used before
// One that is declared is used here, in the unit in which it, or its limits, are written.
td_status declared_input(reader *r, const node *n, const char *name);
// Does n read as a formula of constants (*is)? Then its value; what must fit `unit`, where that is not NULL.
td_status constant_formula(reader *r, const node *n, const char *unit, bool *is, quantity *out);
// What is wrong, shown where it stands in n.
td_status refuse_formula(reader *r, const node *n, const formula_error *wrong);

// ---------------------------------------------------------------- parts (file_robot.c, ...)
extern const value_type type_material, type_section, type_stiffness, type_damping, type_base,
    type_tip, type_number, type_numbers, type_points, type_formula, type_table, type_place,
    type_places, type_signals, type_shape, type_spring;

td_status read_materials(reader *r, node *materials);
td_status read_gravity(reader *r, node *n);
td_status read_rods(reader *r, node *rods);
// Free bodies come before the rods that they hold, those that ride on rods after them.
td_status read_bodies(reader *r, node *bodies, bool riding);
td_status read_actuators(reader *r, node *const lists[N_ACTUATOR_KINDS]);
td_status read_loads(reader *r, node *loads);
td_status read_fields(reader *r, node *fields);
td_status read_fluid(reader *r, node *n);
td_status read_obstacles(reader *r, node *obstacles);
td_status read_contacts(reader *r, node *contacts);
td_status read_sensors(reader *r, node *sensors);
td_status read_controllers(reader *r, node *controllers);
// An input by its name, a scalar; a name that no part uses is refused.
td_status read_input_name(reader *r, const node *n, int *index);
td_status read_estimator(reader *r, node *n);
td_status read_input_limits(reader *r, node *n);
// "0.01 deg/s/sqrt(Hz)": the quantity before the root, in the unit.
td_status read_rooted(reader *r, const node *n, const char *unit, const char *root, double *out);
// The index of an input that some part uses; -1: there is none.
int used_input(const reader *r, const char *name, const char **unit);
td_status read_initial(reader *r, const struct initial_draft *draft);
td_status check_inputs(reader *r, node *inputs);  // after everything that may use them
td_status read_table(reader *r, node *n, const table_draft *draft, td_signal *signal);

// A number that an input may drive; one made in place is called <owner>.<name>, or <name>.
td_status read_number(reader *r, node *n, const char *name, const char *unit, td_number *out);
td_status read_numbers(reader *r, node *n, const char *name, const char *unit, td_number out[3]);
// What drives an actuator: the number, or without one the input that has the actuator's name.
td_status read_effort(reader *r, node *actuator, node *value, const char *name, const char *unit,
                      td_number *out);

// An actuator of each kind to the robot: read_tendon, read_chamber (one file each).
#define READ(word, plural, flag, help) td_status read_##word(reader *r, node *n);
ACTUATOR_KINDS(READ)
#undef READ
// The rod, and where on it.
td_status read_stretch(reader *r, const node *n, const actuator_draft *draft, int *rod,
                       double *from, double *to);

// The one of direction, quaternion and rotation that n holds, to a unit quaternion.
td_status read_orientation(reader *r, const node *n, const orientation_draft *draft, double q[4]);
// The name of a part is checked before the rest, since inputs may be named after it.
td_status check_name(reader *r, const node *n, const char *kind,
                     int (*find)(const td_robot *, const char *));
// The rod that n names `under` a key; without a name, the only rod.
td_status read_rod_name(reader *r, const node *n, const char *under, const char *name, int *out);
td_status read_body_name(reader *r, const node *n, const char *word, const char *name, int *out);
// To the robot 0 means: left out; who writes it under a key of n means something else.
td_status check_not_zero(reader *r, const node *n, const char *word, double value);
// A place on a rod of the given length.
td_status read_place(reader *r, const node *n, double length, double *out);
// What td_robot_add_* returned for the part that n describes, as a status, with the place in the
// file on a refusal.
td_status added_part(reader *r, node *n, int added);

// ---------------------------------------------------------------- the whole (file.c, file_set.c)
// Those of constants, and of entries that are repeated, are applied before they are (`early`), the others then.
td_status apply_overrides(reader *r, const char *const *sets, int n_sets, bool early);
// A robot as td_robot_parse reads it, and in which unit the last override was read.
typedef struct asked_unit {
    bool found;     // false: it is no quantity
    char text[64];  // "Pa"; "": a plain number
} asked_unit;
td_robot *robot_parse_asking(const char *text, size_t length, const char *name,
                             const char *const *sets, int n_sets, asked_unit *unit, td_error *err);
// All of a file, with a 0 behind. Free *bytes.
td_status file_bytes(const char *path, char **bytes, size_t *length, td_error *err);
// Numbers are read and written with a decimal point, whatever the program's language.
typedef struct numerals {
    locale_t plain, before;
} numerals;
numerals plain_numerals(void);
void restore_numerals(numerals n);
// What stands at a path, as overrides name it; NULL: nothing. The path is cut up.
const node *find_at_path(const node *root, char *path);
// The file that n names, relative to the one that n stands in. Free *text.
td_status read_named_file(reader *r, const node *n, const char **path, char **text, size_t *length);
// The part of a path up to its last slash, which is kept. NULL: out of memory.
const char *directory_of(tree *t, const char *path);
// The document as one mapping, after files that it includes and the robot file that it names.
td_status join_documents(reader *r);
td_status check_format(reader *r, node *root);
// Corners of the triangles of a file (count x 4), in the memory of the tree.
td_status read_stl(reader *r, const node *n, double scale, double **corners, int *count);
// Puts file, line and column on a refusal by the robot, whose err->where is a path in the words of
// the format: "rods.wire.base.position.x". `part` describes what its first two elements name; NULL:
// it is looked for from the root.
void relocate(reader *r, node *part);
