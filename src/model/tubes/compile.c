// model/tubes/compile.c - from a robot to bundles of tubes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/tubes/tubes.h"
#include "robot/inertia.h"
#include "robot/loads.h"
#include "solve/step.h"

#define MOST_SHAFTS 8  // stretches of one tube behind the plate that twist differently
#define LEAST_NODES 8  // along all of a bundle
#define SPOTS 24       // of a tube, that touch obstacles

typedef struct plan_tube {  // before there is room for it
    int rod;
    double *marks;  // (n_marks)
    int n_marks;
    shaft_def shafts[MOST_SHAFTS];
    int n_shafts;
} plan_tube;

typedef struct builder {
    const td_robot *robot;
    const actuator *actuators;
    tubes *c;
    bundle *to;
    int index;
    plan_tube tubes[MOST_TUBES];
    int n;
    bool rotary;
} builder;

// ---------------------------------------------------------------- which rods
static td_status out_of_memory(td_error *err) {
    return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
}

// Outermost first, as they are found; turned round at the end.
static td_status find_tubes(builder *b, int rod, td_error *err) {
    const td_robot *robot = b->robot;
    char where[160];
    for (int next = rod; next >= 0;) {
        if (b->n == MOST_TUBES) {
            snprintf(where, sizeof where, "rods.%s.tube.within", robot->rods[next].name);
            return error_set(err, TD_ERR_UNSUPPORTED, where,
                             "more than %d rods in one another: the model tubes takes no more",
                             MOST_TUBES);
        }
        b->tubes[b->n++].rod = next;
        const int outer = next;
        next = -1;
        for (int i = outer + 1; i < robot->n_rods && next < 0; i++)
            if (robot->rods[i].tube.within == outer) next = i;
    }
    for (int i = 0; i < b->n / 2; i++) {
        const plan_tube first = b->tubes[i];
        b->tubes[i] = b->tubes[b->n - 1 - i];
        b->tubes[b->n - 1 - i] = first;
    }
    return TD_OK;
}

// ---------------------------------------------------------------- where they are cut
static td_status mark_tube(const td_robot *robot, plan_tube *t, td_error *err) {
    const robot_rod *rod = &robot->rods[t->rod];
    const size_t most = (size_t)(rod->n_pieces + robot->n_bodies + 2 * robot->n_loads +
                                 2 * robot->n_actuators + path_points(robot, t->rod, NULL) + 1);
    double *s = t->marks = malloc(sizeof(double) * most);
    if (!s) return out_of_memory(err);
    int n = piece_ends(rod, s);
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod == t->rod) s[n++] = robot->bodies[i].def.at;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *d = &robot->loads[i].def;
        if (d->rod != t->rod) continue;
        if (d->distributed) s[n++] = d->from;
        s[n++] = d->distributed ? d->to : d->from;
    }
    n += actuator_ends(robot, t->rod, s + n);
    n += path_points(robot, t->rod, s + n);
    qsort(s, (size_t)n, sizeof *s, ascending);
    const double same = SAME_PLACE * rod->length;
    for (int i = 0; i < n; i++) {
        if (s[i] <= same) continue;
        if (t->n_marks > 0 && s[i] - s[t->n_marks - 1] <= same) continue;
        s[t->n_marks++] = fabs(s[i] - rod->length) <= same ? rod->length : s[i];
    }
    return TD_OK;
}

static int mark_at(const tube_def *t, double s) {  // -1: its back end
    const double same = SAME_PLACE * t->as.length;
    if (s <= same) return -1;
    int i = 0;
    while (i + 1 < t->n_marks && t->marks[i] < s - same) i++;
    return i;
}

static bool twists_alike(const td_piece_def *a, const td_piece_def *b) {
    const td_section_properties x = piece_properties(a, 0.0), y = piece_properties(a, 1.0),
                                z = piece_properties(b, 0.0), w = piece_properties(b, 1.0);
    const double of[4][3] = {{x.stiffness[2], x.inertia[2], x.damping[2]},
                             {y.stiffness[2], y.inertia[2], y.damping[2]},
                             {z.stiffness[2], z.inertia[2], z.damping[2]},
                             {w.stiffness[2], w.inertia[2], w.damping[2]}};
    for (int i = 1; i < 4; i++)
        if (memcmp(of[0], of[i], sizeof of[0]) != 0) return false;
    return a->rest_curvature[2] == b->rest_curvature[2];
}

