// tendril/tendril.h - mechanics of continuum and soft robots. SI units everywhere.
//
// Three objects with three lifetimes:
//   td_robot   the description: editable, what the file says            (tendril/robot.h)
//   td_system  a robot compiled under one model: immutable, shared by any number of threads
//   td_state   one trajectory's memory: one per thread, made in one allocation
#pragma once

#include "tendril/robot.h"
#include "tendril/status.h"
#include "tendril/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_system td_system;
typedef struct td_state td_state;

// ---------------------------------------------------------------- options
typedef enum td_theory { TD_COSSERAT, TD_KIRCHHOFF } td_theory;
typedef enum td_space {
    TD_SHOOTING,
    TD_COLLOCATION,
    TD_CHEBYSHEV  // Orekhov 2020: statics of Kirchhoff rods under a wrench at the tip
} td_space;
typedef enum td_integrator { TD_RK4, TD_EULER } td_integrator;
typedef enum td_history { TD_CUBIC, TD_LINEAR } td_history;  // at mid-steps of RK4
typedef enum td_solver { TD_NEWTON, TD_DOGLEG, TD_LEVENBERG_MARQUARDT } td_solver;
typedef enum td_scheme {
    TD_BACKWARD_EULER,
    TD_BDF2,
    TD_BDF_ALPHA,
    TD_TRAPEZOIDAL,
    TD_BDF3,   // unstable for weakly damped rods at small steps: see docs/models/cosserat.md
    TD_SDIRK2  // two stages, no memory of the past: steps and inputs may change at will
} td_scheme;
typedef enum td_startup {
    TD_HALF_STEPS,   // two backward-Euler half steps after every jump: keeps second order
    TD_REST_HISTORY  // y(-1) = y(0), y_t(0) = 0, as in Till 2019: first order after a jump
} td_startup;
typedef enum td_start { TD_START_STATIC, TD_START_STRAIGHT } td_start;

// What only the model virtual_power reads (Rone & Ben-Tzvi 2014). printed_*: formulas as the paper has
// them, where they differ from mechanics.
typedef enum td_contact {
    TD_CONTACT_AUTO,           // ideal where no tendon has friction, by least squares otherwise
    TD_CONTACT_LEAST_SQUARES,  // forces on the discs from the equilibrium of each tendon or rod
    TD_CONTACT_IDEAL           // virtual work of tension on the length: cheap, without friction
} td_contact;
typedef struct td_virtual_power_options {
    int discs;         // on a rod that no body rides on: so many, without mass of their own
    bool torsion;      // a twist for each subsegment too
    bool whole_discs;  // bodies include their share of the mass of core and rods
    bool rods_held;    // torsion: discs hold the tangents of rods, which bend into helices
    td_contact contact;
    bool one_direction;       // Eq. 35: contact forces only along the bending beyond each disc
    double damping;           // of the least squares, relative to the largest singular value
    int friction_iterations;  // the first without friction
    double saturation;        // m/s, sliding velocity from where friction is full
    bool printed_omega;       // Eq. 12
    bool printed_elasticity;  // Eqs. 27, 28
    bool printed_moment;      // Eqs. 39, 50
} td_virtual_power_options;

// What the lumped models eba, ebr and srl read (Sadati et al. 2019).
typedef struct td_lumped_options {
    int segments;     // of a rod on which nothing happens between its ends
    bool as_printed;  // the paper's discretisation, of first order
} td_lumped_options;

// Time integration of all models but cosserat. Steps that are chosen see the signals of inputs
// themselves under td_advance; under td_step only what is set at its ends.
typedef enum td_steps {
    TD_STEPS_FIXED,     // one implicit step of order 2, for real time
    TD_STEPS_EXPLICIT,  // SUNDIALS ARKODE, Dormand-Prince 5(4), steps chosen by the tolerances
    TD_STEPS_IMPLICIT,  // SUNDIALS CVODE, BDF
    TD_STEPS_MIDPOINT   // fixed steps that keep momentum and angular momentum to rounding, eba
} td_steps;
typedef struct td_integration_options {
    td_steps method;
    double relative, absolute;  // tolerances of chosen steps; absolute in units of the coordinates
} td_integration_options;

// What only the model constant_curvature reads (Liu & Ben-Tzvi 2020).
typedef struct td_constant_curvature_options {
    int segments;          // each stretch between ends of tendons, chambers and pieces is so many
    bool present_length;   // curvature is angle by present length, as in the paper; false: by
                           // the length at rest, as in cosserat
    bool radial_damping;   // Eq. 30: only the size of a curvature is damped, not its direction
    bool printed_scaling;  // mass, bending and damping as printed in Eqs. 5, 25 and 30
} td_constant_curvature_options;

// What only the model rom reads (Sadati et al. 2019).
typedef enum td_rom_rotation {
    TD_ROM_VECTOR,     // rotation vector: less than a turn
    TD_ROM_QUATERNION  // vector part of the quaternion, as in the paper: less than half a turn
} td_rom_rotation;
typedef enum td_rom_quadrature {
    TD_ROM_SELECTIVE,  // Gauss; shear and stretch by order + 1 points: slender rods do not lock
    TD_ROM_FULL,       // Gauss, 2 order + 4 points for everything
    TD_ROM_LEFT        // ten rectangles, as the paper's numbers were computed
} td_rom_quadrature;
typedef struct td_rom_options {
    int order;  // of the polynomials of rotation in each part of a rod, between ends of
                // pieces, tendons and chambers; those of position have one more
    td_rom_rotation rotation;
    td_rom_quadrature quadrature;
    bool as_printed;  // Eq. 4: no shear and stretch at the base
} td_rom_options;

// What only the model tubes reads.
typedef struct td_tubes_options {
    int nodes;  // Gauss nodes between two cuts: ends of tubes and pieces, and where something acts; along all that is
                // outside at least 8
} td_tubes_options;

