// actuation/motor.c - a motor: rotor, gear, spool, and the amplifier that feeds it.
//
// With the angle a, speed w and current i of the rotor,
//
//     J w' = torque(w, i, command) - B w - C sgn w - load,   a' = w,   L i' = V - R i - k w
//     supplied = ratio a,  load = ratio effort (1/efficiency where it is lifted, efficiency where it is let down)
//
// At the end of a stage, w' = cv (w - w*), this is one equation for w, decreasing and linear between a few breakpoints, with
// jumps where something holds: Coulomb's friction and the gear at w = 0, limits of speed, amplifiers without a gain of
// their own. The root is found among the breakpoints, exactly.
#include <math.h>

#include "actuation/actuator.h"

#define MOST_BREAKS 12

typedef struct rotor {
    const td_motor_def *of;
    td_motor_command command;
    double told;  // the command, for the rotor
    double cv, star[N_ENGINE];
    double load, torque_limit, speed_limit;  // HUGE_VAL: none
    double ratio;                            // load by effort
    double breaks[MOST_BREAKS];
    int n;
} rotor;

static double clamp(double x, double most) {
    return fmax(-most, fmin(most, x));
}

// -1 or 1; at 0 that of the side from which it is asked.
static double sign_at(double x, double side) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : side;
}

static double limit_of(double given) {
    return given > 0.0 ? given : HUGE_VAL;
}

static double torque_limit(const td_motor_def *m) {
    const double by_current =
        m->torque_constant > 0.0 ? m->torque_constant * limit_of(m->max_current) : HUGE_VAL;
    return fmin(by_current, limit_of(m->max_torque));
}

// ---------------------------------------------------------------- the amplifier
static bool is_servo(const rotor *r) {
    return r->command == TD_MOTOR_SPEED || r->command == TD_MOTOR_ANGLE;
}

// The speed that is asked for at the speed w.
static double asked_speed(const rotor *r, double w) {
    if (r->command == TD_MOTOR_SPEED) return clamp(r->told, r->speed_limit);
    const double left = r->told - r->star[Y_ANGLE];
    if (r->of->stiffness == 0.0) return clamp(r->cv * left, r->speed_limit);
    return clamp(r->of->stiffness / r->of->damping * (left - w / r->cv), r->speed_limit);
}

// Has it no gain of its own: does it hold what is asked for by any torque?
static bool is_ideal(const rotor *r) {
    if (r->command == TD_MOTOR_SPEED) return r->of->damping == 0.0;
    return r->command == TD_MOTOR_ANGLE && r->of->stiffness == 0.0;
}

static double coil_current(const rotor *r, double w) {
    const td_motor_def *m = r->of;
    const double free =
        (r->told + m->inductance * r->cv * r->star[Y_CURRENT] - m->torque_constant * w) /
        (m->resistance + m->inductance * r->cv);
    return clamp(free, limit_of(m->max_current));
}

static double servo_torque(const rotor *r, double w, double side) {
    const td_motor_def *m = r->of;
    if (is_ideal(r)) return -sign_at(w - asked_speed(r, w), side) * r->torque_limit;
    if (r->command == TD_MOTOR_ANGLE && m->damping == 0.0)
        return clamp(m->stiffness * (r->told - r->star[Y_ANGLE] - w / r->cv), r->torque_limit);
    return clamp(m->damping * (asked_speed(r, w) - w), r->torque_limit);
}

// What drives beyond the limit of speed is taken back.
static double torque_at(const rotor *r, double w, double side) {
    if (is_servo(r)) return servo_torque(r, w, side);
    double torque = r->told;
    if (r->command == TD_MOTOR_CURRENT) torque *= r->of->torque_constant;
    if (r->command == TD_MOTOR_VOLTAGE) torque = r->of->torque_constant * coil_current(r, w);
    torque = clamp(torque, r->torque_limit);
    if (!isfinite(r->speed_limit)) return torque;
    if (sign_at(w - r->speed_limit, side) > 0.0) torque = fmin(torque, 0.0);
    if (sign_at(w + r->speed_limit, side) < 0.0) torque = fmax(torque, 0.0);
    return torque;
}

