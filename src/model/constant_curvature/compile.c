// model/constant_curvature/compile.c - from a robot to chains of arcs.
#include "model/constant_curvature/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quadrature.h"

// ---------------------------------------------------------------- drives
static bool add_drives(constant_curvature *c, int index, const arc_ends *e) {
    arm *a = &c->arms[index];
    a->chain.drives = calloc((size_t)c->n_actuators + 1, sizeof *a->chain.drives);
    if (!a->chain.drives) return false;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *at = &c->actuators[i];
        if (at->rod != index) continue;
        drive *d = &a->chain.drives[a->chain.n_drives];
        d->a = at;
        d->first = arcs_place(e, at->from, a->length).segment + 1;
        d->end = arcs_place(e, at->to, a->length).segment + 1;
        d->unknown = effort_is_rigid(at) ? a->chain.n_unknown++ : -1;
        c->drive_arm[i] = index;
        c->drive_index[i] = a->chain.n_drives++;
    }
    return true;
}

// ---------------------------------------------------------------- loads and bodies, along the arm
static bool before(int at, double x, int other, double other_x) {
    return at < other || (at == other && x < other_x);
}

static void insert_load(arm *a, point_load load, td_load_def def) {
    chain *c = &a->chain;
    int k = c->n_loads++;
    for (; k > 0 && before(load.segment, load.x, c->loads[k - 1].segment, c->loads[k - 1].x); k--) {
        c->loads[k] = c->loads[k - 1];
        a->wrenches[k] = a->wrenches[k - 1];
    }
    c->loads[k] = load;
    a->wrenches[k] = def;
}

// around: so many more, of what surrounds it.
static bool add_loads(arm *a, const td_robot *robot, int index, const arc_ends *e, int around) {
    const size_t most = (size_t)(robot->n_loads + a->touch.n_points + around) + 1;
    chain *c = &a->chain;
    c->loads = calloc(most, sizeof *c->loads);
    a->wrenches = calloc(most, sizeof *a->wrenches);
    if (!c->loads || !a->wrenches) return false;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *from = &robot->loads[i].def;
        if (from->rod != index) continue;
        place_on_arm at = arcs_place(e, from->from, a->length);
        if (at.segment < 0) continue;  // at the base, where it moves nothing
        insert_load(a, (point_load){at.segment, at.x, from->frame == TD_FRAME_BODY, -1, -1, -1},
                    load_kept(from));
    }
    for (int i = 0; i < a->touch.n_points; i++) {
        const place_on_arm at = arcs_place(e, a->touch.points[i].s, a->length);
        insert_load(a, (point_load){at.segment, at.x, false, i, -1, i},
                    (td_load_def){.rod = index});
    }
    return true;
}

// ---------------------------------------------------------------- surroundings
#define LEAST_STRETCHES 24  // of an arm in its surroundings,
#define EACH_STRETCHES 4    // and of an arc: nodes of Gauss's rule

static void put_around(arm *a, int arc, double x, const point_body *b) {
    const int i = a->n_around++;
    a->around[i] = *b;
    insert_load(a, (point_load){arc, x, false, -1, i, a->touch.n_points + i}, (td_load_def){0});
}

static int arc_stretches(const arc_ends *e) {
    const int each = (LEAST_STRETCHES + e->n - 1) / e->n;
    return each > EACH_STRETCHES ? each : EACH_STRETCHES;
}

static void surround_arcs(arm *a, const td_robot *robot, int index, const arc_ends *e) {
    double x[LEAST_STRETCHES], weight[LEAST_STRETCHES];
    const int each = arc_stretches(e);
    gauss_legendre(each, x, weight);
    for (int i = 0; i < e->n; i++) {
        const double from = i ? e->s[i - 1] : 0.0, length = e->s[i] - from;
        for (int k = 0; k < each; k++) {
            point_body b = {.mass = 0.0};
            const td_piece_def *piece = arcs_piece(&robot->rods[index], from + x[k] * length);
            point_body_add_piece(&b, piece, 0.0, robot->fluid.density, weight[k] * length);
            put_around(a, i, x[k], &b);
        }
    }
}

// What else than weight surrounds the arm, at points along its arcs and at its bodies.
static void add_around(arm *a, const td_robot *robot, int index, const arc_ends *e) {
    surround_arcs(a, robot, index, e);
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *def = &robot->bodies[i].def;
        const point_body b = point_body_of(def, robot->fluid.density);
        if (def->rod != index || point_body_is_plain(&b)) continue;
        const place_on_arm at = arcs_place(e, def->at, a->length);
        if (at.segment >= 0) put_around(a, at.segment, at.x, &b);
    }
}

// ---------------------------------------------------------------- obstacles
#define LEAST_POINTS 32  // that touch, of an arm

// Each arc touches with its end and points at equal distances before it; as hard as these resolve.
static bool touch_things(const td_robot *robot, int index, const arc_ends *e, arm *a) {
    const int each = (LEAST_POINTS + e->n - 1) / e->n, n = robot->n_obstacles ? each * e->n : 0;
    double *s = calloc((size_t)n + 1, sizeof *s);
    for (int i = 0; i < n && s; i++) {
        const double from = i < each ? 0.0 : e->s[i / each - 1];
        s[i] = from + (e->s[i / each] - from) * (i % each + 1) / each;
    }
    const bool made = s && touch_rod_at(robot, index, n, s, a->length / fmax(1.0, n), &a->touch);
    free(s);
    return made;
}