typedef struct td_options {  // start from td_default_options() or td_robot_options()
    char model[32];          // "cosserat"; see td_model_name()
    td_theory theory;
    bool rotary_inertia;  // inertia of the section against rotation
    td_space space;
    td_integrator integrator;
    td_history history;
    int steps;     // shooting: integration steps along each rod
    int elements;  // collocation: equal parts of each rod, with `nodes` in each; 0: one, and where
                   // there are obstacles 16 with half the nodes
    int nodes;     // collocation: Gauss nodes along each rod without cuts;
                   // chebyshev: zeros of the polynomial
    int magnus;    // collocation, chebyshev: order of the Magnus steps, 4 or 6
    double accuracy;  // collocation: > 0 chooses the nodes so that equilibria under the
                      // signals of the run are resolved to this angle, rad
    td_scheme scheme;
    double alpha;  // BDF-alpha: 0 is BDF2, -0.5 the trapezoidal rule
    td_startup startup;
    td_solver solver;    // shooting: what comes first; the others are its fallbacks
    double tolerance;    // on the scaled residual, dimensionless
    int max_iterations;  // of one attempt at a solve; there are at most a handful of attempts
    int seed;            // of the noise of sensors
    int threads;         // cosserat: that work on the rods of one assembly; the result is the same
                         // to the bit. More than 1: only in states that td_state_create made
    td_virtual_power_options virtual_power;
    td_lumped_options lumped;
    td_integration_options integration;
    td_constant_curvature_options constant_curvature;
    td_rom_options rom;
    td_tubes_options tubes;
    unsigned cookie;  // set by td_default_options()
} td_options;

// What a run does with the robot; the file's `simulation` and `record`.
#define TD_RECORD_POSE 1u
#define TD_RECORD_STRAIN 2u
#define TD_RECORD_WRENCH 4u
#define TD_RECORD_VELOCITY 8u
#define TD_RECORD_ENERGY 16u
#define TD_RECORD_INPUTS 32u
#define TD_RECORD_TENDONS 64u
#define TD_RECORD_CHAMBERS 128u
#define TD_RECORD_BODIES 256u
#define TD_RECORD_REACTIONS 512u
#define TD_RECORD_CONTACT 1024u
#define TD_RECORD_SENSORS 2048u
#define TD_RECORD_MUSCLES 4096u
#define TD_RECORD_TEMPERATURES 8192u
#define TD_RECORD_STIFFENERS 16384u
#define TD_RECORD_JOINT_MOTORS 32768u
typedef struct td_scenario {
    double step, end;  // s
    td_start start;
    double record_every;  // s; 0: every step
    int record_points;    // points along each rod
    unsigned record_fields;
} td_scenario;

TD_API td_options td_default_options(void);  // the cookie catches options not made here
// The options by number and by path, for programs that list them.
typedef struct td_option {
    const char *path;             // in the robot file: "simulation.time.scheme"; NULL past the last
    const char *unit, *fallback;  // SI or ""; its default as the file writes it
    const char *text;             // what it means, one line
} td_option;
TD_API td_option td_option_at(int index);
// Its value as the file would write it, "bdf-alpha"; NULL: there is no option of this path.
TD_API const char *td_get_option(const td_options *options, const char *path, char *text,
                                 size_t size);
// Does the model of these options read it, given the others? "simulation.space.nodes": cosserat does, but
// for shooting.
TD_API bool td_reads_option(const td_options *options, const char *path);
TD_API td_options td_robot_options(const td_robot *robot);  // what the file asks for
TD_API td_scenario td_robot_scenario(const td_robot *robot);
// The robot as the text of a file, whether it was read or built in code, with these options and this scenario (NULL:
// its own): what is read from it is this robot, but for inputs that drive nothing, which a file does not have; inputs are
// numbered by their first use there. td_free_text frees it. NULL on failure.
TD_API char *td_robot_write(const td_robot *robot, const td_options *options,
                            const td_scenario *scenario, td_error *err);
TD_API void td_free_text(char *text);

// ---------------------------------------------------------------- system
TD_API td_system *td_system_create(const td_robot *robot, const td_options *options,
                                   td_error *err);                    // NULL on failure
TD_API void td_system_destroy(td_system *system);                     // NULL is fine
TD_API const td_options *td_system_options(const td_system *system);  // as compiled

// What the model only approximates in this robot, "loads.twist.moment: ...", and what is worth a second
// look, like a table that makes a base jump in velocity, "inputs.lift: ..."; NULL past the last.
TD_API const char *td_system_note(const td_system *system, int index);

TD_API int td_n_rods(const td_system *system);
TD_API const char *td_rod_name(const td_system *system, int rod);
TD_API double td_rod_length(const td_system *system, int rod);
// The stretch of a rod at rest, from ends[0] to ends[1], m, that gets longer when it is fed (td_rod_def.feed); of a rod that
// is not fed none: both are its length.
TD_API void td_rod_growing(const td_system *system, int rod, double ends[2]);
TD_API bool td_rod_tip_held(const td_system *system, int rod);      // false: it is free
TD_API int td_find_rod(const td_system *system, const char *name);  // -1: none
TD_API int td_n_bodies(const td_system *system);                    // riding and free
TD_API const char *td_body_name(const td_system *system, int body);
TD_API bool td_body_is_held(const td_system *system,
                            int body);  // by the world or another body: td_body_def.hold