// Does what changes the sections of a rod begin or end there?
static bool changes_at(const builder *b, int rod, double s) {
    const double same = SAME_PLACE * b->robot->rods[rod].length;
    for (int i = 0; i < b->robot->n_actuators; i++) {
        const actuator *a = &b->actuators[i];
        if (a->rod == rod && a->kind->sections &&
            (fabs(a->from - s) <= same || fabs(a->to - s) <= same))
            return true;
    }
    return false;
}

// The first such place beyond s, before `end`; otherwise that.
static double next_change(const builder *b, int rod, double s, double end) {
    const double same = SAME_PLACE * b->robot->rods[rod].length, last = end - same;
    for (int i = 0; i < b->robot->n_actuators; i++) {
        const actuator *a = &b->actuators[i];
        if (a->rod != rod || !a->kind->sections) continue;
        if (a->from > s + same && a->from < last) end = fmin(end, a->from);
        if (a->to > s + same && a->to < last) end = fmin(end, a->to);
    }
    return end;
}

static td_status add_shaft(plan_tube *t, const char *rod, double from, double to, td_error *err) {
    char where[160];
    if (t->n_shafts < MOST_SHAFTS) {
        t->shafts[t->n_shafts++] = (shaft_def){from, to};
        return TD_OK;
    }
    snprintf(where, sizeof where, "rods.%s.pieces", rod);
    return error_set(err, TD_ERR_UNSUPPORTED, where,
                     "more than %d pieces that twist differently lie behind the base; the model "
                     "tubes takes no more",
                     MOST_SHAFTS);
}

