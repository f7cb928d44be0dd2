// model/virtual_power/compile.c - from a robot to chains of discs.
#include "model/virtual_power/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ---------------------------------------------------------------- drives
static drive drive_of(const actuator *a, const disc_places *p, double length) {
    const td_tendon_def *t = &a->path;
    drive d = {.a = a,
               .end = disc_at(p, t->to, length) + 1,
               .bending = t->bending,
               .torsion = t->torsion,
               .friction = t->friction,
               .pushes = t->pushes};
    d.parallel = t->routing == TD_ROUTING_STRAIGHT && t->offset[0] == t->offset_end[0] &&
                 t->offset[1] == t->offset_end[1];
    d.hole = actuator_route(a, t->from).r;
    if (a->control != CONTROL_EFFORT) d.yield = a->yield;
    return d;
}

static bool add_drives(virtual_power *c, int index, const disc_places *p) {
    arm *a = &c->arms[index];
    a->chain.drives = calloc((size_t)c->n_actuators + 1, sizeof *a->chain.drives);
    if (!a->chain.drives) return false;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *at = &c->actuators[i];
        if (at->rod != index) continue;
        drive *d = &a->chain.drives[a->chain.n_drives];
        *d = drive_of(at, p, a->length);
        d->straight = straight_path(&a->chain, d);
        c->tendons[i] = (place_on_arm){index, a->chain.n_drives++};
    }
    return true;
}

// ---------------------------------------------------------------- loads and bodies
static bool add_loads(arm *a, const td_robot *robot, int index, const disc_places *p) {
    a->loads = calloc((size_t)robot->n_loads + 1, sizeof *a->loads);
    if (!a->loads) return false;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *from = &robot->loads[i].def;
        int disc = from->rod == index ? disc_at(p, from->from, a->length) : -1;
        if (disc < 0) continue;  // on another rod, or at the base, where it moves nothing
        disc_load *to = &a->loads[a->n_loads++];
        to->disc = disc;
        to->of = load_kept(from);
    }
    return true;
}

static void place_bodies(virtual_power *c, const td_robot *robot, int index, const disc_places *p) {
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod == index)
            c->bodies[i] =
                (place_on_arm){index, disc_at(p, robot->bodies[i].def.at, c->arms[index].length)};
}

// ---------------------------------------------------------------- arms
// Coordinates in units of a radian, and the stiffness of core and rods against each.
static void fill_units(arm *a) {
    const chain *c = &a->chain;
    a->own = a->unit + c->n_q;
    for (int k = 0; k < c->n_q; k++) {
        const int i = k / c->per, local = k % c->per;
        const segment *s = &c->segments[i];
        double K = s->stiffness[local == 0 ? 1 : local == 1 ? 0 : 2];
        for (int j = 0; j < c->n_drives; j++)
            if (i < c->drives[j].end) K += local == 2 ? c->drives[j].torsion : c->drives[j].bending;
        a->unit[k] = local == 2 ? 1.0 : 1.0 / s->length;
        a->own[k] = local == 2 ? K / s->length : K * s->length;
    }
}

static bool fill_arm(virtual_power *c, const td_robot *robot, int index, const disc_places *p) {
    const td_virtual_power_options *o = &c->options.virtual_power;
    const robot_rod *rod = &robot->rods[index];
    arm *a = &c->arms[index];
    a->length = rod->length;
    a->base = chain_base(&rod->base);
    a->name = strdup(rod->name);
    a->chain = (chain){.n = p->n, .per = o->torsion ? 3 : 2, .options = *o};
    a->chain.n_q = a->chain.n * a->chain.per;
    a->chain.segments = calloc((size_t)p->n, sizeof *a->chain.segments);
    a->unit = calloc(2 * (size_t)a->chain.n_q, sizeof *a->unit);
    c->n_q += a->chain.n_q;
    if (!a->name || !a->chain.segments || !a->unit) return false;
    fill_segments(robot, index, p, c->actuators, &c->options, a->chain.segments);
    a->still = still_part(robot, index, p, c->actuators, &c->options);
    place_bodies(c, robot, index, p);
    if (!add_drives(c, index, p) || !add_loads(a, robot, index, p)) return false;
    fill_units(a);
    return touch_rod_at(robot, index, p->n, p->s, a->length / p->n, &a->touch);
}

static td_status compile_arm(virtual_power *c, const td_robot *robot, int index, td_error *err) {
    const td_virtual_power_options *o = &c->options.virtual_power;
    disc_places p;
    if (!find_places(robot, index, o->discs, &p))
        return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    td_status status = check_rod(robot, index, &p, o, err);
    if (!status && !fill_arm(c, robot, index, &p))
        status = error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    free(p.s);
    return status;
}

static bool make_lists(virtual_power *c, const td_robot *robot) {
    c->arms = calloc((size_t)robot->n_rods, sizeof *c->arms);
    c->bodies = calloc((size_t)robot->n_bodies + 1, sizeof *c->bodies);
    c->n_actuators = robot->n_actuators;
    c->tendons = calloc((size_t)c->n_actuators + 1, sizeof *c->tendons);
    c->n_bodies = robot->n_bodies;
    return c->arms && c->bodies && c->tendons;
}

// Where nothing rubs, virtual work is exact; contact forces by least squares only come near it.
static td_contact contact_for(const td_robot *robot, const td_virtual_power_options *o) {
    if (o->contact != TD_CONTACT_AUTO) return o->contact;
    bool rubs = false;
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++)
        rubs |= robot_tendon(robot, i)->friction > 0.0;
    return rubs ? TD_CONTACT_LEAST_SQUARES : TD_CONTACT_IDEAL;
}

void *power_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                    td_error *err) {
    if (check_integration(&options->integration, err) < 0) return NULL;
    virtual_power *c = calloc(1, sizeof *c);
    if (c) c->options = *options;
    if (!c || !make_lists(c, robot)) {
        error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        power_release(c);
        return NULL;
    }
    c->options.virtual_power.contact = contact_for(robot, &options->virtual_power);
    c->n_inputs = robot->n_inputs;
    c->actuators = actuators;
    c->around = environment_of(robot);
    td_status status = check_tendon_holes(robot, c->actuators, err);
    for (int i = 0; i < robot->n_rods && !status; i++) {
        c->n_arms = i + 1;
        status = compile_arm(c, robot, i, err);
    }
    if (!status && !add_notes(c, robot))
        status = error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    if (!status) return c;
    power_release(c);
    return NULL;
}

void power_release(void *compiled) {
    virtual_power *c = compiled;
    if (!c) return;
    for (int i = 0; i < c->n_arms; i++) {
        free(c->arms[i].name);
        free(c->arms[i].chain.segments);
        free(c->arms[i].chain.drives);
        free(c->arms[i].loads);
        free(c->arms[i].unit);
        touch_release(&c->arms[i].touch);
    }
    free(c->arms);
    free(c->bodies);
    free(c->tendons);
    notes_free(&c->notes);
    free(c);
}
