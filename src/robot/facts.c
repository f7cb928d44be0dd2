// robot/facts.c - see facts.h.
#include "robot/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/loads.h"
#include "robot/obstacles.h"
#include "robot/places.h"
#include "math/pi.h"

enum { CELLS = 400 };

static td_section_properties properties_at(const robot_rod *rod, double s) {
    double x;
    const td_piece_def *piece = piece_at(rod, s, &x);
    return piece_properties(piece, x);
}

static double section_radius(const td_section *s) {
    double area = s->shape == TD_SECTION_RECTANGLE ? s->width * s->height : s->area;
    return s->shape == TD_SECTION_CIRCLE ? s->radius : sqrt(fmax(area, 0.0) / PI);
}

double rod_radius_at(const td_robot *robot, int rod, double s) {
    double x;
    const td_piece_def *piece = piece_at(&robot->rods[rod], s, &x);
    return (1 - x) * section_radius(&piece->section) + x * section_radius(&piece->section_end);
}

// From the origin of the body that holds it to its own.
static double body_offset(const td_body_def *d) {
    double offset = 0.0;
    for (int k = 0; k < 3 && d->hold.body != TD_WORLD; k++)
        offset = hypot(offset, d->hold.position[k].value);
    return offset;
}

// Of its shape, or the largest that a box of its mass and inertia can have: I = m (b^2 + c^2)/12.
static double body_extent(const td_body_def *d) {
    double extent = fmax(2.0 * d->radius, d->height);
    for (int k = 0; k < 3 && d->mass > 0.0; k++)
        extent = fmax(extent, sqrt(12.0 * d->inertia[k] / d->mass));
    return extent;
}

double robot_size(const td_robot *robot) {
    double size = 0.0, chain = 0.0;
    for (int i = 0; i < robot->n_rods; i++) size = fmax(size, robot->rods[i].length);
    if (robot->n_rods > 0) return size;
    for (int i = 0; i < robot->n_bodies; i++) {
        chain += body_offset(&robot->bodies[i].def);
        size = fmax(size, body_extent(&robot->bodies[i].def));
    }
    return size + chain > 0.0 ? size + chain : 0.1;
}

// Rayleigh's quotient with the sag under the rod's own weight, taken sideways, as the trial
// shape: w'' = M/EI, M = integral of mass times lever, omega^2 = g int m w / int m w^2. For a
// uniform cantilever 0.4 % above the exact (1.8751/L)^2 sqrt(EI/m).
static double first_frequency(const robot_rod *rod) {
    double h = rod->length / CELLS;
    double mass[CELLS], bending[CELLS], moment[CELLS];
    for (int i = 0; i < CELLS; i++) {
        td_section_properties p = properties_at(rod, (i + 0.5) * h);
        mass[i] = p.mass;
        bending[i] = fmin(p.stiffness[0], p.stiffness[1]);
    }
    double beyond = 0.0, lever = 0.0;  // mass beyond s, and its first moment about s
    for (int i = CELLS - 1; i >= 0; i--) {
        moment[i] = lever + beyond * h / 2 + mass[i] * h * h / 8;
        lever += beyond * h + mass[i] * h * h / 2;
        beyond += mass[i] * h;
    }
    double w = 0.0, slope = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < CELLS; i++) {
        double curvature = moment[i] / bending[i];
        double middle = w + slope * h / 2 + curvature * h * h / 8;
        first += mass[i] * middle * h;
        second += mass[i] * middle * middle * h;
        w += slope * h + curvature * h * h / 2;
        slope += curvature * h;
    }
    return second > 0 ? sqrt(first / second) / (2 * PI) : 0.0;
}

// Simpson's rule: the area of a tapered section is quadratic.
static double piece_mass(const td_piece_def *piece) {
    const double ends = piece_properties(piece, 0.0).mass + piece_properties(piece, 1.0).mass;
    return piece->length * (ends + 4.0 * piece_properties(piece, 0.5).mass) / 6.0;
}

static void add_words(char *text, size_t size, const char *words) {
    const size_t used = strlen(text);
    if (!strstr(text, words)) snprintf(text + used, size - used, "%s%s", used ? "; " : "", words);
}

