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
// with the reason in err and the robot unchanged. What a part names comes before it: inputs, then
// free bodies, the rods that they hold, and what rods carry. SI units; frames and signs as in
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
    TD_SIGNAL_POINTS,    // piecewise linear through points; two points at one time are a jump
    TD_SIGNAL_CURVE,   // smooth through points: a cubic between any two, whose rates at a point are
                       // those of the parabola through it and its neighbours; 0 at both ends and
                       // at a jump
    TD_SIGNAL_FORMULA  // of the time: "2 + sin(2*pi*t)"; see docs/file-format.md
} td_signal_kind;

typedef struct td_signal {
    td_signal_kind kind;
    double from, to;          // CONSTANT uses `from`
    double start, duration;   // s
    double frequency, phase;  // Hz, rad
    const double *points;     // (n_points x 2) time, value; times must not decrease
    int n_points;
    const char *formula;         // its text; t is the time in s, numbers may have units: "2 N * t"
    const struct formula *made;  // from that where a robot takes it over; leave it NULL
} td_signal;

typedef enum td_side { TD_BEFORE, TD_AFTER } td_side;  // which limit, where a signal jumps

// A formula that a robot has not taken over is read anew at each call. 0 where it is not finite.
TD_API double td_signal_value(const td_signal *signal, double t, td_side side);
TD_API double td_signal_rate(const td_signal *signal, double t, td_side side);  // d value/dt
// The first jump strictly after t, or HUGE_VAL.
TD_API double td_signal_next_jump(const td_signal *signal, double t);

