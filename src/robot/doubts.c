// robot/doubts.c - what is allowed, but hardly meant: most often a unit that was forgotten.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/pi.h"
#include "robot/actuators.h"
#include "robot/facts.h"
#include "robot/route.h"
#include "robot/sensor.h"

#define LONGEST_ROD 100.0     // m: 300 is meant to be millimetres
#define LARGEST_MASS 1000.0   // kg
#define SOFTEST 1000.0        // Pa: the softest gels have some kilopascals
#define STIFFEST 2e12         // Pa: diamond has 1.2e12
#define LEAST_OF_RUBBER 0.45  // Poisson's ratio
#define LIGHTEST 1.0          // kg/m^3: as air
#define DENSEST 23000.0       // kg/m^3: osmium has 22590
#define FASTEST 1e9           // m^2/s^2, modulus by density: diamond and carbon tubes have 3 to 8e8
#define MOST_TURN 13.0        // rad, two turns: of what is held
#define COLDEST 70.0          // K: liquid nitrogen has 77

// Counts what is said; the one that is asked for goes to text.
typedef struct teller {
    int wanted, n;
    char *text;
    size_t size;
} teller;

__attribute__((format(printf, 2, 3))) static void tell(teller *t, const char *format, ...) {
    if (t->n++ != t->wanted) return;
    va_list args;
    va_start(args, format);
    vsnprintf(t->text, t->size, format, args);
    va_end(args);
}

static void doubt_material(teller *t, const char *rod, const td_piece_def *p) {
    const double e = p->youngs_modulus, g = p->shear_modulus, rho = p->density;
    const double poisson = e > 0.0 && g > 0.0 ? 0.5 * e / g - 1.0 : 0.5;
    if ((p->law == TD_NEO_HOOKEAN || p->law == TD_RUBBER) && poisson < LEAST_OF_RUBBER)
        tell(t,
             "rods.%s: its law is that of rubber, which keeps its volume, but its shear modulus "
             "that of a Poisson's "
             "ratio of %.3g; that of rubber is 0.5",
             rod, poisson);
    if (e > 0.0 && (e < SOFTEST || e > STIFFEST))
        tell(t, "rods.%s: a Young's modulus of %g Pa; is a unit missing (kPa, MPa, GPa)?", rod, e);
    if (rho > 0.0 && (rho < LIGHTEST || rho > DENSEST))
        tell(t, "rods.%s: a density of %g kg/m^3; is a unit missing (g/cm^3)?", rod, rho);
    else if (rho > 0.0 && e / rho > FASTEST)
        tell(t,
             "rods.%s: a Young's modulus of %g Pa at a density of %g kg/m^3; nothing is as stiff "
             "and light: is a unit missing (g/cm^3)?",
             rod, e, rho);
}

typedef struct range {
    double low, high;
} range;

// What a signal is known to give; of a formula nothing is.
static range range_of_signal(const td_signal *s) {
    range r = {s->from, s->from};
    if (signal_has_points(s)) {
        r.low = r.high = s->points[1];
        for (int i = 1; i < s->n_points; i++) {
            r.low = fmin(r.low, s->points[2 * i + 1]);
            r.high = fmax(r.high, s->points[2 * i + 1]);
        }
    } else if (s->kind == TD_SIGNAL_SINE) {
        r = (range){s->from - fabs(s->to), s->from + fabs(s->to)};
    } else if (s->kind != TD_SIGNAL_CONSTANT && s->kind != TD_SIGNAL_FORMULA) {
        r = (range){fmin(s->from, s->to), fmax(s->from, s->to)};
    }
    return r;
}

// Of an input, or a number of its own. False: it is not known.
static bool range_of(const td_robot *robot, td_number n, range *out) {
    *out = (range){n.value, n.value};
    if (n.gain == 0.0) return true;
    const td_signal *s = &robot->inputs[n.input].signal;
    const range r = range_of_signal(s);
    out->low += fmin(n.gain * r.low, n.gain * r.high);
    out->high += fmax(n.gain * r.low, n.gain * r.high);
    return s->kind != TD_SIGNAL_FORMULA;
}

static double largest_of(const td_robot *robot, td_number n) {
    range r;
    return range_of(robot, n, &r) ? fmax(fabs(r.low), fabs(r.high)) : 0.0;
}

