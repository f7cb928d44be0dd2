// tendril/robot.h - the description of a robot: what is there, not how it is computed.
//
// A td_robot comes from a file (td_robot_load) or is built in code:
//
//     td_robot *robot = td_robot_create();
//     td_rod_def rod = td_default_rod_def();
//     td_piece_def piece = td_default_piece_def();
//     piece.length = 0.4;
//     piece.youngs_modulus = 207e9, piece.shear_modulus = 79e9, piece.density = 8000;
//     piece.section.radius = piece.section_end.radius = 1e-3;
//     rod.name = "backbone", rod.pieces = &piece, rod.n_pieces = 1;
//     int backbone = td_robot_add_rod(robot, &rod, &err);
//
// Every td_robot_add_* copies what it is given, returns an index >= 0, or a negative td_status
// with the reason in err and the robot unchanged. SI units; frames and signs as in
// docs/conventions.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tendril/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_robot td_robot;

// A number in a load, an actuator or a base pose: constant, or driven by an input:
//     value + gain * input.       gain == 0: constant.
typedef struct td_number {
    double value;
    double gain;
    int input;  // index from td_robot_add_input; read only when gain != 0
} td_number;

static inline td_number td_constant(double value) {
    td_number n = {value, 0.0, 0};
    return n;
}

// ---------------------------------------------------------------- signals
// What drives an input over time when a run follows the file (td_advance). A signal that jumps has
// a value before and a value after: at the instant itself both exist.
typedef enum td_signal_kind {
    TD_SIGNAL_CONSTANT,  // value
    TD_SIGNAL_STEP,      // from, before time start; to, from then on
    TD_SIGNAL_RAMP,      // from -> to over [start, start + duration]
    TD_SIGNAL_HAT,       // from; up to `to` at start + duration/2; back at start + duration
    TD_SIGNAL_SINE,      // from + to * sin(2 pi frequency (t - start) + phase) for t >= start, and
                         // while duration > 0 only for that long; `from` outside
    TD_SIGNAL_POINTS     // piecewise linear through points; two points at one time are a jump
} td_signal_kind;

typedef struct td_signal {
    td_signal_kind kind;
    double from, to;          // CONSTANT uses `from`
    double start, duration;   // s
    double frequency, phase;  // Hz, rad
    const double *points;     // (n_points x 2) time, value; times must not decrease
    int n_points;
} td_signal;

typedef enum td_side { TD_BEFORE, TD_AFTER } td_side;  // which limit, where a signal jumps

TD_API double td_signal_value(const td_signal *signal, double t, td_side side);
TD_API double td_signal_rate(const td_signal *signal, double t, td_side side);   // d value/dt
// The first jump strictly after t, or HUGE_VAL.
TD_API double td_signal_next_jump(const td_signal *signal, double t);

typedef struct td_input_def {
    const char *name;   // unique in the robot
    const char *unit;   // SI unit, for people: "N", "m", "Pa"; may be NULL
    td_signal signal;   // what a run follows; the constant 0 by default
} td_input_def;

// ---------------------------------------------------------------- rods
typedef enum td_section_shape {
    TD_SECTION_CIRCLE,     // radius, inner_radius
    TD_SECTION_RECTANGLE,  // width along local x, height along local y
    TD_SECTION_GENERAL     // area, ixx, iyy, torsion, polar given
} td_section_shape;

typedef struct td_section {
    td_section_shape shape;
    double radius, inner_radius;  // m
    double width, height;         // m
    double area;                  // m^2
    double ixx, iyy;              // m^4, second moments about local x and y
    double torsion;               // m^4, torsion constant; for a circle the polar moment
    double polar;                 // m^4, polar moment (rotary inertia about z); 0: ixx + iyy
} td_section;

// A stretch of rod whose properties are constant or vary smoothly from its start to its end.
typedef struct td_piece_def {
    double length;                        // m
    double youngs_modulus, shear_modulus; // Pa
    double density;                       // kg/m^3
    td_section section, section_end;      // dimensions vary linearly between the two
    double shear_factor;                  // k in k G A; 1 as in Till 2019
    double stiffness[6];                  // > 0 overrides what section and moduli give
    double mass_per_length;               // > 0 overrides rho A (rotary inertia scales along)
    double damping[6];                    // Kelvin-Voigt coefficients, N m^2 s and N s
    double damping_time;                  // s: adds damping_time * stiffness to the above
    double drag[3];                       // square-law drag C, kg/m^2, in local x, y, z
    double linear_drag[3];                // kg/(m s), in local x, y, z
    double rest_curvature[3];             // u*, 1/m
    double rest_stretch[3];               // v*, default (0, 0, 1)
} td_piece_def;

typedef struct td_base_def {
    td_number position[3];  // m, world
    double orientation[4];  // unit quaternion w, x, y, z
    td_number rotation[3];  // rad; rotation vector applied after `orientation`, in its own axes:
                            // R = R(orientation) exp(rotation^)
} td_base_def;

typedef struct td_rod_def {
    const char *name;
    const td_piece_def *pieces;
    int n_pieces;
    td_base_def base;
} td_rod_def;

// ---------------------------------------------------------------- loads
typedef enum td_frame { TD_FRAME_WORLD, TD_FRAME_BODY } td_frame;  // BODY: follows the section

typedef struct td_load_def {
    const char *name;
    int rod;
    bool distributed;        // false: a wrench at `from`; true: per unit length over [from, to]
    double from, to;         // m, arc length
    td_frame frame;
    td_number force[3];      // N, or N/m
    td_number moment[3];     // N m, or N m/m
} td_load_def;

// ---------------------------------------------------------------- build and look
TD_API td_robot *td_robot_create(void);  // NULL: out of memory
TD_API void td_robot_destroy(td_robot *robot);

TD_API td_piece_def td_default_piece_def(void);
TD_API td_rod_def td_default_rod_def(void);
TD_API td_load_def td_default_load_def(void);

TD_API int td_robot_add_input(td_robot *robot, const td_input_def *def, td_error *err);
TD_API int td_robot_add_rod(td_robot *robot, const td_rod_def *def, td_error *err);
TD_API int td_robot_add_load(td_robot *robot, const td_load_def *def, td_error *err);
TD_API td_status td_robot_set_name(td_robot *robot, const char *name, td_error *err);
TD_API td_status td_robot_set_gravity(td_robot *robot, const td_number gravity[3], td_error *err);

TD_API const char *td_robot_name(const td_robot *robot);
TD_API int td_robot_n_rods(const td_robot *robot);
TD_API int td_robot_n_inputs(const td_robot *robot);
TD_API int td_robot_n_loads(const td_robot *robot);

// ---------------------------------------------------------------- files
// `sets` are "path=value" overrides, as on the command line: "rods.backbone.length=0.3 m".
// Only in builds with the file reader (TENDRIL_FILES).
TD_API td_robot *td_robot_load(const char *path, const char *const *sets, int n_sets,
                               td_error *err);
TD_API td_robot *td_robot_parse(const char *text, size_t length, const char *name,
                                const char *const *sets, int n_sets, td_error *err);
// The text the robot was read from with every override applied ("" for one built in code).
TD_API const char *td_robot_source(const td_robot *robot);

#ifdef __cplusplus
}
#endif
