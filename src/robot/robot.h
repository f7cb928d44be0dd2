// robot/robot.h - what a td_robot holds. Written by robot.c (which validates every value) and by
// the file reader through it; read by the models when they compile a system.
#pragma once

#include "robot/units.h"
#include "tendril/robot.h"
#include "tendril/tendril.h"

typedef unsigned long long feature_set;  // 1ull << td_feature

// The numbers that the mechanics needs. Strain modes in the order of the strain (u, v):
// bending about x, bending about y, torsion, shear x, shear y, extension.
typedef struct td_section_properties {
    double stiffness[6];  // EIxx, EIyy, G*torsion [N m^2]; k G A, k G A, E A [N]
    double damping[6];    // Kelvin-Voigt, N m^2 s and N s
    double coupling[36];  // stiffness beside the diagonal; 0 where modes do not couple
    double mass;          // rho A, kg/m
    double inertia[3];    // rho Ixx, rho Iyy, rho polar, kg m
} td_section_properties;

typedef struct robot_input {
    char *name;
    char *unit;              // "" when unknown
    td_signal signal;        // points, formula and what is made of it owned
    double low, high, rate;  // see td_input_def
} robot_input;

typedef struct robot_rod {
    char *name;
    td_piece_def *pieces;
    int n_pieces;
    double length;  // sum over the pieces
    td_base_def base;
    td_tip_def tip;
    td_number feed;
    td_tube_def tube;
    double envelope;  // m; 0: not given
    bool mean_stretch, feed_at_tip;
} robot_rod;

#define FREE_BODY (-1)  // in place of the index of a rod, of bodies and of loads on them

typedef struct robot_body {
    char *name;
    td_body_def def;  // def.name == name
} robot_body;

typedef struct robot_actuator robot_actuator;  // robot/actuators.h

typedef struct robot_load {
    char *name;
    td_load_def def;  // def.name == name
} robot_load;

typedef struct robot_field {
    char *name;
    td_field_def def;  // def.name == name
} robot_field;

typedef struct robot_obstacle {
    char *name;
    td_obstacle_def def;       // def.name == name; points owned
    struct spline_grid *grid;  // of a mesh or a heightfield: see mesh.h
} robot_obstacle;

typedef struct robot_contact {
    char *name;
    td_contact_def def;  // def.name == name; lists owned
} robot_contact;

typedef struct robot_sensor {
    char *name, *measures;
    td_sensor_def def;  // its names are these
} robot_sensor;

typedef struct robot_controller {
    char *name;
    td_controller_def def;  // all that it points to is owned
} robot_controller;

typedef struct robot_initial {  // a coordinate, or several, of the model: see td_robot_set_initial
    char *name;
    double value;  // SI
    bool rate;     // it is the rate that is given
    bool has_unit;
    dimension unit;  // checked against that of the coordinate
} robot_initial;

typedef struct robot_motion {  // of a whole robot, in the world: see td_robot_set_initial_motion
    double linear[3], angular[3], about[3];
} robot_motion;

// What a robot that was read from a file keeps of it, by the reader, which a small library is without.
typedef struct robot_document {
    void (*release)(struct robot_document *document);
    // Puts the line of the file before a path in err->where.
    void (*locate)(struct robot_document *document, td_error *err);
} robot_document;

struct td_robot {
    char *name;
    td_number gravity[3];  // m/s^2, world
    robot_input *inputs;
    int n_inputs;
    robot_rod *rods;
    int n_rods;
    robot_body *bodies;
    int n_bodies;
    robot_actuator *actuators;  // by kind: tendons first
    int n_actuators;
    robot_load *loads;
    int n_loads;
    robot_field *fields;
    int n_fields;
    td_fluid_def fluid;
    robot_obstacle *obstacles;
    int n_obstacles;
    robot_contact *contacts;
    int n_contacts;
    robot_sensor *sensors;
    int n_sensors;
    robot_controller *controllers;
    int n_controllers;
    td_estimator_def *estimator;  // all that it points to is owned; NULL: none
    robot_initial *initial;
    int n_initial;
    robot_motion motion;  // that it starts with
    td_options options;   // what the file asks for; defaults otherwise
    td_scenario scenario;
    char *source;              // the document with overrides applied; NULL when built in code
    robot_document *document;  // the same as a tree that knows lines; NULL when built in code
    char *file;        // that the document was read from: what it names lies beside it; NULL: none
    char *named_file;  // the robot file that the document names; NULL: none
};