// 90 is meant to be degrees.
static void doubt_turn(teller *t, const td_robot *robot, const char *name, const char *what,
                       const td_number rotation[3]) {
    double most = 0.0;
    for (int i = 0; i < 3; i++) most = fmax(most, largest_of(robot, rotation[i]));
    if (most > MOST_TURN)
        tell(t, "%s: %s is turned by up to %g rad, %.3g turns; is a unit missing (deg)?", name,
             what, most, most / (2.0 * PI));
}

static void doubt_rod(teller *t, const td_robot *robot, int index) {
    const robot_rod *rod = &robot->rods[index];
    const double mass = rod_facts_of(robot, index).mass;
    double radius = 0.0;
    char where[256];
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *p = &rod->pieces[i], *before = i > 0 ? p - 1 : NULL;
        radius = fmax(radius, fmax(p->section.radius, p->section_end.radius));
        if (!before || p->youngs_modulus != before->youngs_modulus || p->density != before->density)
            doubt_material(t, rod->name, p);
    }
    snprintf(where, sizeof where, "rods.%s", rod->name);
    doubt_turn(t, robot, where, "its base", rod->base.rotation);
    if (rod->tip.held) doubt_turn(t, robot, where, "its tip", rod->tip.rotation);
    if (radius > rod->length)
        tell(t, "rods.%s: its radius, %g m, is larger than its length, %g m", rod->name, radius,
             rod->length);
    if (rod->length > LONGEST_ROD)
        tell(t, "rods.%s: a length of %g m; is a unit missing (mm)?", rod->name, rod->length);
    if (mass > LARGEST_MASS)
        tell(t, "rods.%s: a mass of %.3g t; is a unit missing?", rod->name, mass / 1000.0);
}

static void doubt_body(teller *t, const td_robot *robot, const robot_body *body) {
    double longest = 0.0;
    for (int i = 0; i < robot->n_rods; i++) longest = fmax(longest, robot->rods[i].length);
    char where[256];
    snprintf(where, sizeof where, "bodies.%s", body->name);
    if (body->def.hold.held) doubt_turn(t, robot, where, "it", body->def.hold.rotation);
    if (body->def.rod >= 0 && body->def.radius > longest)
        tell(t, "bodies.%s: a radius of %g m on a rod of %g m; is a unit missing (mm)?", body->name,
             body->def.radius, robot->rods[body->def.rod].length);
    if (body->def.mass > LARGEST_MASS)
        tell(t, "bodies.%s: a mass of %.3g t; is a unit missing (g)?", body->name,
             body->def.mass / 1000.0);
}

// Where discs carry it, a tendon lies within them. The first that it leaves is named.
static void doubt_tendon(teller *t, const td_robot *robot, const td_tendon_def *d) {
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *b = &robot->bodies[i].def;
        if (b->rod != d->rod || b->shape != TD_BODY_PLAIN || !(b->radius > 0.0)) continue;
        if (b->at < d->from || b->at > d->to) continue;
        const vec3 r = tendon_route(d, b->at).r;
        const double distance = hypot(r.x, r.y);
        if (distance <= b->radius * (1.0 + 1e-9)) continue;
        tell(t,
             "tendons.%s: at the disc '%s' it lies %g mm from the axis, outside the disc's %g mm",
             d->name, robot->bodies[i].name, 1e3 * distance, 1e3 * b->radius);
        return;
    }
}

#define STRONGEST 2e6   // A/m: the best magnets have 1.2e6
#define MOST_FLUX 50.0  // T: the strongest magnets that stand have 45

static void doubt_valve(teller *t, const td_robot *robot, const td_chamber_def *d) {
    const double opening = d->input == TD_OPENING ? largest_of(robot, d->value) : 0.0;
    if (opening > 1.0)
        tell(t, "chambers.%s: an opening of %g, but a valve is fully open at 1", d->name, opening);
}

// 20 is meant to be degrees Celsius.
static void doubt_temperature(teller *t, const td_robot *robot, const td_temperature_def *d) {
    range r;
    if (range_of(robot, d->value, &r) && r.low < COLDEST)
        tell(t, "temperatures.%s: %g K is %g degC; is a unit missing (degC)?", d->name, r.low,
             r.low - 273.15);
}