TD_API int td_find_body(const td_system *system, const char *name);  // -1: none
TD_API int td_n_tendons(const td_system *system);
TD_API const char *td_tendon_name(const td_system *system, int tendon);
TD_API int td_find_tendon(const td_system *system, const char *name);  // -1: none
TD_API int td_n_chambers(const td_system *system);
TD_API const char *td_chamber_name(const td_system *system, int chamber);
TD_API int td_find_chamber(const td_system *system, const char *name);  // -1: none
TD_API int td_n_muscles(const td_system *system);
TD_API const char *td_muscle_name(const td_system *system, int muscle);
TD_API int td_find_muscle(const td_system *system, const char *name);  // -1: none
TD_API int td_n_temperatures(const td_system *system);
TD_API const char *td_temperature_name(const td_system *system, int temperature);
TD_API int td_find_temperature(const td_system *system, const char *name);  // -1: none
TD_API int td_n_stiffeners(const td_system *system);  // those of temperatures among them
TD_API const char *td_stiffener_name(const td_system *system, int stiffener);
TD_API int td_find_stiffener(const td_system *system, const char *name);  // -1: none
TD_API int td_n_joint_motors(const td_system *system);
TD_API const char *td_joint_motor_name(const td_system *system, int motor);
TD_API int td_find_joint_motor(const td_system *system, const char *name);  // -1: none
// All actuators, by kind in the order of td_actuator_kind_at: tendons first.
TD_API int td_n_actuators(const td_system *system);
TD_API const char *td_actuator_name(const td_system *system, int actuator);
TD_API const td_actuator_kind *td_actuator_kind_of(const td_system *system, int actuator);
TD_API int td_n_inputs(const td_system *system);
TD_API const char *td_input_name(const td_system *system, int input);
TD_API const char *td_input_unit(const td_system *system, int input);
TD_API int td_find_input(const td_system *system, const char *name);  // -1: none
TD_API int td_n_obstacles(const td_system *system);
TD_API const char *td_obstacle_name(const td_system *system, int obstacle);
TD_API int td_find_obstacle(const td_system *system, const char *name);  // -1: none
TD_API int td_n_contacts(const td_system *system);                       // see td_contact_def
TD_API const char *td_contact_name(const td_system *system, int contact);
TD_API int td_find_contact(const td_system *system, const char *name);  // -1: none

// ---------------------------------------------------------------- state
TD_API size_t td_state_bytes(const td_system *system);  // bring your own memory ...
// NULL: too few bytes, options that need memory of another library (integrators of SUNDIALS), or sensors or controllers that read an estimator.
TD_API td_state *td_state_init(const td_system *system, void *memory, size_t bytes);
TD_API td_state *td_state_create(const td_system *system);  // ... or let us allocate once
TD_API void td_state_destroy(td_state *state);              // frees only what create allocated
TD_API void td_state_reset(const td_system *system, td_state *state);  // rest shape, time 0

// A call that may take seconds asks `asked` whether to end: before every evaluation of a step that
// SUNDIALS chooses, before every step of a path of equilibria. true ends it with TD_ERR_STOPPED, and it
// should stay true until then. NULL: nobody is asked.
TD_API void td_set_stop(td_state *state, bool (*asked)(void *context), void *context);

// Everything that decides the future of a trajectory, to the bit, with a checksum. A snapshot of
// other parts, options or inputs, or of another version of the library, is TD_ERR_ARGUMENT: only
// tolerances, signals, gravity and the sizes of loads may differ. A damaged one is TD_ERR_VALUE, or
// TD_ERR_NOT_FINITE. The state is then as it was.
TD_API size_t td_snapshot_bytes(const td_system *system);
TD_API td_status td_state_save(const td_system *system, const td_state *state, void *buffer,
                               size_t bytes);
TD_API td_status td_state_restore(const td_system *system, td_state *state, const void *buffer,
                                  size_t bytes);

// ------------------------------------------------- real-time section
// Nothing below allocates, locks, prints or reads a clock; work per call is bounded. A call that
// fails leaves the state as it was.

// Inputs. The rate matters only where an input moves a base; when it is not set, the change since
// the last step divided by the step is used.
TD_API td_status td_set_input(const td_system *system, td_state *state, int input,
                              double value);  // SI; not finite: refused
TD_API td_status td_set_input_rate(const td_system *system, td_state *state, int input,
                                   double rate);
TD_API double td_get_input(const td_system *system, const td_state *state, int input);
// Every input from its own signal at time t.
TD_API td_status td_apply_signals(const td_system *system, td_state *state, double t, td_side side);

// Begins as the file says: inputs as just before time 0, at rest in equilibrium or straight
// (simulation.start), then with the coordinates and rates that `initial` names. What `tendril run` does first.
TD_API td_status td_begin(const td_system *system, td_state *state);
// That last part alone, from the shape that is there; the others stay. td_n_initial: so many coordinates and rates are
// given, 0: nothing changes.
TD_API td_status td_apply_initial(const td_system *system, td_state *state);
TD_API int td_n_initial(const td_system *system);
// Equilibrium under the present inputs, from the present shape where that leads to a stable one,
// otherwise by following the load from zero. Velocities, energies and history start anew; time stays.
// TD_BIFURCATION: the path lost its stability at td_get_stats()->bifurcation of the load.
TD_API td_status td_solve_statics(const td_system *system, td_state *state);
// One implicit step of dt > 0; the inputs set now are those at its end. Time advances by dt.
// TD_LOOSE: done, but round-off stopped it above the tolerance. Bounded work: at most a few times
// options.max_iterations evaluations of each rod, ten times where a violent motion makes cosserat
// take the step in parts; of steps chosen by SUNDIALS, seconds.
TD_API td_status td_step(const td_system *system, td_state *state, double dt);
// A load or input jumps now: the next step starts afresh, which keeps the scheme's order. So does a
// kink in what moves a base or feeds a rod; with the trapezoidal rule also of a displacement or a
// volume, whose effort would ring for ever. td_advance knows the jumps and kinks of signals.
// Follows td_solve_statics and td_state_reset by itself.
TD_API void td_restart(const td_system *system, td_state *state);
// The clock reads t from now on, where a state joins a run that has begun, or a run is counted from elsewhere. What has passed stays so long ago:
// readings and commands on their way arrive as they would have, drifts and integrals go on. What happens at multiples of a period does so by the new clock: sensors,
// controllers, their formulas, and the signals of td_advance, to which inputs jump there (td_restart follows by itself). Shape and inputs stay. Not finite: refused.
TD_API td_status td_set_time(const td_system *system, td_state *state, double t);
// One step of dt that follows the signals of the inputs and is split where they jump.
TD_API td_status td_advance(const td_system *system, td_state *state, double dt);