// The largest magnitude a quantity may have, and its inverse the smallest: products of three stay
// finite, so that nothing overflows far from where it was said.
#define LARGEST_QUANTITY 1e100
#define MOST_PIECES 4096  // of one rod
#define MOST_PARTS 4096   // rods, bodies, loads, inputs, ...: of each
#define MOST_STEPS 1e8    // time steps of a run

// The rules. Each names the place in err->where in the words of the file format
// ("rods.arm.pieces.0.section.radius"), whether the robot comes from a file or from code.
td_status options_validate(const td_options *options, td_error *err);
td_status scenario_validate(const td_scenario *scenario, td_error *err);
td_status signal_validate(const td_signal *signal, const char *where, td_error *err);
td_status name_validate(const char *name, const char *kind, bool dots, td_error *err);
td_status piece_validate(const char *owner, const td_piece_def *piece, td_error *err);
td_status rod_validate(const td_robot *robot, const td_rod_def *def, td_error *err);
td_status body_validate(const td_robot *robot, const td_body_def *def, td_error *err);
td_status load_validate(const td_robot *robot, const td_load_def *def, td_error *err);
td_status field_validate(const td_robot *robot, const td_field_def *def, td_error *err);
td_status fluid_validate(const td_robot *robot, const td_fluid_def *def, td_error *err);
td_status obstacle_validate(const td_robot *robot, const td_obstacle_def *def, td_error *err);
td_status contact_validate(const td_robot *robot, const td_contact_def *def, td_error *err);
void sensor_release(robot_sensor *sensor);
void controller_release(robot_controller *controller);
td_estimator_def *estimator_copy(const td_estimator_def *def);  // NULL: out of memory
void estimator_release(td_estimator_def *def);                  // NULL is fine
td_status gravity_validate(const td_robot *robot, const td_number gravity[3], td_error *err);
// What only the whole robot can break: bodies that nothing holds, what lies on a rod that is fed.
td_status robot_validate_whole(const td_robot *robot, td_error *err);

// All but the name as given.
td_status robot_add_initial(td_robot *robot, const char *name, const robot_initial *given,
                            td_error *err);

// It starts with a motion.
static inline bool robot_is_thrown(const td_robot *robot) {
    const robot_motion *m = &robot->motion;
    for (int i = 0; i < 3; i++)
        if (m->linear[i] != 0.0 || m->angular[i] != 0.0) return true;
    return false;
}

td_scenario default_scenario(void);
int find_rod(const td_robot *robot, const char *name);  // -1: none
int find_body(const td_robot *robot, const char *name);
int find_load(const td_robot *robot, const char *name);
int find_field(const td_robot *robot, const char *name);
int find_obstacle(const td_robot *robot, const char *name);
int find_contact(const td_robot *robot, const char *name);
int find_sensor(const td_robot *robot, const char *name);
int find_controller(const td_robot *robot, const char *name);
int find_input(const td_robot *robot, const char *name);
double rod_def_length(const td_rod_def *def);  // sum over the pieces
bool section_is_given(const td_section *section);
bool has_spring(const td_spring_def *spring);  // or a damper
bool is_fed(td_number feed);                   // driven, or not 0
bool rod_floats(const td_robot *robot,
                int rod);  // no chain of rods and bodies joins it to the world