static void doubt_field(teller *t, const td_robot *robot, const robot_field *f) {
    double flux = 0.0;
    for (int i = 0; i < 3; i++) flux = fmax(flux, largest_of(robot, f->def.flux[i]));
    if (flux > MOST_FLUX)
        tell(t, "fields.%s: a flux density of %g T; is a unit missing (mT)?", f->name, flux);
}

static void doubt_magnets(teller *t, const td_robot *robot) {
    bool any = false;
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < robot->rods[i].n_pieces; k++) {
            const td_piece_def *p = &robot->rods[i].pieces[k];
            any = any || piece_is_magnetic(p);
            for (int n = 0; n < 3; n++)
                if (fabs(p->magnetisation[n]) > STRONGEST)
                    tell(t, "rods.%s: a magnetisation of %g A/m; no magnet has more than 1.2e6",
                         robot->rods[i].name, p->magnetisation[n]);
        }
    for (int i = 0; i < robot->n_bodies; i++) any = any || body_is_magnetic(&robot->bodies[i].def);
    if (any && robot->n_fields == 0)
        tell(t, "fields: there are magnets, but no field acts on them");
    if (!any && robot->n_fields > 0)
        tell(t, "fields: nothing is magnetic: rods have no 'magnetisation', bodies no 'magnet'");
}

// Does the fluid hold or follow what moves in it, as all fluids do?
static bool feels_fluid(const td_piece_def *p) {
    return !dense_is_zero(3, p->drag) || !dense_is_zero(3, p->linear_drag) ||
           !dense_is_zero(2, p->drag_coefficient) || !dense_is_zero(3, p->added_mass);
}

static void doubt_fluid(teller *t, const td_robot *robot) {
    if (!(robot->fluid.density > 0.0) || robot->n_rods == 0) return;
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < robot->rods[i].n_pieces; k++)
            if (feels_fluid(&robot->rods[i].pieces[k])) return;
    tell(t, "fluid: it carries the rods, but neither holds nor follows them: none has a "
            "'drag_coefficient', 'linear_drag' or 'added_mass'");
}

static void doubt_run(teller *t, const td_scenario *s) {
    if (s->step > s->end && s->end > 0.0)
        tell(t,
             "simulation.time: a step of %g s, but the run ends at %g s: all of it is one step; is "
             "a unit missing (ms)?",
             s->step, s->end);
}

// A filter takes what is off by the same amount each time for the truth.
static void doubt_biases(teller *t, const td_robot *robot) {
    const td_estimator_def *e = robot->estimator;
    for (int i = 0; e && i < robot->n_sensors; i++) {
        const robot_sensor *s = &robot->sensors[i];
        bool uses = e->n_sensors == 0, known = false;
        for (int k = 0; k < e->n_sensors; k++) uses = uses || !strcmp(e->sensors[k], s->name);
        for (int k = 0; k < e->n_unknowns; k++)
            known = known || (e->unknowns[k].bias && !strcmp(e->unknowns[k].bias, s->name));
        if (s->def.bias == 0.0 || !uses || known || sensor_estimate_of(s->measures)) continue;
        tell(t,
             "sensors.%s: it has a bias of %g, which the estimator does not know of; list {bias: "
             "%s, deviation: ...} under estimator.unknowns",
             s->name, s->def.bias, s->name);
    }
}

bool robot_doubt(const td_robot *robot, int index, char *text, size_t size) {
    teller t = {.wanted = index, .text = text, .size = size};
    for (int i = 0; i < robot->n_rods; i++) doubt_rod(&t, robot, i);
    for (int i = 0; i < robot->n_bodies; i++) doubt_body(&t, robot, &robot->bodies[i]);
    for (int i = 0; i < robot->n_actuators; i++)
        if (robot->actuators[i].kind == actuator_rows[KIND_tendon])
            doubt_tendon(&t, robot, robot->actuators[i].def);
        else if (robot->actuators[i].kind == actuator_rows[KIND_chamber])
            doubt_valve(&t, robot, robot->actuators[i].def);
        else if (robot->actuators[i].kind == actuator_rows[KIND_temperature])
            doubt_temperature(&t, robot, robot->actuators[i].def);
    for (int i = 0; i < robot->n_fields; i++) doubt_field(&t, robot, &robot->fields[i]);
    doubt_magnets(&t, robot);
    doubt_fluid(&t, robot);
    doubt_biases(&t, robot);
    doubt_run(&t, &robot->scenario);
    return t.n > index;
}