typedef struct td_pose {
    double p[3];  // m, world
    double q[4];  // unit quaternion w, x, y, z
} td_pose;

typedef struct td_sample {  // the rod at one arc length; body frame, (angular, linear)
    td_pose pose;
    double strain[6];    // u [1/m], v [1]
    double wrench[6];    // internal: moment [N m], force [N]
    double velocity[6];  // angular [rad/s], linear [m/s]
    // Of obstacles and other parts; 0 where there are none.
    double gap;         // m, from its surface to the nearest; negative: how deep it is pressed in
    double pressure;    // N/m, along the rod: what the node nearby carries, over its stretch
    double contact[3];  // N/m, with friction: force on the rod, world
} td_sample;

typedef struct td_energy {  // J
    double kinetic;         // with that of fluid that moves along, of rotors and currents of motors
    double gravity;         // of weight, of what a fluid carries, and of magnets in fields
    double elastic;         // of rods and tendons, and of gas in chambers
    double dissipated;  // by material damping, drag and friction since the start, and in motors and
                        // valves; in eba also where a tendon that does not stretch snaps taut
    double work;  // done by loads, actuators and base motion since the start; of actuators with
                  // a motor or valve what feeds that
} td_energy;

// td_stats.resolution above this deserves a word: statics then returns TD_LOOSE.
#define TD_COARSE 0.01  // rad

typedef struct td_stats {  // of the last solve or step
    int iterations;        // corrections
    int evaluations;       // of a rod: integrations, or iterates of collocation
    int jacobians;         // of these, with the variational equations
    int fallbacks;         // times plain Newton was not enough
    int load_steps;        // of load continuation; 0: the direct solve worked
    double residual;       // what was compared with the tolerance: the scaled residual of shooting,
                           // the next correction of collocation
    double condition;      // estimate for the last shooting matrix; 0: not computed
    double
        resolution;  // rad: by how much directions are off, within a factor of a few: collocation,
                     // between its nodes; rom, at rest; of eba, ebr, srl the share by which the
                     // most bent segment is taken too long; 0: not known
    double load_reached;  // fraction of the load reached by continuation
    int slack;            // tendons that are slack
    double bifurcation;   // fraction of the load where it crossed a bifurcation; 0: it did not
} td_stats;

TD_API double td_get_time(const td_system *system, const td_state *state);  // s
// The rod at arc length s of the undeformed rod; s is clamped to [0, length], and a rod that does not
// exist gives the identity.
TD_API td_pose td_get_pose(const td_system *system, const td_state *state, int rod, double s);
TD_API td_sample td_get_sample(const td_system *system, const td_state *state, int rod, double s);
// The length of a rod outside its base now: td_rod_length plus what is fed.
TD_API double td_get_length(const td_system *system, const td_state *state, int rod);
// The arc length now of what is at s, m, of a rod at rest: as much as is fed is added beyond the stretch that gets longer
// (td_rod_def.feed), and in proportion within it. s itself where nothing is fed.
TD_API double td_get_place(const td_system *system, const td_state *state, int rod, double s);

typedef struct td_tendon_state {
    double tension;       // N, at its start
    double end_tension;   // N, where it is fixed
    double length;        // m, of its path along the rod
    double displacement;  // m, pulled out at its start since the rest shape
    bool slack;
} td_tendon_state;

typedef struct td_chamber_state {
    double pressure;  // Pa above the atmosphere
    double volume;    // m^3
    double amount;    // mol, of a gas; 0 for a fluid that does not compress
} td_chamber_state;

typedef struct td_body_state {
    td_pose pose;        // of its frame
    double velocity[6];  // body frame: angular [rad/s], linear [m/s]
    bool attached;
} td_body_state;

TD_API td_actuator_state td_get_actuator(const td_system *system, const td_state *state,
                                         int actuator);
TD_API double td_get_effort(const td_system *system, const td_state *state, int actuator,
                            double s);  // at arc length s of its rod; 0 where it does not run
// Where it runs, m in the world: x = 0 where it begins, 1 where it ends.
TD_API void td_get_actuator_point(const td_system *system, const td_state *state, int actuator,
                                  double x, double p[3]);
// The same in the words of each kind, counted within it.
TD_API td_tendon_state td_get_tendon(const td_system *system, const td_state *state, int tendon);
TD_API double td_get_tension(const td_system *system, const td_state *state, int tendon,
                             double s);  // N at arc length s of its rod; 0 where it does not run
// Where it runs, m in the world: x = 0 where it enters the rod, 1 where it is fixed.
TD_API void td_get_tendon_point(const td_system *system, const td_state *state, int tendon,
                                double x, double p[3]);
TD_API td_chamber_state td_get_chamber(const td_system *system, const td_state *state, int chamber);
TD_API td_body_state td_get_body(const td_system *system, const td_state *state, int body);

typedef struct td_reaction {  // a wrench, world axes
    double moment[3];         // N m, about the point where it acts
    double force[3];          // N
} td_reaction;
// What an end of a rod is held by exerts on it: the world, or the body that it stands on or is joined
// to. It carries the rod with its loads, weight and inertia; tendons that are pulled out there and
// pressure are part of it. 0 at a free tip. Of the last equilibrium or step, with its inputs.
TD_API td_reaction td_get_reaction(const td_system *system, const td_state *state, int rod,
                                   td_end end);