// ---------------------------------------------------------------- the balance of the rotor
// How much of the load the rotor feels.
static double felt(const rotor *r, double direction) {
    const double efficiency = r->of->efficiency;
    return direction * r->load > 0.0 ? 1.0 / efficiency : efficiency;
}

// All but the torque of the motor, against it.
static double against(const rotor *r, double w, double side) {
    const td_motor_def *m = r->of;
    const double direction = sign_at(w, side);
    return m->inertia * r->cv * (w - r->star[Y_SPEED]) + m->viscous * w + m->friction * direction +
           felt(r, direction) * r->load;
}

static double missing(const rotor *r, double w, double side) {
    return torque_at(r, w, side) - against(r, w, side);
}

static void add_break(rotor *r, double w) {
    if (!isfinite(w)) return;
    int i = r->n++;
    for (; i > 0 && r->breaks[i - 1] > w; i--) r->breaks[i] = r->breaks[i - 1];
    r->breaks[i] = w;
}

static void find_breaks(rotor *r) {
    const td_motor_def *m = r->of;
    const double K = m->stiffness, D = m->damping, most = r->torque_limit;
    const double left = r->told - r->star[Y_ANGLE];
    add_break(r, 0.0);
    for (double s = -1.0; s < 2.0; s += 2.0) {
        if (!is_servo(r)) add_break(r, s * r->speed_limit);
        if (r->command == TD_MOTOR_VOLTAGE)
            add_break(r, (r->told + m->inductance * r->cv * r->star[Y_CURRENT] -
                          s * limit_of(m->max_current) * (m->resistance + m->inductance * r->cv)) /
                             m->torque_constant);
        if (!is_servo(r) || is_ideal(r)) continue;
        if (r->command == TD_MOTOR_SPEED) {
            add_break(r, clamp(r->told, r->speed_limit) + s * most / D);
        } else {
            add_break(r, (K * left + s * most) / (K / r->cv + D));
            if (D > 0.0) add_break(r, r->cv * (left - s * r->speed_limit * D / K));
            if (D > 0.0) add_break(r, s * r->speed_limit - most / D);
            if (D > 0.0) add_break(r, s * r->speed_limit + most / D);
        }
    }
    if (is_servo(r) && is_ideal(r)) add_break(r, asked_speed(r, 0.0));
}

typedef struct root {
    double w, slope;  // slope: of what is missing, by w; 0: it sits at a jump
} root;

static root on_line(double w0, double f0, double w1, double f1) {
    const double slope = (f1 - f0) / (w1 - w0);
    return (root){w0 - f0 / slope, slope};
}

static root find_root(const rotor *r) {
    double before = HUGE_VAL;  // missing behind the last breakpoint
    for (int i = 0; i < r->n; i++) {
        const double w = r->breaks[i], here = missing(r, w, -1.0);
        if (here < 0.0) {
            const double other = i ? r->breaks[i - 1] : w - 1.0 - fabs(w);
            return on_line(other, i ? before : missing(r, other, 1.0), w, here);
        }
        before = missing(r, w, 1.0);
        if (before <= 0.0) return (root){w, 0.0};
    }
    const double last = r->breaks[r->n - 1], other = last + 1.0 + fabs(last);
    return on_line(last, before, other, missing(r, other, -1.0));
}

// The torque at the root: where it sits at a jump, what holds it there, friction first.
static double found_torque(const rotor *r, const root *at) {
    if (at->slope != 0.0) return torque_at(r, at->w, 1.0);
    const double least = fmin(torque_at(r, at->w, 1.0), torque_at(r, at->w, -1.0));
    const double most = fmax(torque_at(r, at->w, 1.0), torque_at(r, at->w, -1.0));
    double low = against(r, at->w, -1.0), high = against(r, at->w, 1.0);
    return fmax(least, fmin(most, fmax(low, fmin(high, 0.0))));
}