// Of all pieces, each once.
static void describe_law(const td_piece_def *p, char *text, size_t size) {
    char words[128];
    const int n = piece_relaxations(p);
    if (p->law == TD_NEO_HOOKEAN) add_words(text, size, "rubber along its axis");
    if (p->law == TD_RUBBER) add_words(text, size, "rubber in every fibre");
    if (p->law == TD_SUPERELASTIC) {
        snprintf(words, sizeof words, "superelastic from %.4g MPa, back from %.4g MPa",
                 p->superelastic.forward[0] / 1e6, p->superelastic.backward[0] / 1e6);
        add_words(text, size, words);
    }
    if (n > 0) {
        double sum = 1.0;
        for (int i = 0; i < n; i++) sum += p->relaxation.shares[i];
        snprintf(words, sizeof words, "relaxes from %.4g times these moduli, within %.4g s", sum,
                 p->relaxation.times[0]);
        if (n > 1)
            snprintf(words, sizeof words, "relaxes from %.4g times these moduli, by %d terms", sum,
                     n);
        add_words(text, size, words);
    }
    if (p->hysteresis.moment > 0.0) {
        snprintf(words, sizeof words, "rubs in bending with %.4g N m", p->hysteresis.moment);
        add_words(text, size, words);
    }
    if (piece_is_coupled(p)) add_words(text, size, "couples bending, torsion, shear or extension");
}

rod_facts rod_facts_of(const td_robot *robot, int index) {
    const robot_rod *rod = &robot->rods[index];
    rod_facts f = {.name = rod->name, .n_pieces = rod->n_pieces, .length = rod->length};
    for (int i = 0; i < rod->n_pieces; i++) f.mass += piece_mass(&rod->pieces[i]);
    f.base = properties_at(rod, 0.0);
    f.tip = properties_at(rod, rod->length);
    f.frequency = first_frequency(rod);
    for (int i = 0; i < rod->n_pieces; i++) describe_law(&rod->pieces[i], f.law, sizeof f.law);
    return f;
}

// ---------------------------------------------------------------- words
static void describe_sine(const td_signal *s, const char *unit, char *text, size_t size) {
    int n = snprintf(text, size, "sine of %g%s%s at %g Hz", s->to, unit[0] ? " " : "", unit,
                     s->frequency);
    if (s->from != 0.0 && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " about %g", s->from);
    if (s->start != 0.0 && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", from %g s", s->start);
    if (s->duration > 0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", for %g s", s->duration);
}

static void describe_signal(const td_signal *s, const char *unit, char *text, size_t size) {
    const char *gap = unit[0] ? " " : "";
    switch (s->kind) {
    case TD_SIGNAL_CONSTANT: snprintf(text, size, "constant %g%s%s", s->from, gap, unit); return;
    case TD_SIGNAL_STEP:
        snprintf(text, size, "step from %g to %g%s%s at %g s", s->from, s->to, gap, unit, s->start);
        return;
    case TD_SIGNAL_RAMP:
        snprintf(text, size, "ramp from %g to %g%s%s, starting at %g s, over %g s", s->from, s->to,
                 gap, unit, s->start, s->duration);
        return;
    case TD_SIGNAL_HAT:
        snprintf(text, size, "hat from %g to %g%s%s and back, starting at %g s, over %g s", s->from,
                 s->to, gap, unit, s->start, s->duration);
        return;
    case TD_SIGNAL_SINE: describe_sine(s, unit, text, size); return;
    case TD_SIGNAL_FORMULA: snprintf(text, size, "%s", s->formula); return;
    case TD_SIGNAL_POINTS:
    case TD_SIGNAL_CURVE:
        snprintf(text, size, "%s%d points from %g to %g s",
                 s->kind == TD_SIGNAL_CURVE ? "a curve through " : "", s->n_points, s->points[0],
                 s->points[2 * (s->n_points - 1)]);
        return;
    }
    snprintf(text, size, "unknown");
}

void describe_number(const td_robot *robot, td_number n, char *text, size_t size) {
    if (n.gain == 0.0) {
        snprintf(text, size, "%g", n.value);
        return;
    }
    const char *name = robot->inputs[n.input].name;
    char driven[160];
    if (n.gain == 1.0) {
        snprintf(driven, sizeof driven, "%s", name);
    } else if (n.gain == -1.0) {
        snprintf(driven, sizeof driven, "-%s", name);
    } else {
        snprintf(driven, sizeof driven, "%g*%s", n.gain, name);
    }
    if (n.value == 0.0) {
        snprintf(text, size, "%s", driven);
    } else {
        snprintf(text, size, "%g + %s", n.value, driven);
    }
}

static void describe_numbers(const td_robot *robot, const td_number n[3], char *text, size_t size) {
    char part[3][192];
    for (int i = 0; i < 3; i++) describe_number(robot, n[i], part[i], sizeof part[i]);
    snprintf(text, size, "[%s, %s, %s]", part[0], part[1], part[2]);
}

static bool all_zero(const td_number n[3]) {
    for (int i = 0; i < 3; i++) {
        if (n[i].gain != 0.0 || n[i].value != 0.0) return false;
    }
    return true;
}