// What rods and other bodies exert on a body, about its origin: the rod that it rides on, or all that hold it or stand
// on it. 0 for a body that is not attached.
TD_API td_reaction td_get_body_reaction(const td_system *system, const td_state *state, int body);
// What holds a body, the world or another body (td_body_def.hold), exerts on it, about its origin: what a drive does is
// the moment about its axis, or the force along it. 0 where nothing holds it but rods.
TD_API td_reaction td_get_hold_reaction(const td_system *system, const td_state *state, int body);

// Contact with obstacles, and of parts with one another, of the last equilibrium or step.
typedef struct td_contact_point {
    int rod;           // what touches: a rod at s, or
    int body;          // a body; the other is -1
    double s;          // m
    int obstacle;      // what is touched; -1: another part, or the same rod elsewhere,
    int contact;       // by this td_contact_def; -1: an obstacle
    int other_rod;     // the rod that is touched, at other_s, or
    int other_body;    // the body; both -1: an obstacle
    double other_s;    // m
    double length;     // m of the rod that it stands for; 0: a point
    double point[3];   // m, world, on the surface of the rod
    double normal[3];  // of unit length, away from what is touched
    double gap;        // m; negative: how deep it is pressed in
    double force[3];   // N, on the robot: pressure and friction
} td_contact_point;
// Fills the first `most` of all points that touch, those on obstacles first, rod by rod from base to tip, then those between
// parts, each from both sides, one after the other; returns how many there are. points may be NULL where most is 0.
TD_API int td_get_contacts(const td_system *system, const td_state *state, td_contact_point *points,
                           int most);
// What the robot exerts on an obstacle, about the origin of its frame, which is at the pose.
TD_API td_reaction td_get_obstacle_wrench(const td_system *system, const td_state *state,
                                          int obstacle);
TD_API td_pose td_get_obstacle_pose(const td_system *system, const td_state *state, int obstacle);
// m, of a point of the world from an obstacle; negative inside it (outside a room). normal (may be NULL):
// its gradient, which points away from the obstacle.
TD_API double td_get_distance(const td_system *system, const td_state *state, int obstacle,
                              const double p[3], double normal[3]);
TD_API td_energy td_get_energy(const td_system *system, const td_state *state);  // of all rods
TD_API const td_stats *td_get_stats(const td_state *state);  // of the last call that computed
TD_API const char *td_message(const td_state *state);  // of the last call, in words; "" if fine

// ---------------------------------------------------------------- derivatives of equilibria
// How the equilibrium answers, at arc length s of a rod: rows are rotation (rad), then translation
// (m), in the world frame. A point of a rod that is fed keeps its share of the length: the tip
// stays the tip. For the state that td_solve_statics left, or quasi-statically for the present
// shape. The state serves as scratch and is put back. TD_ERR_UNSUPPORTED where the scheme has no
// derivatives (collocation has).
TD_API td_status td_get_jacobian(const td_system *system, td_state *state, int rod, double s,
                                 double *J);  // (6 x n_inputs) against the inputs
// Of all that only a part: the rows of translation, some of the inputs. Cheaper by what is left out.
typedef struct td_jacobian_part {
    int body;            // a free body, or -1: the point s of a rod
    int rod;             //
    double s;            // m
    bool position_only;  // 3 rows instead of 6
    const int *inputs;   // (n_inputs) the columns; NULL: all inputs, in order
    int n_inputs;
} td_jacobian_part;
TD_API td_status td_get_jacobian_part(const td_system *system, td_state *state,
                                      const td_jacobian_part *part, double *J);  // (rows x columns)
TD_API td_status td_get_compliance(const td_system *system, td_state *state, int rod, double s,
                                   int load_rod, double load_s,
                                   double C[36]);  // (6 x 6) against a wrench (moment, force)
// Against any parameter of the description: `plus` and `minus` are systems of the same robot with the
// parameter changed by + step and - step. Point s keeps its share of the rod's length.
TD_API td_status td_get_sensitivity(const td_system *system, td_state *state, const td_system *plus,
                                    const td_system *minus, double step, int rod, double s,
                                    double out[6]);

// The same for a free body, whose frame takes the place of the point on a rod.
TD_API td_status td_get_body_jacobian(const td_system *system, td_state *state, int body,
                                      double *J);
TD_API td_status td_get_body_compliance(const td_system *system, td_state *state, int body,
                                        double C[36]);  // against a wrench on the body itself

// ---------------------------------------------------------------- stability
// The second variation of the energy at the present equilibrium, in units of the stiffness of the
// rods: 1 without load, 0 where stability is lost or something moves freely (below 1e-8), negative
// beyond. The smallest is what decides.
// Where loads have no energy (moments, loads that follow) it is the smallest real part of an eigenvalue
// of the tangent, which tells of divergence, not of flutter (td_message says so); friction: TD_ERR_UNSUPPORTED. -1 where it is
// unstable and the number is not to be had: below -1000, or rods that fall without bending.
TD_API td_status td_get_stability(const td_system *system, td_state *state, double *smallest);

// ---------------------------------------------------------------- inverse statics
// Which inputs bring a point to a pose, in equilibrium? Starts from the present inputs and shape and
// leaves both at the answer; on failure as they were. Rotation and position, or position alone.
typedef struct td_target {
    int body;  // a free body, or -1: a point on a rod
    int rod;
    double s;      // before; on a rod that is fed the point keeps its share of the length
    td_pose pose;  // wanted, world
    bool position_only;
} td_target;
// Of the `n` inputs named, more than needed: the smallest change; fewer: the best fit, TD_LOOSE.
TD_API td_status td_solve_inverse(const td_system *system, td_state *state, const td_target *target,
                                  const int *inputs, int n);