engine_answer motor_answer(const engine *e, double command, const engine_stage *s, double effort) {
    const td_motor_def *m = &e->motor;
    rotor r = {.of = m,
               .command = e->command,
               .told = command * (e->command >= TD_MOTOR_SPEED ? m->gear : 1.0),
               .cv = s->cv,
               .star = {s->star[0], s->star[1], s->star[2]},
               .load = e->ratio * effort,
               .ratio = e->ratio,
               .torque_limit = torque_limit(m),
               .speed_limit = limit_of(m->max_speed * m->gear)};
    find_breaks(&r);
    const root at = find_root(&r);
    const double direction = at.w > 0.0 ? 1.0 : at.w < 0.0 ? -1.0 : 0.0;
    const double by_load = at.slope != 0.0 ? felt(&r, direction) / at.slope : 0.0;
    engine_answer out = {.torque = found_torque(&r, &at)};
    out.y[Y_SPEED] = at.w;
    out.y[Y_ANGLE] = s->star[Y_ANGLE] + at.w / s->cv;
    if (e->command == TD_MOTOR_VOLTAGE) out.y[Y_CURRENT] = coil_current(&r, at.w);
    else if (m->torque_constant > 0.0) out.y[Y_CURRENT] = out.torque / m->torque_constant;
    out.supplied = e->rest + e->ratio * out.y[Y_ANGLE];
    out.by_effort = e->ratio * e->ratio * by_load / s->cv;
    return out;
}

// A coil whose voltage is given has a current of its own, which may not jump.
static bool has_coil(const engine *e) {
    return e->command == TD_MOTOR_VOLTAGE && e->motor.inductance > 0.0;
}

double engine_coil(const engine *e, double current) {
    return has_coil(e) ? 0.5 * e->motor.inductance * current * current : 0.0;
}

// given = torque w + R i^2 + L i i', which is V i where no limit takes anything back.
engine_powers motor_powers(const engine *e, const engine_stage *s, const engine_answer *now) {
    const td_motor_def *m = &e->motor;
    const double w = now->y[Y_SPEED], i = now->y[Y_CURRENT];
    const rotor r = {.of = m, .load = e->ratio * s->effort};
    const double heat = m->resistance * i * i;
    engine_powers out = {.given = now->torque * w + heat, .passed = r.load * w};
    if (has_coil(e)) out.given += m->inductance * i * s->cv * (i - s->star[Y_CURRENT]);
    out.lost = heat + m->viscous * w * w + m->friction * fabs(w) +
               (felt(&r, sign_at(w, 0.0)) - 1.0) * r.load * w;
    return out;
}

// ---------------------------------------------------------------- small changes about where it is
// What the law of the amplifier asks for there, by the speed itself: what torque_at makes of a stage.
typedef struct amplifier {
    double torque;  // before its limit
    double by_angle, by_speed, by_current, by_told;
} amplifier;

static amplifier servo_there(const rotor *r, const engine_point *at) {
    const double K = r->of->stiffness, D = r->of->damping, w = at->y[Y_SPEED];
    if (r->command == TD_MOTOR_SPEED) {
        const double asked = clamp(r->told, r->speed_limit);
        return (amplifier){D * (asked - w), 0.0, -D, 0.0, asked == r->told ? D : 0.0};
    }
    const double left = r->told - at->y[Y_ANGLE];
    if (D == 0.0) return (amplifier){K * left, -K, 0.0, 0.0, K};
    const double asked = clamp(K / D * left, r->speed_limit);
    const double stiff = fabs(asked) < r->speed_limit ? K : 0.0;
    return (amplifier){D * (asked - w), -stiff, -D, 0.0, stiff};
}

static amplifier amplifier_there(const rotor *r, const engine_point *at) {
    const double k = r->of->torque_constant, R = r->of->resistance, w = at->y[Y_SPEED];
    if (is_servo(r)) return servo_there(r, at);
    if (r->command == TD_MOTOR_TORQUE) return (amplifier){r->told, 0.0, 0.0, 0.0, 1.0};
    if (r->command == TD_MOTOR_CURRENT) return (amplifier){k * r->told, 0.0, 0.0, 0.0, k};
    if (r->of->inductance > 0.0) return (amplifier){k * at->y[Y_CURRENT], 0.0, 0.0, k, 0.0};
    return (amplifier){k * (r->told - k * w) / R, 0.0, -k * k / R, 0.0, k / R};
}