static bool add_riders(constant_curvature *all, int index, const td_robot *robot,
                       const arc_ends *e) {
    arm *a = &all->arms[index];
    chain *c = &a->chain;
    c->riders = calloc((size_t)robot->n_bodies + 1, sizeof *c->riders);
    if (!c->riders) return false;
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *def = &robot->bodies[i].def;
        if (def->rod != index) continue;
        place_on_arm at = arcs_place(e, def->at, a->length);
        at.arm = index;
        all->bodies[i] = at;
        if (at.segment < 0) continue;
        int k = c->n_riders++;
        for (; k > 0 && before(at.segment, at.x, c->riders[k - 1].segment, c->riders[k - 1].x); k--)
            c->riders[k] = c->riders[k - 1];
        c->riders[k] = arcs_rider(def, at);
        a->mass += def->mass;
    }
    return true;
}

// ---------------------------------------------------------------- arms
static void fill_units(arm *a) {
    const chain *c = &a->chain;
    a->own = a->unit + c->n_q;
    a->effort_unit = a->own + c->n_q;
    for (int i = 0; i < c->n_drives; i++)
        if (c->drives[i].unknown >= 0)
            a->effort_unit[c->drives[i].unknown] = effort_unit(c->drives[i].a);
    for (int k = 0; k < c->n_q; k++) {
        const segment *g = &c->segments[k / c->per];
        const int local = k % c->per;
        a->own[k] = (local == 2 ? g->extension : g->bending[local]) / g->length;
        a->unit[k] = local == 2 ? g->length : 1.0;
    }
}

static bool fill_arm(constant_curvature *c, const td_robot *robot, int index, const arc_ends *e) {
    const td_constant_curvature_options *o = &c->options.constant_curvature;
    const robot_rod *rod = &robot->rods[index];
    arm *a = &c->arms[index];
    a->length = rod->length;
    a->base = chain_base(&rod->base);
    a->first = c->n_q;
    a->name = strdup(rod->name);
    a->chain = (chain){.n = e->n,
                       .per = c->options.theory == TD_KIRCHHOFF ? 2 : N_LOCAL,
                       .present_length = o->present_length,
                       .radial_damping = o->radial_damping,
                       .printed_scaling = o->printed_scaling};
    a->chain.n_q = a->chain.n * a->chain.per;
    c->n_q += a->chain.n_q;
    arcs_make_rules(&a->chain);
    a->chain.segments = calloc((size_t)e->n, sizeof *a->chain.segments);
    a->unit = calloc(2 * (size_t)a->chain.n_q + (size_t)c->n_actuators, sizeof *a->unit);
    if (!a->name || !a->chain.segments || !a->unit) return false;
    a->chain.n_inner = arcs_fill_segments(rod, e, c->options.rotary_inertia, a->chain.segments);
    for (int i = 0; i < e->n; i++) a->mass += a->chain.segments[i].mass;
    const bool calm = environment_is_uniform(&c->around);
    const int around = calm ? 0 : e->n * arc_stretches(e) + robot->n_bodies;
    a->around = calloc((size_t)around + 1, sizeof *a->around);
    if (!a->around || !touch_things(robot, index, e, a) || !add_drives(c, index, e) ||
        !add_loads(a, robot, index, e, around) || !add_riders(c, index, robot, e))
        return false;
    if (!calm) add_around(a, robot, index, e);
    fill_units(a);
    return true;
}

static td_status compile_arm(constant_curvature *c, const td_robot *robot, int index,
                             td_error *err) {
    arc_ends e;
    td_status status = TD_OK;
    bool made = arcs_find_ends(robot, index, c->options.constant_curvature.segments, &e);
    if (made) status = arcs_check_rod(robot, index, &e, err);
    if (made && !status)
        status = arcs_check_material(&c->options.constant_curvature, &robot->rods[index], err);
    if (!status && (!made || !fill_arm(c, robot, index, &e)))
        status = error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    free(e.s);
    return status;
}

static bool make_lists(constant_curvature *c, const td_robot *robot) {
    c->arms = calloc((size_t)robot->n_rods, sizeof *c->arms);
    c->bodies = calloc((size_t)robot->n_bodies + 1, sizeof *c->bodies);
    c->n_actuators = robot->n_actuators;
    c->drive_arm = calloc((size_t)c->n_actuators + 1, sizeof *c->drive_arm);
    c->drive_index = calloc((size_t)c->n_actuators + 1, sizeof *c->drive_index);
    c->n_bodies = robot->n_bodies;
    return c->arms && c->bodies && c->drive_arm && c->drive_index;
}

void *arcs_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                   td_error *err) {
    if (check_integration(&options->integration, err) < 0) return NULL;
    constant_curvature *c = calloc(1, sizeof *c);
    if (c) c->options = *options;
    if (!c || !make_lists(c, robot)) {
        error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        arcs_release(c);
        return NULL;
    }
    c->actuators = actuators;
    c->n_inputs = robot->n_inputs;
    c->around = environment_of(robot);
    td_status status = TD_OK;
    for (int i = 0; i < c->n_actuators && !status; i++)
        status = arcs_check_actuator(&options->constant_curvature, &actuators[i], err);
    for (int i = 0; i < robot->n_rods && !status; i++) {
        c->n_arms = i + 1;
        status = compile_arm(c, robot, i, err);
    }
    if (!status && !arcs_add_notes(c, robot))
        status = error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    if (!status) return c;
    arcs_release(c);
    return NULL;
}

void arcs_release(void *compiled) {
    constant_curvature *c = compiled;
    if (!c) return;
    for (int i = 0; i < c->n_arms; i++) {
        arm *a = &c->arms[i];
        free(a->name);
        free(a->chain.segments);
        free(a->chain.riders);
        free(a->chain.loads);
        free(a->chain.drives);
        free(a->wrenches);
        free(a->around);
        free(a->unit);
        touch_release(&a->touch);
    }
    free(c->arms);
    free(c->bodies);
    free(c->drive_arm);
    free(c->drive_index);
    notes_free(&c->notes);
    free(c);
}