// ---------------------------------------------------------------- coordinates
// A motion is decided by coordinates and their rates (and, with friction, by how tendons stick).
// cosserat, with collocation (other spatial schemes: TD_ERR_UNSUPPORTED): of each rod the strain (u, v less
// those at rest; kirchhoff: u) at its Gauss nodes from base to tip, rod after rod of what hangs together; then of
// each free body and hinge rotation vector and position, whose rates are the angular velocity in its
// axes and the velocity in the world: docs/models/cosserat.md.
// eba: of each node rotation vector and position, with such rates. ebr, srl: of each segment its
// coordinates: docs/models/lumped.md.
// constant_curvature: of each segment u_x, u_y (rad: how far it bends towards x and y of its base) and its
// length l (m; not for kirchhoff), from base to tip, rod after rod.
// virtual_power: of each subsegment the curvatures beta and gamma (1/m), with torsion the twist (rad).
// rom: of each rod the coefficients of position (in units of its length), then of rotation:
// docs/models/rom.md.
// Behind those of the shape, of motors and valves in the order of their actuators: the angle of the spool or pump (rad),
// the current of a coil that has an inductance (A), what a valve has let in (mol or m^3): docs/control.md.
TD_API int td_n_coordinates(const td_system *system);  // 0: it has none
// "rod.arm.node3.curvature_x", "body.plate.rotation_x", and "1/m", "rad", "1" (none); rates are in these
// per second. NULL outside 0 .. n - 1. docs/models/ has the words of each model.
TD_API const char *td_coordinate_name(const td_system *system, int index);
TD_API const char *td_coordinate_unit(const td_system *system, int index);
TD_API int td_find_coordinate(const td_system *system, const char *name);  // -1: none
TD_API td_status td_get_coordinates(const td_system *system, const td_state *state, double *q,
                                    double *q_t);  // (n each) q_t may be NULL
// Puts the robot there, in equilibrium or not; q_t NULL: without motion. Currents and fluids have the rates that they must
// have. Energies and history start anew; time stays. Efforts of what stretches follow from the shape; those of what does
// not, or rubs, of motors and valves, and reactions come with the next step or equilibrium. A closed chain must be closed:
// TD_ERR_ARGUMENT.
TD_API td_status td_set_coordinates(const td_system *system, td_state *state, const double *q,
                                    const double *q_t);
// Computed torque: which generalised forces (n; N m, and N for lengths) must actuators give for this
// motion, under the present gravity and loads? The state serves as scratch and is put back.
TD_API td_status td_inverse_dynamics(const td_system *system, td_state *state, const double *q,
                                     const double *q_t, const double *q_tt, double *forces);
// The same as tensions of all tendons, which do not push, then pressures of all chambers: the smallest that do it. TD_LOOSE:
// they come closest.
TD_API td_status td_inverse_efforts(const td_system *system, td_state *state, const double *q,
                                    const double *q_t, const double *q_tt, double *efforts);

// Puts a rod, at rest, where points on it were measured: of all shapes that come near them, the one of
// least elastic energy. points (n x 3), m, world; s (n) their arc lengths, or NULL: they go from the base
// to the tip, by their distances. Few points are fine. The other rods stay; energies and history start
// anew. td_get_stats()->residual: root mean square distance left, m. Models that have it: rom.
TD_API td_status td_fit_shape(const td_system *system, td_state *state, int rod,
                              const double *points, const double *s, int n);

// ---------------------------------------------------------------- derivatives of motion
// About any state, in equilibrium or moving, small motions obey
//
//     M z'' + D z' + K z = B u + B1 u' + B2 u''
//     y = C z + C1 z' + C2 z'' + F u + F1 u' + F2 u''
//
// z: changes of the n_coordinates coordinates (td_get_coordinates; of a frame, whose coordinates begin with a
// rotation vector, a small rotation and a translation in the world), then of n_multipliers
// efforts and reactions that are not given, whose rows are the equations that hold them: M and D
// have no such rows and columns. Materials that relax add n_flows coordinates behind the others, which
// td_get_coordinates does not have: strains that have flowed, of first order. u: changes of all inputs; their rates
// count where they move bases. y:
// changes of the outputs that are named. All row major. K and M are symmetric where forces have a potential.
// The equations are those of td_step without its time formula: in models where rigid actuators give a
// little in motion they do so here.
typedef enum td_quantity {
    TD_OUTPUT_POSE,      // 6: rotation (rad), translation (m); world
    TD_OUTPUT_VELOCITY,  // 6: angular (rad/s), linear (m/s); world
    TD_OUTPUT_STRAIN,    // 6: of a rod, u (1/m), v
    TD_OUTPUT_EFFORT,    // 1: of an actuator, at its start: tension (N), pressure (Pa)
    TD_OUTPUT_MEASURE,   // 1: of an actuator: length (m), volume (m^3)
    TD_OUTPUT_REACTION,  // 6: of an end of a rod, moment (N m), force (N); world: td_get_reaction
    TD_OUTPUT_DRIVE  // 5: of a motor or valve, angle (rad), speed (rad/s), current (A), torque (N m),
                     // flow (mol/s or m^3/s): td_get_drive
} td_quantity;
typedef struct td_output {
    td_quantity quantity;
    int body;      // pose, velocity: a body, riding or free; -1: the point s of a rod
    int rod;       // pose, velocity, strain, reaction
    double s;      // m; while a rod is fed the point keeps its share of the length
    td_end end;    // reaction
    int actuator;  // effort, measure, drive
} td_output;
TD_API int td_output_size(td_quantity quantity);  // 6, 5 or 1; 0: there is no such

// Outputs by the names that results have: tip.pose, tip.x (of the only rod); rod.NAME.PLACE.pose with
// a PLACE like tip, base, 0.2 m or 50 %; velocity, strain; rod.NAME.base_reaction, tip_reaction;
// body.NAME.pose, velocity; tendon.NAME.tension, length; chamber.NAME.pressure, volume. A component
// in place of the whole: turn_x, x; omega_x, velocity_x; u_x, v_x; base_reaction.moment_x, force_x.
typedef struct td_named_output {
    td_output output;
    int first, n;          // the rows that are meant: all of td_output_size, three or one
    char names[6][128];    // (n) "tip.x"
    const char *units[6];  // (n) "m"; "1": none
} td_named_output;
// TD_ERR_ARGUMENT: there is no such output; err says what there is.
TD_API td_status td_find_output(const td_system *system, const char *name, td_named_output *found,
                                td_error *err);