// Stretches behind the plate; none where the back end stays at it, and no farther than it can be.
static td_status find_shafts(const builder *b, plan_tube *t, td_error *err) {
    const robot_rod *rod = &b->robot->rods[t->rod];
    const td_number beta = rod->tube.translation;
    const double reach = beta.gain != 0.0 ? rod->length : -beta.value;
    double from = 0.0, start = 0.0;
    for (int i = 0; i < rod->n_pieces; start += rod->pieces[i++].length) {
        const double end = start + rod->pieces[i].length;
        const bool alike = i > 0 && twists_alike(&rod->pieces[i - 1], &rod->pieces[i]);
        for (double to; from < end && from < reach; from = to) {
            to = next_change(b, t->rod, from, end);
            if (alike && !changes_at(b, t->rod, from)) {
                t->shafts[t->n_shafts - 1].to = to;
                continue;
            }
            const td_status status = add_shaft(t, rod->name, from, to, err);
            if (status) return status;
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------- one block for a bundle
static void size_bundle(builder *b, const td_options *o) {
    bundle *to = b->to;
    to->n = b->n;
    for (int j = 0; j < b->n; j++) {
        to->n_elements += b->tubes[j].n_marks;
        to->length = fmax(to->length, b->robot->rods[b->tubes[j].rod].length);
    }
    const int least = (LEAST_NODES + to->n_elements - 1) / to->n_elements;
    to->per = o->tubes.nodes > least ? o->tubes.nodes : least;
    to->n_nodes = to->per * to->n_elements;
    to->n_u = to->n_q = 2 * to->n_nodes;
    for (int j = 0; j < b->n; j++) to->n_q += b->tubes[j].n_shafts * to->per + to->n_nodes;
}

static bool is_uniform(const td_piece_def *piece) {
    const td_section_properties a = piece_properties(piece, 0.0), b = piece_properties(piece, 1.0);
    return memcmp(&a, &b, sizeof a) == 0;  // doubles only
}

static void carve(builder *b, arena *block) {
    const td_robot *robot = b->robot;
    bundle *to = b->to;
    to->tubes = ARENA_TAKE(block, tube_def, b->n);
    to->riders = ARENA_TAKE(block, rider, robot->n_bodies);
    to->loads = ARENA_TAKE(block, tube_load, robot->n_loads);
    to->drives = ARENA_TAKE(block, drive, robot->n_actuators);
    to->unit = ARENA_TAKE(block, double, to->n_q);
    to->effort_unit = ARENA_TAKE(block, double, robot->n_actuators);
    int first = to->n_u;
    for (int j = 0; j < b->n; j++) {
        const plan_tube *from = &b->tubes[j];
        const robot_rod *rod = &robot->rods[from->rod];
        char *name = arena_copy(block, rod->name, strlen(rod->name) + 1);
        td_piece_def *pieces =
            arena_copy(block, rod->pieces, sizeof *pieces * (size_t)rod->n_pieces);
        double *marks = arena_copy(block, from->marks, sizeof *marks * (size_t)from->n_marks);
        shaft_def *shafts =
            arena_copy(block, from->shafts, sizeof *shafts * (size_t)from->n_shafts);
        tube_section *uniform = ARENA_TAKE(block, tube_section, rod->n_pieces);
        const int n_t = from->n_shafts * to->per + to->n_nodes;
        first += n_t;
        if (!block->base) continue;
        tube_def *t = &to->tubes[j];
        *t = (tube_def){.name = name,
                        .rod = from->rod,
                        .as = {.name = name,
                               .pieces = pieces,
                               .n_pieces = rod->n_pieces,
                               .length = rod->length},
                        .uniform = uniform,
                        .rotation = rod->tube.rotation,
                        .translation = rod->tube.translation,
                        .friction = rod->tube.friction,
                        .slip_rate = rod->tube.slip_rate,
                        .fluid = robot->fluid.density,
                        .rotary = b->rotary,
                        .marks = marks,
                        .n_marks = from->n_marks,
                        .shafts = shafts,
                        .n_shafts = from->n_shafts,
                        .first = first - n_t,
                        .n_t = n_t};
        for (int i = 0; i < rod->n_pieces; i++)
            if (is_uniform(&rod->pieces[i])) uniform[i] = piece_section(t, &rod->pieces[i], 0.0);
    }
}

static bool allocate(builder *b) {
    arena count = {NULL, 0};
    carve(b, &count);
    b->to->allocation = calloc(1, count.used);
    arena block = {b->to->allocation, 0};
    if (!block.base) return false;
    carve(b, &block);
    return true;
}

// ---------------------------------------------------------------- what they carry
static rider make_rider(const td_body_def *d, int tube, int mark, int body, double fluid) {
    const vec3 c = vec3_load(d->centre);
    const mat3 J = body_inertia(d), hat = mat3_hat(c), square = mat3_mul(&hat, &hat);
    const mat3 shift = mat3_scale(&square, -d->mass);  // Steiner: - m c^ c^
    return (rider){.tube = tube,
                   .mark = mark,
                   .mass = d->mass,
                   .moment = vec3_scale(c, d->mass),
                   .around = point_body_of(d, fluid),
                   .inertia = mat3_add(&J, &shift),
                   .attached = d->attached,
                   .body = body};
}

static void add_parts(builder *b) {
    const td_robot *robot = b->robot;
    bundle *to = b->to;
    for (int j = 0; j < b->n; j++) {
        const tube_def *t = &to->tubes[j];
        b->c->bundle_of[t->rod] = b->index;
        b->c->tube_of[t->rod] = j;
        for (int i = 0; i < robot->n_bodies; i++) {
            const td_body_def *d = &robot->bodies[i].def;
            if (d->rod != t->rod) continue;
            b->c->body_bundle[i] = b->index;
            b->c->body_rider[i] = to->n_riders;
            to->riders[to->n_riders++] =
                make_rider(d, j, mark_at(t, d->at), i, robot->fluid.density);
        }
        for (int i = 0; i < robot->n_loads; i++) {
            const td_load_def *d = &robot->loads[i].def;
            if (d->rod != t->rod) continue;
            tube_load l = {.tube = j, .from = mark_at(t, d->from), .of = load_kept(d)};
            l.to = d->distributed ? mark_at(t, d->to) : l.from;
            to->loads[to->n_loads++] = l;
        }
        for (int i = 0; i < robot->n_actuators; i++) {
            const actuator *a = &b->actuators[i];
            if (a->rod != t->rod) continue;
            drive *d = &to->drives[to->n_drives];
            *d = (drive){a, j, effort_is_rigid(a) ? to->n_unknown++ : -1};
            if (d->unknown >= 0) to->effort_unit[d->unknown] = effort_unit(a);
            b->c->drive_bundle[i] = b->index;
            b->c->drive_index[i] = to->n_drives++;
        }
    }
}

// As many points on each tube as there are nodes along it where it is alone, and more where it is long; the last is its tip.
static bool touch_things(builder *b) {
    bundle *to = b->to;
    touch *t = &to->touch;
    int n = 0;
    if (b->robot->n_obstacles == 0) return true;
    if (!touch_make(b->robot, b->n * SPOTS, b->n, t)) return false;
    for (int j = 0; j < b->n; j++) {
        const double L = to->tubes[j].as.length, h = L / SPOTS;
        const int rod = to->tubes[j].rod;
        touch_set_rod(t, b->robot, rod, j, h);
        for (int i = 0; i < SPOTS; i++) {
            const double s = h * (i + 1);
            t->points[n++] = (touch_point){.row = j,
                                           .radius = touch_radius(b->robot, rod, s),
                                           .length = i + 1 < SPOTS ? h : 0.5 * h,
                                           .there = td_constant(1.0),
                                           .rod = rod,
                                           .body = -1,
                                           .s = s};
        }
    }
    return true;
}

static td_status build_bundle(builder *b, int rod, const td_options *o, td_error *err) {
    const td_base_def *base = &b->robot->rods[rod].base;
    td_status status = find_tubes(b, rod, err);
    for (int j = 0; j < b->n && !status; j++) status = mark_tube(b->robot, &b->tubes[j], err);
    for (int j = 0; j < b->n && !status; j++) status = find_shafts(b, &b->tubes[j], err);
    if (status) return status;
    size_bundle(b, o);
    if (!allocate(b)) return out_of_memory(err);
    b->to->base = *base;
    b->to->moves = any_driven(base->position, 3) || any_driven(base->rotation, 3);
    for (int k = 0; k < b->to->n_q; k++) b->to->unit[k] = 1.0 / b->to->length;
    add_parts(b);
    if (!touch_things(b)) return out_of_memory(err);
    if (!bundle_table_make(b->to->per, &b->to->gauss)) return out_of_memory(err);
    return TD_OK;
}

// ---------------------------------------------------------------- all of them
static bool make_lists(tubes *c, const td_robot *robot) {
    const size_t rods = (size_t)robot->n_rods + 1, bodies = (size_t)robot->n_bodies + 1;
    c->bundles = calloc(rods, sizeof *c->bundles);
    c->bundle_of = calloc(rods, sizeof *c->bundle_of);
    c->tube_of = calloc(rods, sizeof *c->tube_of);
    c->drive_bundle = calloc((size_t)robot->n_actuators + 1, sizeof *c->drive_bundle);
    c->drive_index = calloc((size_t)robot->n_actuators + 1, sizeof *c->drive_index);
    c->body_bundle = calloc(bodies, sizeof *c->body_bundle);
    c->body_rider = calloc(bodies, sizeof *c->body_rider);
    c->n_rods = robot->n_rods;
    c->n_bodies = robot->n_bodies;
    return c->bundles && c->bundle_of && c->tube_of && c->drive_bundle && c->drive_index &&
           c->body_bundle && c->body_rider;
}

static td_status build(tubes *c, const td_robot *robot, const actuator *actuators,
                       const td_options *o, td_error *err) {
    if (!make_lists(c, robot)) return out_of_memory(err);
    for (int i = 0; i < robot->n_rods; i++) {
        if (robot->rods[i].tube.within >= 0) continue;
        builder b = {.robot = robot,
                     .actuators = actuators,
                     .c = c,
                     .to = &c->bundles[c->n_bundles],
                     .rotary = o->rotary_inertia,
                     .index = c->n_bundles};
        c->n_bundles++;
        const td_status status = build_bundle(&b, i, o, err);
        for (int j = 0; j < b.n; j++) free(b.tubes[j].marks);
        if (status < 0) return status;
    }
    return TD_OK;
}

static td_status check_pieces(const td_robot *robot, td_error *err) {
    static const double straight[3] = {0.0, 0.0, 1.0};
    char where[160];
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < robot->rods[i].n_pieces; k++) {
            if (memcmp(robot->rods[i].pieces[k].rest_stretch, straight, sizeof straight) == 0)
                continue;
            snprintf(where, sizeof where, "rods.%s.pieces.%d.rest.stretch", robot->rods[i].name, k);
            return error_set(err, TD_ERR_UNSUPPORTED, where,
                             "tubes neither shear nor stretch, and so not at rest either; cosserat "
                             "can");
        }
    return TD_OK;
}

void *tubes_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                    td_error *err) {
    if (check_pieces(robot, err) < 0 || check_integration(&options->integration, err) < 0)
        return NULL;
    tubes *c = calloc(1, sizeof *c);
    if (!c) {
        out_of_memory(err);
        return NULL;
    }
    c->n_inputs = robot->n_inputs;
    c->around = environment_of(robot);
    if (build(c, robot, actuators, options, err) >= 0) return c;
    tubes_release(c);
    return NULL;
}

void tubes_release(void *compiled) {
    tubes *c = compiled;
    if (!c) return;
    for (int i = 0; i < c->n_bundles; i++) {
        free(c->bundles[i].allocation);
        touch_release(&c->bundles[i].touch);
    }
    free(c->bundles);
    free(c->bundle_of);
    free(c->tube_of);
    free(c->drive_bundle);
    free(c->drive_index);
    free(c->body_bundle);
    free(c->body_rider);
    free(c);
}