load_facts load_facts_of(const td_robot *robot, int index) {
    const robot_load *load = &robot->loads[index];
    const td_load_def *d = &load->def;
    load_facts f = {.name = load->name,
                    .rod = d->rod == FREE_BODY ? NULL : robot->rods[d->rod].name,
                    .body = d->rod == FREE_BODY ? robot->bodies[d->body].name : NULL,
                    .distributed = d->distributed,
                    .frame = load_word(d->frame),
                    .from = d->from,
                    .to = d->distributed ? d->to : d->from};
    if (!all_zero(d->force)) describe_numbers(robot, d->force, f.force, sizeof f.force);
    if (!all_zero(d->moment)) describe_numbers(robot, d->moment, f.moment, sizeof f.moment);
    return f;
}

field_facts field_facts_of(const td_robot *robot, int index) {
    static const char *const names[5] = {"xx", "yy", "xy", "xz", "yz"};
    const td_field_def *d = &robot->fields[index].def;
    field_facts f = {.name = d->name, .dipole = d->kind == TD_FIELD_DIPOLE};
    size_t used = 0;
    describe_numbers(robot, f.dipole ? d->moment : d->flux, f.strength, sizeof f.strength);
    describe_numbers(robot, d->position, f.position, sizeof f.position);
    for (int i = 0; i < 5; i++) {
        char text[192];
        if (d->gradient[i].gain == 0.0 && d->gradient[i].value == 0.0) continue;
        describe_number(robot, d->gradient[i], text, sizeof text);
        used += (size_t)snprintf(f.gradient + used, sizeof f.gradient - used, "%s%s %s",
                                 used ? ", " : "", names[i], text);
        if (used >= sizeof f.gradient) break;
    }
    return f;
}

void describe_fluid(const td_robot *robot, char *text, size_t size) {
    const td_fluid_def *d = &robot->fluid;
    char velocity[640] = "";
    text[0] = '\0';
    if (!(d->density > 0.0)) return;
    if (!all_zero(d->velocity)) describe_numbers(robot, d->velocity, velocity, sizeof velocity);
    snprintf(text, size, "%g kg/m^3%s%s%s", d->density, velocity[0] ? ", moving with " : "",
             velocity, velocity[0] ? " m/s" : "");
}

static void describe_surface(double mu, double K, char *text, size_t size) {
    char friction[40] = "", stiffness[40] = "";
    if (mu > 0.0) snprintf(friction, sizeof friction, "friction %g", mu);
    if (K > 0.0) snprintf(stiffness, sizeof stiffness, "stiffness %g Pa", K);
    snprintf(text, size, "%s%s%s", friction, mu > 0.0 && K > 0.0 ? ", " : "", stiffness);
}

obstacle_facts obstacle_facts_of(const td_robot *robot, int index) {
    const td_obstacle_def *d = &robot->obstacles[index].def;
    obstacle_facts f = {.name = d->name, .shape = obstacle_word(d->shape), .inside = d->inside};
    f.room = d->inside || obstacle_is(d->shape, IS_ROOM);
    f.in_file = obstacle_is(d->shape, IS_IN_FILE);
    obstacle_describe(d, f.size, sizeof f.size);
    describe_numbers(robot, d->position, f.position, sizeof f.position);
    describe_surface(d->friction, d->stiffness, f.surface, sizeof f.surface);
    return f;
}

contact_facts contact_facts_of(const td_robot *robot, int index) {
    const td_contact_def *d = &robot->contacts[index].def;
    contact_facts f = {.name = d->name};
    size_t used = 0;
    for (int i = 0; i < d->n_rods + d->n_bodies && used < sizeof f.between; i++) {
        const char *name = i < d->n_rods ? robot->rods[d->rods[i]].name
                                         : robot->bodies[d->bodies[i - d->n_rods]].name;
        used += (size_t)snprintf(f.between + used, sizeof f.between - used, "%s%s", i ? ", " : "",
                                 name);
    }
    if (d->self && used < sizeof f.between)
        snprintf(f.between + used, sizeof f.between - used, ", and %s",
                 d->n_rods > 1 ? "rods with themselves" : "the rod with itself");
    describe_surface(d->friction, d->stiffness, f.surface, sizeof f.surface);
    return f;
}

input_facts input_facts_of(const td_robot *robot, int index) {
    const robot_input *input = &robot->inputs[index];
    input_facts f = {.name = input->name, .unit = input->unit};
    describe_signal(&input->signal, input->unit, f.signal, sizeof f.signal);
    return f;
}

void describe_gravity(const td_robot *robot, char *text, size_t size) {
    describe_numbers(robot, robot->gravity, text, size);
}

const char *robot_named_file(const td_robot *robot) {
    return robot->named_file;
}