typedef struct td_input_def {
    const char *name;  // unique in the robot
    const char *unit;  // SI unit, for people: "N", "m", "Pa"; may be NULL
    td_signal signal;  // what a run follows; the constant 0 by default
    // What is computed for it (td_solve_inverse, controllers) stays between low and high, SI, and changes no faster than rate, per s.
    double low, high;  // low = high: anywhere
    double rate;       // 0: as fast as may be
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

// What a section answers to its strain, beside its stiffness.
typedef enum td_law {
    TD_HOOKEAN,  // moments and forces proportional to strains
    TD_NEO_HOOKEAN,  // rubber: the axial force is E A (l - 1/l^2)/3 with the stretch l; the rest as before
    TD_RUBBER,  // incompressible rubber in every fibre of the section: Mooney and Rivlin's, mooney_share
    TD_SUPERELASTIC  // an alloy that transforms under stress, in every fibre: td_superelastic
} td_law;

// A superelastic alloy: stress over strain is a flag. Austenite, of youngs_modulus, becomes martensite between two stresses,
// and between two lower ones it comes back; tension and compression alike.
typedef struct td_superelastic {
    double martensite_modulus;  // Pa
    double forward[2],
        backward[2];  // Pa: where it begins and where all of it has transformed; and back
    double strain;    // of the transformation
} td_superelastic;

// What rubs inside as it bends (Bouc and Wen; Dahl): a moment that follows the way of the curvature, whatever its pace.
typedef struct td_hysteresis {
    double moment;     // N m, at most; 0: none
    double curvature;  // 1/m, over which it turns round
    double exponent;   // 1 .. 20, how suddenly it begins to slip; 0: 1
    double shape;      // 0.5 .. 4, of what lets go: 0.5 straight, 1 as what takes hold; 0: 1
} td_hysteresis;

// Relaxation of a material, a Prony series: after a step of strain its moduli are E (1 + sum of share_k exp(-t/time_k)),
// those of shear alike, so that E is what is left in the end and in an equilibrium. Terms end with the first whose
// time is 0.
#define TD_MOST_RELAXATIONS 6
typedef struct td_relaxation {
    double shares[TD_MOST_RELAXATIONS];  // of E
    double times[TD_MOST_RELAXATIONS];   // s
} td_relaxation;

// A stretch of rod whose properties are constant or vary smoothly from its start to its end.
typedef struct td_piece_def {
    double length;                         // m
    double youngs_modulus, shear_modulus;  // Pa
    double density;                        // kg/m^3
    td_section section, section_end;       // dimensions vary linearly between the two
    double shear_factor;                   // k in k G A; 1 as in Till 2019
    td_law law;
    double mooney_share;  // of TD_RUBBER: C2/(C1 + C2), 0 to 1; 0: neo-Hookean
    td_superelastic superelastic;
    td_hysteresis hysteresis;
    td_relaxation relaxation;
    double stiffness[6];          // > 0 overrides what section and moduli give
    double stiffness_matrix[36];  // not all 0: in place of all of these, for sections that couple
        // bending, torsion, shear and extension; symmetric, positive definite
    double shear_centre[2];    // m, local x and y: where a force that does not twist it acts
    double mass_per_length;    // > 0 overrides rho A (rotary inertia scales along)
    double damping[6];         // Kelvin-Voigt coefficients, N m^2 s and N s
    double damping_time;       // s: adds damping_time * stiffness to the above
    double damping_power;      // p: damping * |strain rate|^(p - 1) * strain rate; 1 to 4
    double drag[3];            // square-law drag C, kg/m^2, in local x, y, z
    double linear_drag[3];     // kg/(m s), in local x, y, z
    double rest_curvature[3];  // u*, 1/m
    double rest_stretch[3];    // v*, default (0, 0, 1)

    double magnetisation[3];  // A/m, remanent, in local x, y, z; times the area of the section
    // In a fluid: along local x, y, z, times what a round section of that height displaces across the rod, or the
    // section along it; and across the rod, by its height there, and along it, by its surface.
    double added_mass[3];
    double drag_coefficient[2];
} td_piece_def;

#define TD_WORLD (-1)                            // in place of the index of a body
typedef enum td_end { TD_BASE, TD_TIP } td_end;  // of a rod

// How an end of a rod is held. `axis` is fixed in what holds it, `axis2` in the rod's end; both are
// unit vectors in the frame of the attachment, where the two agree in the rest shape.
typedef enum td_joint {
    TD_CLAMP,
    TD_BALL,       // free to turn
    TD_REVOLUTE,   // free to turn about `axis`
    TD_UNIVERSAL,  // free to turn about `axis` and `axis2`, which stay at a right angle
    TD_PRISMATIC,  // free to slide along `axis`
    TD_FREE        // of a base: nothing holds it, and its pose is where it begins
} td_joint;

// What a joint that turns about one axis (revolute) or slides (prismatic) does against that:
// stiffness (x - rest) + damping dx/dt. Angles are counted within half a turn.
typedef struct td_spring_def {
    double stiffness;  // N m/rad or N/m
    double damping;    // N m s/rad or N s/m
    td_number rest;    // rad or m
} td_spring_def;

typedef struct td_base_def {
    td_number position[3];  // m, world; or in the frame of the body that it stands on
    double orientation[4];  // unit quaternion w, x, y, z
    td_number rotation[3];  // rad; rotation vector applied after `orientation`, in its own axes:
                            // R = R(orientation) exp(rotation^)
    int body;               // TD_WORLD, or a free body that it stands on (then nothing is driven)
    td_joint joint;
    double axis[3], axis2[3];
    td_spring_def spring;
} td_base_def;

typedef struct td_tip_def {  // of a tip, or of a free body
    bool held;               // false: free
    int body;                // TD_WORLD, or the free body that it is joined to
    td_number
        position[3];  // m, where it is held, in the frame of that body (then nothing is driven)
    double orientation[4];  // unit quaternion w, x, y, z
    td_number rotation[3];  // rad; as that of td_base_def
    td_joint joint;
    double axis[3], axis2[3];
    td_spring_def spring;
} td_tip_def;

// Concentric tubes: rods that run in one another share a centre line and bend together; each is turned and pushed at
// its back end and twists on its own. The outermost has the base, whose axis guides all of them behind it: the plate.
typedef struct td_tube_def {
    int within;          // the rod that it runs in, added before; -1: in none
    td_number rotation;  // rad, of its back end about the axis of the base
    td_number
        translation;  // m, of its back end along that axis from the base: 0, or negative, behind
    double
        friction;  // against the rod that it runs in: torque by the moment with which they press; in motion
    double slip_rate;  // rad/s, of one in the other, about which friction becomes full
} td_tube_def;

typedef struct td_rod_def {
    const char *name;
    const td_piece_def *pieces;
    int n_pieces;
    td_base_def base;
    td_tip_def tip;
    td_number
        feed;  // m: how far it is pushed out of its base beyond its length. What gets longer is the stretch before
    // all that is fixed to it; that is uniform. Arc length is still counted from the base.
    td_tube_def tube;   // plain by default
    double envelope;    // m, radius of the discs or sleeve that guide tendons; 0: not given
    bool mean_stretch;  // its sections and chambers follow its mean stretch: material of constant
                        // volume, stiffness by the area there is, divided by the stretch
    // What is fed is added at its tip, as a vine grows: its base and what is on it stay, and what gets longer is the stretch
    // beyond all of that. Material comes with the strain and velocity of the tip.
    bool feed_at_tip;
} td_rod_def;

// ---------------------------------------------------------------- bodies
// A rigid body rides on a rod, or is free and held by the ends of rods (td_base_def, td_tip_def). One that has the
// surface of a sphere, a capsule or a box touches obstacles; then nothing need hold it.
typedef enum td_body_shape {
    TD_BODY_PLAIN,    // it passes through obstacles
    TD_BODY_SPHERE,   // radius
    TD_BODY_CAPSULE,  // radius, and height along z with its round ends
    TD_BODY_BOX       // sides; it touches with its corners
} td_body_shape;

typedef struct td_body_def {
    const char *name;
    int rod;                // the rod it rides on; -1: free
    double at;              // m, arc length where it rides
    double mass;            // kg; a free body may have none
    double inertia[3];      // kg m^2, about its centre of mass, along the axes of its frame
    double products[3];     // kg m^2, xy, xz, yz of that tensor: off its diagonal
    double centre[3];       // m, centre of mass in its frame: the section's, or its own
    td_number attached;     // riding: 1 there, 0 not there; 1 by default
    double radius, height;  // m, of a disc: across and along the rod; 0: not known
    td_body_shape shape;    // around its centre of mass
    double sides[3];        // m, of a box
    double magnet[3];       // A m^2, magnetic moment in its frame, at its origin
    double volume;          // m^3, that it displaces of a fluid, around its centre of mass
    double position[3];  // free: its frame when the robot is put together, a first guess, and the
    double orientation[4];  // place where rods that stand on it begin
    td_tip_def
        hold;  // free: what holds it beside rods, the world or a free body, so that inputs may move it; its frame is
    // there, and `position` does not count
} td_body_def;

// ---------------------------------------------------------------- motors and valves
typedef enum td_motor_command {
    TD_MOTOR_TORQUE,
    TD_MOTOR_CURRENT,
    TD_MOTOR_VOLTAGE,
    TD_MOTOR_SPEED,
    TD_MOTOR_ANGLE
} td_motor_command;

// A rotor, a gear, and a spool that winds a tendon up, or a pump. Its states are those of a robot's state: implicit in
// every step, part of snapshots. See docs/control.md.
typedef struct td_motor_def {
    double inertia;  // kg m^2, of the rotor and what turns with it
    double gear;     // turns of the rotor for each of the spool
    double
        efficiency;  // of the gear: more of the load is felt where it is lifted, less where it is let down; 1: none is lost
    double friction;         // N m, Coulomb's, at the rotor
    double viscous;          // N m s/rad, at the rotor
    double travel;           // m/rad: radius of the spool; of a pump m^3/rad
    double torque_constant;  // N m/A
    double resistance;       // ohm, of the coil
    double inductance;       // H
    double
        stiffness;  // N m/rad, at the rotor, of a control of the angle; 0: it holds by any torque
    double
        damping;  // N m s/rad, at the rotor, of a control of angle or speed; 0 for speed: any torque
    double max_torque;   // N m, at the rotor; 0: no limit
    double max_current;  // A; 0: no limit
    double max_speed;    // rad/s, of the spool; 0: no limit
} td_motor_def;
TD_API td_motor_def td_default_motor_def(void);  // gear and efficiency 1

// A valve between a supply, a chamber and the atmosphere.
typedef struct td_valve_def {
    double supply;  // Pa above the atmosphere
    double
        conductance;  // m^3/(s Pa), open: of gas the sonic conductance of ISO 6358, of liquid flow by pressure
    double critical_ratio;  // of gas: of pressures, below which the flow is choked
    double
        transition;  // Pa, of liquid: difference of pressures beyond which it flows as through an orifice; 0: never
    double line;             // m^3 of gas in the line between valve and chamber
    double line_compliance;  // m^3/Pa of the line, of liquid
    bool liquid;             // that does not compress; else a gas
} td_valve_def;
TD_API td_valve_def td_default_valve_def(void);  // gas, with a critical ratio of 0.3

// ---------------------------------------------------------------- tendons
typedef enum td_routing {
    TD_ROUTING_STRAIGHT,  // from `offset` to `offset_end`, linear in s; parallel where they agree
    TD_ROUTING_HELIX,     // radius, turns, phase
    TD_ROUTING_POINTS,    // through points s, x, y; x and y stay between those of the points
    TD_ROUTING_POLAR      // through points s, radius, angle, which stay so: a helix by two points
} td_routing;

typedef enum td_tendon_input {
    TD_TENSION,       // N, at its start; a negative value is none unless it pushes
    TD_DISPLACEMENT,  // m, pulled out at its start
    // What the motor is told that winds it up (td_motor_def), in the order of td_motor_command:
    TD_TENDON_TORQUE,   // N m, at the rotor
    TD_TENDON_CURRENT,  // A
    TD_TENDON_VOLTAGE,  // V
    TD_TENDON_SPEED,    // rad/s, of the spool
    TD_TENDON_ANGLE     // rad, of the spool; 0: in the rest shape
} td_tendon_input;

typedef struct td_tendon_def {
    const char *name;
    int rod;
    double from, to;  // m, arc length: where it enters the rod, where it is fixed to it
    td_routing routing;
    double offset[2];             // m, local x and y, at `from`
    double offset_end[2];         // m, at `to`
    double radius, turns, phase;  // helix: m, turns between from and to, angle at `from` (rad)
    const double *points;  // (n_points x 3) s, x, y or s, radius, angle (rad); s increasing from
                           // `from` to `to`
    int n_points;          // at least two
    td_tendon_input input;
    td_number value;          // N or m
    double stiffness;         // N, EA; 0: it does not stretch
    double outside;           // m, length between the actuator and the rod, which stretches too
    double compliance;        // m/N, of the drive
    double pretension;        // N, at displacement 0 in the rest shape
    double friction;          // Coulomb coefficient along the path
    double presliding;        // m, motion before it slides; 0: chosen from the offset
    double viscous;           // s/m: friction grows by this times the sliding velocity
    double bending, torsion;  // N m^2, EJ and GJ of a push-pull rod; 0: it has none
    double mass_per_length;   // kg/m; 0: none
    bool pushes;         // a rod, not a string: its tension may be negative, and it is never slack
    td_motor_def motor;  // where the input is TD_TENDON_TORQUE or beyond
} td_tendon_def;

// ---------------------------------------------------------------- chambers
typedef enum td_chamber_input {
    TD_PRESSURE,  // Pa above the atmosphere
    TD_VOLUME,    // m^3 of a fluid that does not compress
    TD_AMOUNT,    // mol of an ideal gas
    TD_OPENING,  // -1 .. 1, of a valve (td_valve_def): towards the supply, or below 0 the atmosphere
    // What the motor is told that pumps a fluid into it which does not compress (td_motor_def):
    TD_CHAMBER_TORQUE,   // N m, at the rotor
    TD_CHAMBER_CURRENT,  // A
    TD_CHAMBER_VOLTAGE,  // V
    TD_CHAMBER_SPEED,    // rad/s, of the pump
    TD_CHAMBER_ANGLE     // rad, of the pump; 0: the volume of the rest shape
} td_chamber_input;

typedef struct td_chamber_def {
    const char *name;
    int rod;
    double from, to;     // m, arc length
    double offset[2];    // m, local x and y, of its centre
    double radius;       // m; or
    double area;         // m^2, when radius is 0
    double braid_angle;  // rad, of threads around it, which hold its area where a rod follows its
                         // mean stretch; pi/2: rings
    td_chamber_input input;
    td_number value;     // Pa, m^3 or mol
    double temperature;  // K, of the gas
    double atmosphere;   // Pa
    bool path_volume;  // volume = area times the length of its centre line, as in Till 2019; false:
                       // the volume that the pressure does work on. They differ with shear.
    td_valve_def valve;  // where the input is TD_OPENING
    td_motor_def motor;  // where it is TD_CHAMBER_TORQUE or beyond
    double compliance;   // m^3/Pa, of a liquid: what tubes between its drive and its room take up
} td_chamber_def;

// ---------------------------------------------------------------- muscles
// A muscle changes the shape that a stretch of a rod has at rest: its activation times these is added to the strain at
// rest of the sections there, which are alike and linear. Damping is by the strain rate of the rod, not by that of its rest.
typedef struct td_muscle_def {
    const char *name;
    int rod;
    double from, to;            // m, arc length
    double curvature[3];        // 1/m, by an activation of 1
    double stretch[3];          // shear along x and y, and length along z
    td_number value;            // activation
    double wrench[6], rest[6];  // of its rod, where a robot takes it over; leave them 0
} td_muscle_def;

// ---------------------------------------------------------------- temperatures and stiffeners
// The temperature T of a stretch of a rod, from which its shape at rest and its moduli follow:
//
//     strain at rest += (T - at_rest) (curvature, expansion along the axis),     stiffness = E(T)/E(at_rest) times that at rest
//
// Between the rows of its table E changes evenly; before the first and beyond the last it stays. Sections are alike and
// linear. With a table it has a stiffener of its name beside it.
typedef struct td_temperature_def {
    const char *name;
    int rod;
    double from, to;      // m, arc length
    double at_rest;       // K, at which the rod has its shape and moduli as they are described
    double expansion;     // 1/K, along the axis
    double curvature[3];  // 1/(m K), of layers that expand differently
    const double *
        moduli;  // (n_moduli x 2) temperature, K, growing, and Young's modulus, Pa; n_moduli 0: E stays
    int n_moduli;               // not 1
    td_number value;            // K
    double wrench[6], rest[6];  // as td_muscle_def has them; leave them 0
} td_temperature_def;

// A stiffener multiplies the stiffness of a stretch of a rod by 1 and what is given, more than -1: a sleeve that
// jams, a wax that freezes.
typedef struct td_stiffener_def {
    const char *name;
    int rod;
    double from, to;                    // m, arc length
    td_number value;                    // by which the stiffness grows, as a share of what it is
    const td_temperature_def *follows;  // a temperature of its name, which makes it; leave it NULL
    double stiffness[36], rest[6];      // of its rod, where a robot takes it over; leave them 0
} td_stiffener_def;

// ---------------------------------------------------------------- motors of joints
// A motor that turns or slides an end of a rod in its joint (TD_REVOLUTE, TD_PRISMATIC), through a shaft that gives way:
//
//     torque of the shaft = stiffness (angle behind the gear - x/travel),   x: of the joint, rad or m
//
// `travel` of the motor is how far the joint moves for each radian of the shaft: 1 where it turns, the lead of a screw or the
// radius of a pinion where it slides. Damping of the joint is that of its spring.
typedef struct td_joint_motor_def {
    const char *name;
    int rod;                 // -1: it moves the joint of a body
    td_end end;              // of the rod, that is held by the joint
    int body;                // that body, which is held; read only when rod is -1
    td_motor_command input;  // what `value` gives; angles and speeds are those of the shaft
    td_number value;
    double stiffness;  // N m/rad, of the shaft
    td_motor_def motor;
} td_joint_motor_def;

// ---------------------------------------------------------------- kinds of actuators
// An actuator is an effort and a measure of the shape that it works on: a tendon's tension and length, a
// chamber's pressure and volume. Programs that walk the table of kinds know those to come.
typedef struct td_actuator_state {
    double effort;      // N or Pa, at its start
    double end_effort;  // where it ends: friction takes some
    double measure;     // m or m^3: its length or volume
    double supplied;    // m pulled out at its start since the rest shape; mol of gas that it holds
    double slack;       // 1: it cannot push, and hangs loose
} td_actuator_state;

typedef struct td_actuator_quantity {
    const char *name, *unit, *about;  // "tension", "N", "at its start"
    size_t offset;                    // in td_actuator_state
    bool whole;                       // 0 or 1
} td_actuator_quantity;

typedef struct td_actuator_kind {
    const char *word, *plural;           // "tendon"; "tendons": its list in files and results
    unsigned record;                     // its flag among TD_RECORD_*
    bool thin;                           // a line along its path; otherwise a room in its rod
    const td_actuator_quantity *inputs;  // (n_inputs) one of them is given; the effort is the first
    const td_actuator_quantity *recorded;  // (n_recorded) what its state holds
    int n_inputs, n_recorded;
} td_actuator_kind;

// That number of a state: td_actuator_value(&state, &kind->recorded[k]).
static inline double td_actuator_value(const td_actuator_state *state,
                                       const td_actuator_quantity *q) {
    return *(const double *)((const char *)state + q->offset);
}

TD_API int td_n_actuator_kinds(void);
TD_API const td_actuator_kind *td_actuator_kind_at(int kind);  // NULL: there is no such

// ---------------------------------------------------------------- loads
typedef enum td_frame { TD_FRAME_WORLD, TD_FRAME_BODY } td_frame;  // BODY: follows the section

typedef struct td_load_def {
    const char *name;
    int rod;           // -1: it acts on a free body
    int body;          // that body; read only when rod is -1
    bool distributed;  // false: a wrench at `from`; true: per unit length over [from, to]
    double from, to;   // m, arc length
    td_frame frame;
    td_number force[3];   // N, or N/m
    td_number moment[3];  // N m, or N m/m
} td_load_def;

// ---------------------------------------------------------------- fields
// Magnetic fields, which act on rods that are magnetised and on bodies that carry a magnet; not the other way round, and
// magnets do not act on one another.
typedef enum td_field_kind {
    TD_FIELD_UNIFORM,  // flux + gradient (x - position)
    TD_FIELD_DIPOLE    // of a moment at a position, turned by orientation and rotation
} td_field_kind;

enum { TD_MOST_FIELDS = 16 };

typedef struct td_field_def {
    const char *name;
    td_field_kind kind;
    td_number flux[3];      // T, flux density, world
    td_number gradient[5];  // T/m, dB/dx: xx, yy, xy, xz, yz; symmetric, and zz = -xx - yy
    td_number moment[3];    // A m^2, of a dipole, in its frame
    td_number position[3];  // m, world
    double orientation[4];  // unit quaternion w, x, y, z
    td_number rotation[3];  // rad; as that of td_base_def
} td_field_def;

// ---------------------------------------------------------------- fluid
// What the robot is in: it carries (buoyancy), is carried along (added mass) and drags (relative to its current).
typedef struct td_fluid_def {
    double density;         // kg/m^3; 0: there is none
    td_number velocity[3];  // m/s, of its current, world
} td_fluid_def;

// ---------------------------------------------------------------- obstacles
// What rods and bodies run into: a solid that stands still, moves as its inputs say, or is carried by a body. Signed distances are
// measured from its surface to the surface of a rod, which is that of its envelope, or of its section.
typedef enum td_obstacle_shape {
    TD_OBSTACLE_PLANE,     // solid below z = 0 of its frame
    TD_OBSTACLE_SPHERE,    // radius
    TD_OBSTACLE_CYLINDER,  // radius, length along z, its centre at the origin; length 0: endless
    TD_OBSTACLE_CAPSULE,   // the same with half a sphere beyond each end of its length
    TD_OBSTACLE_BOX,       // sides, its centre at the origin
    TD_OBSTACLE_TORUS,     // radius of the ring, in the plane z = 0, and thickness, its diameter
    TD_OBSTACLE_TUBE,      // the room that a ball sweeps on a smooth line through points; rods are
    // inside. It goes on straight beyond its ends. So do branches that begin in it.
    TD_OBSTACLE_MESH,  // a closed surface of triangles, as distances on a grid
    TD_OBSTACLE_HEIGHTFIELD  // solid below a smooth surface through heights over a rectangle; level beyond
} td_obstacle_shape;

enum { TD_MOST_BRANCHES = 16 };

typedef struct td_obstacle_def {
    const char *name;
    td_obstacle_shape shape;
    double radius, length, thickness;  // m
    double sides[3];                   // m, along x, y and z
    // (n_points x 4) x, y, z of its frame and, of a tube, the radius there. A mesh has three for each triangle,
    // counter-clockwise from outside; a heightfield a row along x for each y, both evenly spaced.
    const double *points;
    int n_points;                    // of a tube at least two
    int branches[TD_MOST_BRANCHES];  // of a tube: how many of its last points belong to each branch
    int n_branches;
    double
        resolution;  // m, of a mesh: distance of the points of its grid; 0: 1/40 of its largest side
    bool inside;     // of a sphere, cylinder, capsule, box or mesh: it is a room, solid outside

    int body;               // TD_WORLD, or the free body that carries it (then nothing is driven)
    td_number position[3];  // m, in the world or in the frame of the body
    double orientation[4];  // unit quaternion w, x, y, z
    td_number rotation[3];  // rad; as that of td_base_def

    double stiffness;  // Pa: N per metre of rod and metre of penetration; 0: chosen, as hard as the
                       // nodes of a model resolve
    double friction;   // Coulomb coefficient
    double presliding;   // m, how far what sticks gives way before it slides; 0: r/100 of the rod
    double restitution;  // 0.1 .. 1: velocity after an impact by that before; 0: 1
    double
        hard;  // m, to which it is rigid: nothing stays deeper in it than that; 0: it gives way. What hits it loses its
               // velocity towards it: it has no restitution
} td_obstacle_def;

// ---------------------------------------------------------------- contacts
// Parts of the robot that touch one another: each of these rods and bodies every other. What no contact names passes
// through. Bodies have the shape of a sphere or a capsule, and touch no rod that holds or carries them. Of two contacts that
// name the same two parts the later one counts.
typedef struct td_contact_def {
    const char *name;
    const int *rods, *bodies;  // (n_rods), (n_bodies) indices; may be NULL where there are none
    int n_rods, n_bodies;
    bool self;         // each of the rods touches itself too
    double stiffness;  // Pa: N per metre of rod and metre of penetration; 0: chosen
    double friction;   // Coulomb coefficient; what sticks gives way as it does to pressure
} td_contact_def;

// ---------------------------------------------------------------- sensors
enum { TD_MOST_PENDING = 4096 };  // readings on their way, of a delay

// What is measured, how often, and how well: tendril/loop.h reads it. A reading is the truth, plus bias, drift and noise, rounded
// to `quantum` and kept between low and high. All numbers in the unit of what is measured.
typedef struct td_sensor_def {
    const char *name;
    const char *
        measures;  // "tip.position", "rod.NAME.50 %.gauge", "tendon.NAME.tension"; "estimate.tip.position", "estimate.weight": what the estimator believes: docs/control.md
    double
        every;  // m: at every so much of the rod, which `measures` names without a place; 0: at one place
    double offset[2];  // m, of a gauge: where it sits in the section, local x and y
    double
        angle;  // rad, of a gauge: between it and the axis of the rod, towards the next side counter-clockwise
    double rate;   // Hz; 0: a reading after every step
    double delay;  // s, until a reading is there
    double noise;  // standard deviation of each reading
    double
        density;  // of white noise, per root of Hz (two-sided): a reading has this times the root of the rate
    double bias;       // what is always added
    double drift;      // random walk of the bias, per root of s
    double quantum;    // readings are whole multiples of it; 0: any number
    double low, high;  // where readings end; low = high: nowhere
} td_sensor_def;

// ---------------------------------------------------------------- controllers
// What adds to the signals of inputs in td_advance, from readings of sensors: tendril/loop.h. It acts at multiples of its period,
// at the first step that begins there or later; what it says holds from `delay` later until it says something else.
typedef enum td_controller_kind {
    TD_CONTROLLER_PID,      // u = P e + I int e dt + D de/dt, e = reference - reading
    TD_CONTROLLER_FORMULA,  // a formula of the time and of readings for each input
    TD_CONTROLLER_FEEDBACK,  // u = -K (x - x0), x the coordinates and their rates, x0 those of the last equilibrium
    TD_CONTROLLER_TRACK,  // a point follows a path, by the Jacobian of equilibria (resolved rate)
    TD_CONTROLLER_COMPUTED_TORQUE,  // coordinates follow a motion, by inverse dynamics (constant_curvature; some of rom)
    TD_CONTROLLER_CALLBACK  // a function of the program: td_set_controller
} td_controller_kind;

typedef struct td_controller_def {
    const char *name;
    td_controller_kind kind;
    const int *inputs;  // (n_inputs) indices of inputs that it adds to
    int n_inputs;
    double period, delay;  // s; period 0: at every step
    double low, high;      // what it says stays between them; low = high: anywhere
    const char
        *sensor;  // PID: a channel, "camera.x"; track: a sensor of a position, NULL: the truth
    const char *const
        *formulas;  // PID: the reference; formula: (n_inputs); track: x, y and z of the path
    int n_formulas;
    const char *const *
        coordinates;  // computed torque: (n_formulas) which coordinates follow these, `*` for any letters; others stay
    double proportional, integral, derivative;  // PID; proportional of track in 1/s
    double filter;                              // s, PID: time constant of the derivative; 0: none
    const double *
        gain;  // feedback: (n_inputs x n_columns) of coordinates, rates and, if there are as many more, of what it said last
    int n_columns;
    const char *point;  // track: "tip", "rod.NAME.50 %", "body.NAME"
    bool estimated;     // feedback, computed torque: of the coordinates that the estimator believes
} td_controller_def;

// ---------------------------------------------------------------- estimator
// What is not known of a robot that is watched, beside its shape (tendril/estimate.h): inputs, like a tension that nobody measures, or a force,
// which is a load that an input drives; and biases of sensors.
enum { TD_MOST_PLACES = 16 };

typedef struct td_unknown_def {
    const char *name;  // NULL: that of its input
    // One: this input is not known. Several, of one unit, with `places`: a force somewhere along a rod, on which each of these
    // inputs drives a load at its place, in one direction. Between two places both share it, with its resultant and
    // moment, so that the shape is that of a force there.
    int inputs[TD_MOST_PLACES];
    int n_inputs;
    double places[TD_MOST_PLACES];  // m, growing; of one input: not read
    double mean, deviation;         // before anything is measured, SI; HUGE_VAL: it may be anything
    double walk;                    // how it changes: a random walk, unit per root of s
    double place_mean, place_deviation,
        place_walk;  // of where it acts, m; HUGE_VAL: anywhere between
    // Or what is added to the readings of this sensor, a number for each of its channels ("gyro.x.bias"); of these mean, deviation and walk alone
    // are read. NULL: inputs.
    const char *bias;
} td_unknown_def;

// Coordinates count in the units in which a change is like a radian: bending by 1/length, a length by lengths.
typedef struct td_estimator_def {
    const td_unknown_def *unknowns;
    int n_unknowns;
    const char *const *sensors;  // (n_sensors) names; 0: all that have slopes and noise
    int n_sensors;
    double coordinate_noise, rate_noise;  // of the model: rad per root of s, rad/s per root of s
    double coordinate_deviation,
        rate_deviation;  // at the start, beside what unknowns do: rad, rad/s
    int iterations;      // of an update; 1: an extended Kalman filter
    double period;  // s, where sensors or controllers read it: how often it acts; 0: at every step
} td_estimator_def;

// ---------------------------------------------------------------- build and look
TD_API td_robot *td_robot_create(void);  // NULL: out of memory
TD_API void td_robot_destroy(td_robot *robot);

TD_API td_piece_def td_default_piece_def(void);
TD_API td_rod_def td_default_rod_def(void);
TD_API td_body_def td_default_body_def(void);
TD_API td_tendon_def td_default_tendon_def(void);
TD_API td_chamber_def td_default_chamber_def(void);
TD_API td_muscle_def td_default_muscle_def(void);
TD_API td_temperature_def td_default_temperature_def(void);  // at rest at 20 degC
TD_API td_stiffener_def td_default_stiffener_def(void);
TD_API td_joint_motor_def td_default_joint_motor_def(void);
TD_API td_load_def td_default_load_def(void);
TD_API td_field_def td_default_field_def(void);
TD_API td_obstacle_def td_default_obstacle_def(void);
TD_API td_contact_def td_default_contact_def(void);
TD_API td_sensor_def td_default_sensor_def(void);
TD_API td_controller_def td_default_controller_def(void);
TD_API td_unknown_def td_default_unknown_def(void);
TD_API td_estimator_def td_default_estimator_def(void);

TD_API int td_robot_add_input(td_robot *robot, const td_input_def *def, td_error *err);
TD_API int td_robot_add_rod(td_robot *robot, const td_rod_def *def, td_error *err);
TD_API int td_robot_add_body(td_robot *robot, const td_body_def *def, td_error *err);
TD_API int td_robot_add_tendon(td_robot *robot, const td_tendon_def *def, td_error *err);
TD_API int td_robot_add_chamber(td_robot *robot, const td_chamber_def *def, td_error *err);
TD_API int td_robot_add_muscle(td_robot *robot, const td_muscle_def *def, td_error *err);
TD_API int td_robot_add_temperature(td_robot *robot, const td_temperature_def *def, td_error *err);
TD_API int td_robot_add_stiffener(td_robot *robot, const td_stiffener_def *def, td_error *err);
TD_API int td_robot_add_joint_motor(td_robot *robot, const td_joint_motor_def *def, td_error *err);
TD_API int td_robot_add_load(td_robot *robot, const td_load_def *def, td_error *err);
TD_API int td_robot_add_field(td_robot *robot, const td_field_def *def, td_error *err);
TD_API int td_robot_add_obstacle(td_robot *robot, const td_obstacle_def *def, td_error *err);
TD_API int td_robot_add_contact(td_robot *robot, const td_contact_def *def, td_error *err);
TD_API int td_robot_add_sensor(td_robot *robot, const td_sensor_def *def, td_error *err);
TD_API int td_robot_add_controller(td_robot *robot, const td_controller_def *def, td_error *err);
// See td_input_def.
TD_API td_status td_robot_set_limits(td_robot *robot, int input, double low, double high,
                                     double rate, td_error *err);
// In place of the one that it has; NULL: none.
TD_API td_status td_robot_set_estimator(td_robot *robot, const td_estimator_def *def,
                                        td_error *err);
TD_API const td_estimator_def *td_robot_estimator(const td_robot *robot);  // NULL: it has none
TD_API td_status td_robot_set_name(td_robot *robot, const char *name, td_error *err);
TD_API td_status td_robot_set_gravity(td_robot *robot, const td_number gravity[3], td_error *err);
TD_API td_status td_robot_set_fluid(td_robot *robot, const td_fluid_def *def, td_error *err);
// Where a motion starts, on top of simulation.start: coordinates and their rates, SI, by the names that the
// model has for them (td_coordinate_name), in which `*` stands for any letters: rod.arm.node*.curvature_x. A later
// one goes over an earlier one. Names and closed chains are checked where a system is made and where it begins (td_begin).
TD_API td_status td_robot_set_initial(td_robot *robot, const char *name, double value,
                                      td_error *err);
TD_API td_status td_robot_set_initial_rate(td_robot *robot, const char *name, double value,
                                           td_error *err);

// All of a robot that nothing joins to the world moves as one rigid body: `linear` (m/s) is the velocity of the point
// `about` (m), `angular` (rad/s) how it turns, in the world. Rates that are set by name go over it.
TD_API td_status td_robot_set_initial_motion(td_robot *robot, const double linear[3],
                                             const double angular[3], const double about[3],
                                             td_error *err);

TD_API const char *td_robot_name(const td_robot *robot);
TD_API int td_robot_n_rods(const td_robot *robot);
TD_API int td_robot_n_inputs(const td_robot *robot);
TD_API int td_robot_n_bodies(const td_robot *robot);
TD_API int td_robot_n_tendons(const td_robot *robot);
TD_API int td_robot_n_chambers(const td_robot *robot);
TD_API int td_robot_n_muscles(const td_robot *robot);
TD_API int td_robot_n_temperatures(const td_robot *robot);
TD_API int td_robot_n_stiffeners(const td_robot *robot);  // those of temperatures among them
TD_API int td_robot_n_joint_motors(const td_robot *robot);
TD_API int td_robot_n_loads(const td_robot *robot);
TD_API int td_robot_n_fields(const td_robot *robot);
TD_API int td_robot_n_obstacles(const td_robot *robot);
TD_API int td_robot_n_contacts(const td_robot *robot);
TD_API int td_robot_n_sensors(const td_robot *robot);
TD_API int td_robot_n_controllers(const td_robot *robot);
// The section of a rod at arc length s, with its area and moments filled in; all 0 where the rod has none, but a stiffness. s is
// taken into the rod.
TD_API td_section td_robot_section(const td_robot *robot, int rod, double s);

// ---------------------------------------------------------------- files
// `sets` are "path=value" overrides, as on the command line: "rods.backbone.length=0.3 m".
// Only in builds with the file reader (TENDRIL_FILES).
TD_API td_robot *td_robot_load(const char *path, const char *const *sets, int n_sets,
                               td_error *err);
TD_API td_robot *td_robot_parse(const char *text, size_t length, const char *name,
                                const char *const *sets, int n_sets, td_error *err);
// The text the robot was read from with every override applied ("" for one built in code).
TD_API const char *td_robot_source(const td_robot *robot);
// The number, SI, that the robot's file has at a path, "rods.backbone.length". TD_ERR_VALUE: it says nothing there, or
// no plain number.
TD_API td_status td_robot_get_number(const td_robot *robot, const char *path, double *value,
                                     td_error *err);

#ifdef __cplusplus
}
#endif