typedef struct td_linear {
    int n_coordinates, n_multipliers, n_inputs, n_outputs;  // n = coordinates and multipliers
    const double *M, *D, *K;                                // (n x n)
    const double *B, *B1, *B2;                              // (n x n_inputs)
    const double *C, *C1, *C2;                              // (n_outputs x n)
    const double *F, *F1, *F2;                              // (n_outputs x n_inputs)
    const double *z_tt;  // (n) accelerations of the state itself; 0 in equilibrium
    const char *
        note;  // what was held as it is, in words: friction, contact, a motor that sticks; "": nothing
    int n_flows;  // the last of the coordinates: strains that have flowed in materials that relax
} td_linear;

// Room for the matrices of a system, all of it allocated here. NULL: out of memory, or an output that is
// not there, with err filled. n_outputs 0: none.
typedef struct td_linearisation td_linearisation;
TD_API td_linearisation *td_linearisation_create(const td_system *system, const td_output *outputs,
                                                 int n_outputs, td_error *err);
TD_API void td_linearisation_destroy(td_linearisation *l);  // NULL is fine
// Linearises about the state, with the inputs of its last equilibrium or step; the state serves as
// scratch and is put back. TD_ERR_UNSUPPORTED: spatial schemes other than collocation, rods that are fed
// in states that move, contact in models that have no slopes of it. In words: td_message.
TD_API td_status td_linearise(const td_system *system, td_state *state, td_linearisation *l);
TD_API const td_linear *td_get_linear(const td_linearisation *l);  // of the last td_linearise
// Why one of the questions below, which are asked of the linearisation alone, failed: value and expectation. "" if fine.
TD_API const char *td_linearisation_message(const td_linearisation *l);

typedef enum td_mode_kind {
    TD_MODE_OSCILLATES,  // a complex pair that decays, or keeps its size
    TD_MODE_DECAYS,      // real: overdamped
    TD_MODE_NEUTRAL,     // 0: moves freely
    TD_MODE_DIVERGES,    // real and positive: falls, buckles
    TD_MODE_FLUTTERS     // a complex pair that grows
} td_mode_kind;
typedef struct td_mode {
    td_mode_kind kind;
    double re, im;     // 1/s: motions are exp(s t), s = re + i im, im >= 0; a pair counts once
    double frequency;  // Hz, |s|/2 pi: the natural frequency
    double damping;    // -re/|s|; 1 and -1 where s is real; 0 of what is neutral
} td_mode;
// Solves for the modes of the last td_linearise, sorted by frequency: the n with the least |s|, or all, n = 0. Few of
// many are found much faster, but tell nothing of the others: one of those may flutter. TD_ERR_VALUE where the state
// was no equilibrium (on a base that turns steadily: of a rod that stands still on it).
// TD_ERR_SINGULAR: not found.
TD_API td_status td_solve_modes(td_linearisation *l, int n);
TD_API int td_n_modes(const td_linearisation *l);
TD_API td_mode td_get_mode(const td_linearisation *l, int mode);
// Its shape: complex amplitudes, real and imaginary parts side by side, of z (2 n) and of the
// outputs (2 n_outputs); either may be NULL. Largest change of a coordinate, in radians or lengths: 1, and real.
TD_API td_status td_get_mode_shape(td_linearisation *l, int mode, double *z, double *y);
// What the outputs do under inputs exp(i omega t), omega in rad/s: H (n_outputs x n_inputs), complex.
TD_API td_status td_get_frequency_response(td_linearisation *l, double omega, double *H);

// The derivative of one td_step of dt at the equilibrium of the last td_linearise, in the scheme of the
// system, after steps of the same size:
//
//     x+ = A x + B u+ + B0 u,     y+ = C x + D u+ + D0 u
//
// with the inputs u when it begins, u+ when it ends, and the outputs when it ends. x: z of the coordinates,
// then z'; the schemes of cosserat that remember more add it: z'' (trapezoidal), z and z' one step
// back (BDF2), two steps back (BDF3), in this order z, z', z_1, z'_1, .., z''.
typedef struct td_step_map {
    int n_states;
    const double *A;       // (n_states x n_states)
    const double *B, *B0;  // (n_states x n_inputs)
    const double *C;       // (n_outputs x n_states)
    const double *D, *D0;  // (n_outputs x n_inputs)
    const double *
        rates;  // (n_states x n_inputs) against the rates of inputs when the step begins; NULL: they do
                // not count
    const double *output_rates;  // (n_outputs x n_inputs) of outputs, likewise
} td_step_map;
// TD_ERR_VALUE: the state was no equilibrium. TD_ERR_UNSUPPORTED: inputs that move bases, steps that are chosen, materials
// that relax.
TD_API td_status td_solve_step_map(td_linearisation *l, double dt);
TD_API const td_step_map *td_get_step_map(const td_linearisation *l);  // NULL: none
// Takes a step from any state, in motion or at rest, as td_step does, to the bit; td_get_step_map then is the
// derivative of this very step: of its scheme, of jumps (td_restart), of parts in which it was
// taken. x of frames: a rotation and a translation in the world; and their rates, which are the changes of the rates
// that td_get_coordinates gives, those of rotation turned into the world. What the schemes of cosserat
// remember beside is in their own numbers; then come grips of tendons that rub there, and last slip and greatest depth
// at each point that rubs on obstacles, as it sticks or slides now; then, in materials that relax, the strains of the springs
// of all terms, which are 0 where all has flowed. Rates of inputs at its end are taken for (u+ - u)/dt. TD_ERR_UNSUPPORTED:
// steps that are chosen; lengths and volumes of actuators where sections follow the mean stretch; friction of tendons by
// their speed, or on rods that are fed or whose sections follow the mean stretch, in cosserat; friction between parts,
// and on obstacles that move; contact in rom and constant_curvature; hysteresis and superelastic alloys; reactions as outputs
// in materials that relax. The state is then as it was. td_get_linear is NULL afterwards.
TD_API td_status td_differentiate_step(const td_system *system, td_state *state, double dt,
                                       td_linearisation *l);
