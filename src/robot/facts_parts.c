// What can be said of bodies, tendons, chambers and of how rods are held.
#include <stdio.h>
#include <string.h>

#include "robot/facts.h"
#include "robot/route.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- ends of rods
static void describe_joint(const td_robot *robot, td_joint joint, int body, char *text,
                           size_t size) {
    static const char *const words[] = {"clamped to", "by a ball joint on",
                                        "by a revolute joint on", "by a universal joint on"};
    snprintf(text, size, "%s %s", words[joint],
             body == TD_WORLD ? "the world" : robot->bodies[body].name);
}

end_facts end_facts_of(const td_robot *robot, int index) {
    const robot_rod *rod = &robot->rods[index];
    const td_base_def *base = &rod->base;
    const td_tip_def *tip = &rod->tip;
    end_facts f = {0};
    if (base->body != TD_WORLD) f.base_body = robot->bodies[base->body].name;
    if (tip->held && tip->body != TD_WORLD) f.tip_body = robot->bodies[tip->body].name;
    if (base->body != TD_WORLD || base->joint != TD_CLAMP)
        describe_joint(robot, base->joint, base->body, f.base, sizeof f.base);
    if (tip->held) describe_joint(robot, tip->joint, tip->body, f.tip, sizeof f.tip);
    if (is_fed(rod->feed)) describe_number(robot, rod->feed, f.feed, sizeof f.feed);
    return f;
}

// ---------------------------------------------------------------- bodies
body_facts body_facts_of(const td_robot *robot, int index) {
    const td_body_def *d = &robot->bodies[index].def;
    body_facts f = {.name = robot->bodies[index].name, .mass = d->mass};
    if (d->rod != FREE_BODY) {
        f.rod = robot->rods[d->rod].name;
        f.at = d->at;
    }
    memcpy(f.inertia, d->inertia, sizeof f.inertia);
    f.radius = d->radius, f.height = d->height;
    describe_number(robot, d->attached, f.attached, sizeof f.attached);
    return f;
}

// ---------------------------------------------------------------- tendons
static void describe_route(const td_tendon_def *d, char *text, size_t size) {
    const double *a = d->offset, *b = d->offset_end;
    if (d->routing == TD_ROUTING_HELIX) {
        snprintf(text, size, "helix of radius %g mm, %g turn%s from %g deg", 1e3 * d->radius,
                 d->turns, d->turns == 1.0 ? "" : "s", d->phase * 180.0 / PI);
    } else if (goes_through_points(d)) {
        snprintf(text, size, "through %d points", d->n_points);
    } else if (a[0] == b[0] && a[1] == b[1]) {
        snprintf(text, size, "parallel at (%g, %g) mm", 1e3 * a[0], 1e3 * a[1]);
    } else {
        snprintf(text, size, "straight from (%g, %g) to (%g, %g) mm", 1e3 * a[0], 1e3 * a[1],
                 1e3 * b[0], 1e3 * b[1]);
    }
}

static void describe_properties(const td_tendon_def *d, char *text, size_t size) {
    const struct {
        const char *name, *unit;
        double value;
    } list[] = {{"EA", "N", d->stiffness},
                {"outside", "m", d->outside},
                {"compliance", "m/N", d->compliance},
                {"pretension", "N", d->pretension},
                {"friction", "", d->friction},
                {"viscous", "s/m", d->viscous},
                {"EJ", "N m^2", d->bending},
                {"GJ", "N m^2", d->torsion},
                {"mass", "kg/m", d->mass_per_length}};
    size_t used = d->pushes ? (size_t)snprintf(text, size, "pushes and pulls") : 0;
    text[used] = '\0';
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i].value == 0.0) continue;
        int n = snprintf(text + used, size - used, "%s%s %g%s%s", used ? ", " : "", list[i].name,
                         list[i].value, list[i].unit[0] ? " " : "", list[i].unit);
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
}

tendon_facts tendon_facts_of(const td_robot *robot, int index) {
    const td_tendon_def *d = &robot->tendons[index].def;
    tendon_facts f = {.name = robot->tendons[index].name,
                      .rod = robot->rods[d->rod].name,
                      .from = d->from,
                      .to = d->to};
    f.given = d->input == TD_TENSION ? "tension" : "displacement";
    f.unit = d->input == TD_TENSION ? "N" : "m";
    describe_route(d, f.route, sizeof f.route);
    describe_properties(d, f.properties, sizeof f.properties);
    describe_number(robot, d->value, f.value, sizeof f.value);
    return f;
}

bool tendon_is_displaced(const td_robot *robot, int tendon) {
    return robot->tendons[tendon].def.input == TD_DISPLACEMENT;
}

// ---------------------------------------------------------------- chambers
chamber_facts chamber_facts_of(const td_robot *robot, int index) {
    static const char *const given[] = {"pressure", "volume", "amount"};
    static const char *const units[] = {"Pa", "m^3", "mol"};
    const td_chamber_def *d = &robot->chambers[index].def;
    chamber_facts f = {.name = robot->chambers[index].name,
                       .rod = robot->rods[d->rod].name,
                       .from = d->from,
                       .to = d->to,
                       .given = given[d->input],
                       .unit = units[d->input]};
    f.area = d->radius > 0.0 ? PI * d->radius * d->radius : d->area;
    memcpy(f.offset, d->offset, sizeof f.offset);
    describe_number(robot, d->value, f.value, sizeof f.value);
    return f;
}

// ---------------------------------------------------------------- inputs
static bool drives(const td_number *n, int input) {
    return n->gain != 0.0 && n->input == input;
}

bool input_actuates(const td_robot *robot, int input) {
    for (int i = 0; i < robot->n_rods; i++)
        if (drives(&robot->rods[i].feed, input)) return true;
    for (int i = 0; i < robot->n_tendons; i++)
        if (drives(&robot->tendons[i].def.value, input)) return true;
    for (int i = 0; i < robot->n_chambers; i++)
        if (drives(&robot->chambers[i].def.value, input)) return true;
    return false;
}