bool body_floats(const td_robot *robot, int body);  // the same of a body that rides on no rod
int root_of_body(const td_robot *robot, int body);  // the first of a chain of bodies that hold it
bool is_tube(const td_robot *robot, int rod);       // turned or pushed, or one runs in the other
td_section section_of_piece(const td_piece_def *piece, double x);
bool piece_has_fibres(const td_piece_def *piece);  // its law is that of fibres
bool robot_remembers(const td_robot *robot);       // do materials of it?
bool robot_remembers_ways(
    const td_robot *robot);  // by hysteresis or superelastic, whatever the pace?
bool piece_remembers(const td_piece_def *piece);
bool piece_remembers_ways(const td_piece_def *piece);
const td_piece_def *growing_piece(const robot_rod *rod);  // that gets longer when it is fed
int piece_relaxations(const td_piece_def *piece);         // terms of its series
bool piece_has_matrix(const td_piece_def *piece);         // its stiffness is given as a matrix
bool piece_is_coupled(const td_piece_def *piece);         // by that, or by its shear centre
bool piece_is_uniform(const td_piece_def *piece);         // the same all along

// Are there obstacles, and is it one of those that touch them?
static inline bool body_touches(const td_robot *robot, int body) {
    return robot->n_obstacles > 0 && robot->bodies[body].def.shape != TD_BODY_PLAIN;
}
// Does some contact name it?
bool body_has_contact(const td_robot *robot, int body);
// Section law of a piece at x in [0, 1] of its length.
td_section_properties piece_properties(const td_piece_def *piece, double x);
// What its surroundings see of a section there, per length: in a fluid of this density.
typedef struct section_surface {
    double magnet[3];  // A m
    double displaced;  // kg/m, of fluid
    double added[3];   // kg/m
    double drag
        [3];  // kg/m^2, by the velocity across the rod and along it: see td_piece_def.drag_coefficient
} section_surface;
section_surface piece_surface(const td_piece_def *piece, double x, double density);
static inline bool piece_is_magnetic(const td_piece_def *p) {
    return p->magnetisation[0] != 0.0 || p->magnetisation[1] != 0.0 || p->magnetisation[2] != 0.0;
}
static inline bool body_is_magnetic(const td_body_def *b) {
    return b->magnet[0] != 0.0 || b->magnet[1] != 0.0 || b->magnet[2] != 0.0;
}
// Does a field act on something of it?
bool robot_has_magnets(const td_robot *robot);

static inline bool signal_has_points(const td_signal *s) {
    return s->kind == TD_SIGNAL_POINTS || s->kind == TD_SIGNAL_CURVE;
}
// A copy that owns what it points to; false: out of memory, and nothing is owned. The signal is valid.
bool signal_copy(td_signal *to, const td_signal *from);
void signal_release(td_signal *signal);  // what a copy owns
// The names that a formula of time knows: t.
extern const struct formula_names signal_names;
// d^2 value/dt^2, 0 where it is not finite.
double signal_acceleration(const td_signal *signal, double t, td_side side);
// Has it a finite value there? Formulas alone may have none.
bool signal_is_finite(const td_signal *signal, double t, td_side side);
// An input follows this signal from now on; points are copied.
td_status robot_set_signal(td_robot *robot, int input, const td_signal *signal, td_error *err);
// The first jump of a signal's rate strictly after t, or HUGE_VAL.
double signal_next_kink(const td_signal *signal, double t);

// Does an input, or this one, drive it, or one of them?
static inline bool is_driven_by(const td_number *n, int input) {
    return n->gain != 0.0 && n->input == input;
}
static inline bool any_driven(const td_number *n, int count) {
    for (int i = 0; i < count; i++)
        if (n[i].gain != 0.0) return true;
    return false;
}
static inline bool any_driven_by(const td_number *n, int count, int input) {
    for (int i = 0; i < count; i++)
        if (is_driven_by(&n[i], input)) return true;
    return false;
}
// value + gain * input, given the current input values.
static inline double number_value(td_number n, const double *inputs) {
    return n.gain != 0.0 ? n.value + n.gain * inputs[n.input] : n.value;
}
static inline double number_rate(td_number n, const double *input_rates) {
    return n.gain != 0.0 ? n.gain * input_rates[n.input] : 0.0;
}