// The same against the inputs when the step ends alone: the dynamic Jacobian, D of td_get_step_map, which has nothing
// else. For rods of cosserat without joints and up to 8 inputs that give efforts and loads it costs a few steps, whatever
// the number of coordinates, and the step is that of td_step to its tolerance, not to the bit; other robots and models
// take all of td_differentiate_step.
TD_API td_status td_differentiate_step_by_inputs(const td_system *system, td_state *state,
                                                 double dt, td_linearisation *l);

// ---------------------------------------------------------------- models
typedef enum td_feature {
    TD_FEATURE_STATICS,
    TD_FEATURE_DYNAMICS,
    TD_FEATURE_SHEAR_EXTENSION,
    TD_FEATURE_KIRCHHOFF,
    TD_FEATURE_PRE_CURVATURE,
    TD_FEATURE_PIECES,
    TD_FEATURE_POINT_LOADS,
    TD_FEATURE_DISTRIBUTED_LOADS,
    TD_FEATURE_FOLLOWER_LOADS,
    TD_FEATURE_DRAG,
    TD_FEATURE_BASE_MOTION,
    TD_FEATURE_MANY_RODS,
    TD_FEATURE_TENDONS,
    TD_FEATURE_TENDON_FRICTION,
    TD_FEATURE_CHAMBERS,
    TD_FEATURE_MOTORS,        // td_motor_def, on tendons and push rods
    TD_FEATURE_VALVES,        // td_valve_def, and pumps of chambers
    TD_FEATURE_MUSCLES,       // td_muscle_def
    TD_FEATURE_TEMPERATURES,  // td_temperature_def
    TD_FEATURE_STIFFENERS,    // td_stiffener_def, and moduli that follow a temperature
    TD_FEATURE_BODIES,
    TD_FEATURE_JOINTS,             // rods held by free bodies, or at both ends
    TD_FEATURE_FEED,               // rods pushed out of their base
    TD_FEATURE_RUBBER,             // td_piece_def.law
    TD_FEATURE_FIBRES,             // td_piece_def.law: rubber in every fibre
    TD_FEATURE_SUPERELASTIC,       // td_piece_def.superelastic
    TD_FEATURE_HYSTERESIS,         // td_piece_def.hysteresis
    TD_FEATURE_RELAXATION,         // td_piece_def.relaxation
    TD_FEATURE_POWER_DAMPING,      // td_piece_def.damping_power
    TD_FEATURE_MEAN_STRETCH,       // td_rod_def.mean_stretch
    TD_FEATURE_COUPLED_SECTIONS,   // td_piece_def.stiffness_matrix
    TD_FEATURE_OBSTACLES,          // contact of rods with obstacles
    TD_FEATURE_BODY_CONTACT,       // and of bodies that have a surface
    TD_FEATURE_CARRIED_OBSTACLES,  // td_obstacle_def.body
    TD_FEATURE_PART_CONTACT,       // td_contact_def
    TD_FEATURE_TUBES,              // td_tube_def
    TD_FEATURE_DRIVEN_ENDS,        // tips and bodies that inputs move: td_tip_def
    TD_FEATURE_SPRING_JOINTS,      // TD_PRISMATIC, td_spring_def
    TD_FEATURE_JOINT_MOTORS,       // td_joint_motor_def
    TD_FEATURE_BODY_JOINTS,        // bodies that other bodies hold: td_body_def.hold
    TD_FEATURE_FREE_BASES,         // robots, or parts of them, that nothing joins to the world
    TD_FEATURE_MAGNETS,            // td_field_def with magnetised rods or magnets on bodies
    TD_FEATURE_FLUID,              // td_fluid_def: buoyancy, drag by coefficients and in a current
    TD_FEATURE_ADDED_MASS,         // td_piece_def.added_mass
    // what can be asked of it
    TD_FEATURE_JACOBIAN,
    TD_FEATURE_COMPLIANCE,
    TD_FEATURE_SENSITIVITY,
    TD_FEATURE_STABILITY,
    TD_FEATURE_INVERSE_STATICS,
    TD_FEATURE_COORDINATES,               // td_get_coordinates
    TD_FEATURE_CHOSEN_STEPS,              // by tolerances: integration.method
    TD_FEATURE_MIDPOINT_STEPS,            // that keep momenta: TD_STEPS_MIDPOINT
    TD_FEATURE_SMALL_MOTIONS,             // td_linearise, td_solve_modes
    TD_FEATURE_SMALL_MOTIONS_IN_CONTACT,  // with obstacles
    TD_FEATURE_GRADIENTS,                 // td_differentiate_step, tendril/gradient.h
    TD_FEATURE_GRADIENTS_IN_CONTACT,      // with obstacles
    TD_FEATURE_GRADIENTS_ON_BASES,        // that inputs move, in every step of a run
    TD_N_FEATURES
} td_feature;

TD_API int td_n_models(void);
TD_API const char *td_model_name(int model);
TD_API const char *td_model_title(int model);      // one line
TD_API const char *td_model_reference(int model);  // "Till, Aloi & Rucker 2019"
TD_API bool td_model_supports(int model, td_feature feature);
TD_API const char *td_feature_name(td_feature feature);  // "point loads"

#ifdef __cplusplus
}
#endif