// Does a control without a gain of its own hold what is asked for? Not at the end of its torque, nor where it stands and
// cannot get off.
static bool holds_asked(const rotor *r, const engine_point *at) {
    if (!is_servo(r) || !is_ideal(r) || fabs(at->torque) >= r->torque_limit) return false;
    const double away = fmax(against(r, 0.0, 1.0), -against(r, 0.0, -1.0));
    return at->y[Y_SPEED] != 0.0 || r->torque_limit > away;
}

// Does the limit of speed take back what drives?
static bool at_speed_limit(const rotor *r, const engine_point *at, const amplifier *a) {
    const double w = at->y[Y_SPEED];
    if (is_servo(r) || fabs(w) < r->speed_limit) return false;
    return (clamp(a->torque, r->torque_limit) - at->torque) * w > 0.0;
}

static bool sticks_there(const rotor *r, const engine_point *at, double torque) {
    const double inertial = r->of->inertia * at->rate[Y_SPEED];
    const double up = torque - inertial - against(r, 0.0, 1.0);
    const double down = torque - inertial - against(r, 0.0, -1.0);
    return at->y[Y_SPEED] == 0.0 && up < down && up <= 0.0 && down >= 0.0;
}

// Angle and speed of the rotor, and its current, in those of the spool: columns by the gear, and the row of a torque too.
static void to_spool(double gear, bool torque, engine_rows *out) {
    for (int k = 0; k < out->n; k++) {
        out->M[k][0] *= gear, out->D[k][0] *= gear, out->K[k][0] *= gear;
        if (torque) out->M[0][k] *= gear, out->D[0][k] *= gear, out->K[0][k] *= gear;
    }
    const double by = torque ? gear : 1.0 / gear;
    out->r[0] *= by, out->by_effort[0] *= by, out->by_command[0] *= by;
    if (torque) return;
    for (int k = 0; k < out->n; k++)
        out->M[0][k] /= gear, out->D[0][k] /= gear, out->K[0][k] /= gear;
}

// L i' + R i + k w = V, or a current at its limit.
static void coil_row(const rotor *r, const engine_point *at, engine_rows *out) {
    const td_motor_def *m = r->of;
    const double i = at->y[Y_CURRENT], most = limit_of(m->max_current);
    const double driven = r->told - m->resistance * i - m->torque_constant * at->y[Y_SPEED];
    if (fabs(i) >= most && driven * i > 0.0) {
        out->K[1][1] = 1.0;
        return;
    }
    out->D[1][1] = m->inductance, out->D[1][0] = m->torque_constant, out->K[1][1] = m->resistance;
    out->by_command[1] = 1.0;
    out->r[1] = m->inductance * at->rate[Y_CURRENT] - driven;
}

// J w' + B w + C sgn w + felt load = torque
static void rotor_row(const rotor *r, const engine_point *at, const amplifier *a,
                      engine_rows *out) {
    const td_motor_def *m = r->of;
    const double w = at->y[Y_SPEED], torque = clamp(a->torque, r->torque_limit);
    const double side = torque - against(r, 0.0, 1.0) > 0.0 ? 1.0 : -1.0;
    const bool limited = fabs(a->torque) >= r->torque_limit;
    const double factor = limited ? 0.0 : 1.0;
    out->M[0][0] = m->inertia;
    out->D[0][0] = m->viscous - factor * a->by_speed;
    out->K[0][0] = -factor * a->by_angle;
    if (out->n > 1) out->K[0][1] = -factor * a->by_current;
    out->by_effort[0] = r->ratio * felt(r, sign_at(w, side));
    out->by_command[0] = factor * a->by_told;
    out->r[0] = m->inertia * at->rate[Y_SPEED] + against(r, w, side) - torque;
}

