// actuation/engine.h - what stands between an input and an actuator whose measure is supplied: a motor with its gear
// and spool, or a valve.
//
// An engine has numbers of its own, y, that move by y' = f: angle and speed of a rotor with the current in its coil, or
// what a valve has let in. Every implicit time formula makes y = y* + y'/cv of that, with y* from the past, so that what
// an engine supplies at the end of a stage is a function of the effort then,
//
//     supplied = g(effort),   dg/d effort <= 0,
//
// and the equation of an actuator of unknown effort (balance.c) takes g(effort) where it had a number. An engine is thus
// part of the same Newton's method as the shape, in every model that has such actuators. Friction, limits and the
// check of a gear are kinks of g, which is found exactly: see motor.c. At rest (cv = 0) an engine holds what it is told
// to hold: an angle, a torque, the pressure of a supply.
#pragma once

#include <stdbool.h>

#include "tendril/robot.h"

typedef enum engine_kind { ENGINE_NONE, ENGINE_MOTOR, ENGINE_VALVE } engine_kind;

typedef struct engine {
    engine_kind kind;
    td_motor_command command;
    td_motor_def motor;
    td_valve_def valve;
    double ratio;       // m/rad or m^3/rad: what a radian of the rotor supplies
    double gas_energy;  // J/mol, R T
    double atmosphere;  // Pa
    double rest;        // supplied where y = 0
    int index;          // among the engines of a robot
} engine;

enum {
    Y_ANGLE,  // of a rotor, rad, rad/s and A
    Y_SPEED,
    Y_CURRENT,
    Y_GIVEN,   // J, since the last equilibrium: by what feeds the engine,
    Y_LOST,    // of that lost within it,
    Y_PASSED,  // and passed on to the actuator
    N_ENGINE
};
enum { Y_FLUID = 0 };  // of a valve: mol, or m^3 beyond those at rest

typedef struct engine_stage {  // one engine at one instant of a time formula
    double cv;                 // 1/s; 0: at rest
    double star[N_ENGINE];     // y*; at rest y
    double effort;             // that the shape last evaluated asks for
    bool seen;                 // it has been asked
    bool fixed;  // y = y* whatever the effort: for slopes, which take engine and shape apart
} engine_stage;

typedef struct engine_answer {
    double supplied;   // m, m^3 or mol
    double by_effort;  // d supplied/d effort
    double y[N_ENGINE];
    double torque;  // N m, of the motor; of a valve what flows in, mol/s or m^3/s
} engine_answer;

// What they do, in W: given = lost + passed + what rotor and coil store. The formula sums it as it sums other rates, so that
// the account is of its order.
typedef struct engine_powers {
    double given;   // by the amplifier, or the supply
    double lost;    // in friction, gear, coil and throttle
    double passed;  // on to the actuator
} engine_powers;

// Does it hold an effort at rest (else a measure), which one, and how the measure that it holds answers to that?
typedef struct engine_hold {
    bool effort;
    double value, by_effort;
    double by_command;  // d value/d command
} engine_hold;

engine_answer motor_answer(const engine *e, double command, const engine_stage *s, double effort);
engine_answer valve_answer(const engine *e, double command, const engine_stage *s, double effort);
engine_powers motor_powers(const engine *e, const engine_stage *s, const engine_answer *now);
engine_powers valve_powers(const engine *e, double command, const engine_stage *s,
                           const engine_answer *now);
double engine_coil(const engine *e, double current);  // J, in the field of its coil
engine_hold engine_hold_of(const engine *e, double command, double share, const engine_stage *s);
engine_answer engine_fixed(const engine *e, const engine_stage *s);

static inline engine_answer engine_at(const engine *e, double command, const engine_stage *s,
                                      double effort) {
    if (s->fixed) return engine_fixed(e, s);
    return e->kind == ENGINE_MOTOR ? motor_answer(e, command, s, effort)
                                   : valve_answer(e, command, s, effort);
}

// Of the answer to the effort of the stage.
static inline engine_powers engine_powers_of(const engine *e, double command, const engine_stage *s,
                                             const engine_answer *now) {
    return e->kind == ENGINE_MOTOR ? motor_powers(e, s, now) : valve_powers(e, command, s, now);
}

// ---------------------------------------------------------------- small changes
// The numbers of an engine as coordinates: the angle of the spool with its speed as its rate, and the current of a coil
// that has an inductance; or what a valve has let in. About where it is
//
//     M q'' + D q' + K q + by_effort d(effort) = by_command d(command)
//
// What friction or a gear holds has q' = 0, what is held at an angle, a speed or a limit that.
#define ENGINE_NUMBERS 2

typedef struct engine_point {  // where it is
    double command, effort;
    double y[N_ENGINE], rate[N_ENGINE];
    double torque;  // N m, that the motor gives
} engine_point;

typedef struct engine_rows {
    int n;
    double M[ENGINE_NUMBERS][ENGINE_NUMBERS], D[ENGINE_NUMBERS][ENGINE_NUMBERS],
        K[ENGINE_NUMBERS][ENGINE_NUMBERS];
    double by_effort[ENGINE_NUMBERS], by_command[ENGINE_NUMBERS];
    double r[ENGINE_NUMBERS];  // what the equations miss there
    bool sticks;               // friction or a gear holds it
} engine_rows;

// What can be read of it beside its numbers, and how that answers to them, to the rate and the second rate of the first, to
// effort and command. What holds at an angle, a speed or a limit gives the torque that this takes.
typedef struct engine_seen {
    double value;
    double by_number[ENGINE_NUMBERS], by_rate, by_acceleration;
    double by_effort, by_command;
} engine_seen;

engine_seen motor_torque(const engine *e, const engine_point *at);
engine_seen motor_current(const engine *e, const engine_point *at);
engine_seen valve_flow(const engine *e, const engine_point *at);

int engine_n_numbers(const engine *e);
int engine_number(const engine *e, int i);         // its place in y
double engine_per_number(const engine *e, int i);  // y by coordinate: the gear, or 1
double engine_travel(const engine *e);             // d supplied/d coordinate 0
engine_rows motor_rows(const engine *e, const engine_point *at);
engine_rows valve_rows(const engine *e, const engine_point *at);

static inline engine_rows engine_rows_at(const engine *e, const engine_point *at) {
    return e->kind == ENGINE_MOTOR ? motor_rows(e, at) : valve_rows(e, at);
}