// Rotor by command: those of an angle and a speed are told for the spool.
static double per_command(const engine *e) {
    return e->command >= TD_MOTOR_SPEED ? e->motor.gear : 1.0;
}

static rotor rotor_there(const engine *e, const engine_point *at) {
    return (rotor){.of = &e->motor,
                   .command = e->command,
                   .told = at->command * per_command(e),
                   .load = e->ratio * at->effort,
                   .ratio = e->ratio,
                   .torque_limit = torque_limit(&e->motor),
                   .speed_limit = limit_of(e->motor.max_speed * e->motor.gear)};
}

engine_rows motor_rows(const engine *e, const engine_point *at) {
    const double gear = e->motor.gear, per = per_command(e);
    const rotor r = rotor_there(e, at);
    const double w = at->y[Y_SPEED];
    engine_rows out = {.n = engine_n_numbers(e)};
    amplifier a = {0};
    if (!is_servo(&r) || !is_ideal(&r)) a = amplifier_there(&r, at);
    else a.torque = at->torque;
    bool torque = false;
    if (holds_asked(&r, at) && r.command == TD_MOTOR_ANGLE && fabs(w) < r.speed_limit) {
        out.K[0][0] = 1.0, out.by_command[0] = 1.0;
        out.r[0] = at->y[Y_ANGLE] - r.told;
    } else if (holds_asked(&r, at)) {
        const bool free = r.command == TD_MOTOR_SPEED && fabs(r.told) <= r.speed_limit;
        out.D[0][0] = 1.0, out.by_command[0] = free ? 1.0 : 0.0;
        out.r[0] = r.command == TD_MOTOR_SPEED ? w - clamp(r.told, r.speed_limit) : 0.0;
    } else if (at_speed_limit(&r, at, &a)) {
        out.D[0][0] = 1.0;
    } else if (sticks_there(&r, at, clamp(a.torque, r.torque_limit))) {
        out.D[0][0] = 1.0, out.sticks = true;
    } else {
        rotor_row(&r, at, &a, &out);
        torque = true;
    }
    out.by_command[0] *= per;
    if (out.n > 1) coil_row(&r, at, &out);
    to_spool(gear, torque, &out);
    return out;
}

// ---------------------------------------------------------------- what can be read of it
// The torque that holds what is asked for, J w' + B w + C sgn w + felt load; where the rotor stands, friction holds first.
static engine_seen holding_torque(const rotor *r, const engine_point *at) {
    const double w = at->y[Y_SPEED], gear = r->of->gear;
    const double inertial = r->of->inertia * at->rate[Y_SPEED];
    const double low = against(r, w, -1.0) + inertial, high = against(r, w, 1.0) + inertial;
    if (w == 0.0 && low < 0.0 && high > 0.0) return (engine_seen){.value = 0.0};
    const double side = w == 0.0 && low > 0.0 ? -1.0 : 1.0;
    return (engine_seen){.value = side < 0.0 ? low : high,
                         .by_acceleration = gear * r->of->inertia,
                         .by_rate = gear * r->of->viscous,
                         .by_effort = r->ratio * felt(r, sign_at(w, side))};
}

engine_seen motor_torque(const engine *e, const engine_point *at) {
    const rotor r = rotor_there(e, at);
    const double gear = e->motor.gear;
    amplifier a = {0};
    if (holds_asked(&r, at)) return holding_torque(&r, at);
    if (is_servo(&r) && is_ideal(&r)) return (engine_seen){.value = at->torque};
    a = amplifier_there(&r, at);
    if (at_speed_limit(&r, at, &a)) return holding_torque(&r, at);
    if (fabs(a.torque) >= r.torque_limit)
        return (engine_seen){.value = clamp(a.torque, r.torque_limit)};
    return (engine_seen){.value = a.torque,
                         .by_number = {gear * a.by_angle, a.by_current},
                         .by_rate = gear * a.by_speed,
                         .by_command = per_command(e) * a.by_told};
}

// That of a coil with an inductance is a number of its own; else torque by k, or that of a voltage without its limit.
engine_seen motor_current(const engine *e, const engine_point *at) {
    const td_motor_def *m = &e->motor;
    if (has_coil(e)) return (engine_seen){.value = at->y[Y_CURRENT], .by_number = {0.0, 1.0}};
    if (e->command == TD_MOTOR_VOLTAGE) {
        const double most = limit_of(m->max_current);
        const double free = (at->command - m->torque_constant * at->y[Y_SPEED]) / m->resistance;
        if (fabs(free) >= most) return (engine_seen){.value = clamp(free, most)};
        return (engine_seen){.value = free,
                             .by_rate = -m->gear * m->torque_constant / m->resistance,
                             .by_command = 1.0 / m->resistance};
    }
    if (!(m->torque_constant > 0.0)) return (engine_seen){.value = 0.0};
    const double per = 1.0 / m->torque_constant;
    engine_seen out = motor_torque(e, at);
    out.value *= per, out.by_number[0] *= per, out.by_number[1] *= per, out.by_rate *= per;
    out.by_acceleration *= per, out.by_effort *= per, out.by_command *= per;
    return out;
}

int engine_n_numbers(const engine *e) {
    return e->kind == ENGINE_MOTOR && has_coil(e) ? 2 : 1;
}

int engine_number(const engine *e, int i) {
    if (e->kind == ENGINE_VALVE) return Y_FLUID;
    return i == 0 ? Y_ANGLE : Y_CURRENT;
}

double engine_per_number(const engine *e, int i) {
    return e->kind == ENGINE_MOTOR && i == 0 ? e->motor.gear : 1.0;
}

double engine_travel(const engine *e) {
    return e->kind == ENGINE_MOTOR ? e->motor.travel : 1.0;
}

engine engine_with_motor(const td_motor_def *motor, int command) {
    return (engine){.kind = ENGINE_MOTOR,
                    .command = (td_motor_command)command,
                    .motor = *motor,
                    .ratio = motor->travel / motor->gear};
}

// ---------------------------------------------------------------- at rest
static engine_hold motor_hold(const engine *e, double command, double share,
                              const engine_stage *s) {
    const td_motor_def *m = &e->motor;
    const double spool = e->ratio * m->gear, most = torque_limit(m);
    double by_command = 1.0;
    switch (e->command) {
    case TD_MOTOR_ANGLE: {
        engine_hold out = {.value = e->rest + share * spool * command, .by_command = share * spool};
        if (m->stiffness > 0.0) out.by_effort = -e->ratio * e->ratio / m->stiffness;
        return out;
    }
    case TD_MOTOR_SPEED: return (engine_hold){.value = e->rest + e->ratio * s->star[Y_ANGLE]};
    case TD_MOTOR_VOLTAGE: by_command = m->torque_constant / m->resistance; break;
    case TD_MOTOR_CURRENT: by_command = m->torque_constant; break;
    case TD_MOTOR_TORQUE: break;
    }
    const double torque = clamp(by_command * command, most);
    const bool free = fabs(by_command * command) < most;
    return (engine_hold){.effort = true,
                         .value = share * torque / e->ratio,
                         .by_command = free ? share * by_command / e->ratio : 0.0};
}

// An open valve leaves the pressure of what it is open to, a closed one what it holds.
static engine_hold valve_hold(const engine *e, double command, double share,
                              const engine_stage *s) {
    if (command > 0.0) return (engine_hold){.effort = true, .value = share * e->valve.supply};
    if (command < 0.0) return (engine_hold){.effort = true};
    return (engine_hold){.value = e->rest + s->star[Y_FLUID]};
}

engine_answer engine_fixed(const engine *e, const engine_stage *s) {
    const double by = e->kind == ENGINE_MOTOR ? e->ratio : 1.0;
    return (engine_answer){.supplied = e->rest + by * s->star[0],
                           .y = {s->star[0], s->star[1], s->star[2]}};
}

engine_hold engine_hold_of(const engine *e, double command, double share, const engine_stage *s) {
    return e->kind == ENGINE_MOTOR ? motor_hold(e, command, share, s)
                                   : valve_hold(e, command, share, s);
}
