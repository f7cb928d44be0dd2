// model/cosserat/lanes/compile.c - the plan of a robot for the kernel: what it can represent, and its numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/quat.h"
#include "model/cosserat/collocation/gauss.h"
#include "model/cosserat/contact.h"
#include "model/cosserat/lanes/lanes.h"
#include "model/cosserat/scheme.h"

// ---------------------------------------------------------------- what it can represent
static const char *lacks_of_time(const td_options *o) {
    if (o->space != TD_COLLOCATION) return "space.scheme is not collocation";
    if (o->scheme == TD_BDF3) return "time.scheme is bdf3";
    return NULL;
}

// Rows of unknown efforts, filled up so that three go together.
static int n_border(const rod *r) {
    return (r->n_efforts + 2) / 3 * 3;
}

static const char *lacks_of_rod(const rod *r) {
    if (r->has_laws) return "a section's law is not linear and diagonal";
    if (r->follows) return "sections follow the mean stretch";
    if (rod_is_fed(r)) return "the rod is fed";
    if (rod_rubs(r)) return "a tendon has friction";
    if (r->around) return "magnetic fields or a fluid act on the rod";
    if (r->touch) return "a body that rides on the rod touches obstacles";
    if (r->n_obstacles > PLAN_OBSTACLES) return "there are more than 8 obstacles";
    for (int i = 0; i < r->n_obstacles; i++)
        if (r->contacts[i].friction > 0.0) return "an obstacle has friction";
    for (int i = 0; i < r->n_obstacles; i++)
        if (r->obstacles[i].def.hard > 0.0) return "an obstacle is hard";
    for (int i = 0; i < r->n_actuators; i++) {
        const actuator *a = r->actuators[i].a;
        if (actuator_is_driven(a)) return "an actuator has a motor or a valve";
        if (a->map || a->kind->curvature) return "an input changes the stiffness of the rod";
        if (a->control == CONTROL_GAS) return "the amount of gas of an actuator is given";
        if (a->control == CONTROL_MEASURE && a->path_volume)
            return "the volume of an actuator is given, and counted along its path";
    }
    if (r->n_nodes > PLAN_NODES) return "it has more than 24 nodes";
    if (n_strains(r) + n_border(r) > PLAN_UNKNOWNS)
        return "it has more than 60 unknown strains and efforts";
    if (r->n_elements > PLAN_ELEMENTS) return "it has more than 8 elements";
    if (r->n_actuators > PLAN_ACTUATORS) return "it has more than 16 actuators";
    return NULL;
}

static const char *lacks(const cosserat *c) {
    const char *why = lacks_of_time(&c->options);
    if (why) return why;
    if (c->n_rods == 1 && c->rods[0].meets) return "its parts touch one another";
    if (c->n_rods != 1 || c->n_bodies || c->n_joints || !c->assemblies[0].alone)
        return "it is not one rod that stands in the world with a free tip";
    if (c->n_obstacles && c->options.elements == 0)
        return "among obstacles a rod is cut into 16 elements: give a number below 9 as "
               "simulation.space.elements";
    return lacks_of_rod(&c->rods[0]);
}

// ---------------------------------------------------------------- which kernel
typedef struct kernel_choice {
    int width;
    const lane_kernel *kernel, *kernel_own;
} kernel_choice;

static kernel_choice choose_kernel(int width) {
#if defined(TENDRIL_WIDE)
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    if (wide && (width == 0 || width == 8))
        return (kernel_choice){8, &kernel_avx512, &kernel_avx512_own};
    if (__builtin_cpu_supports("avx2") && (width == 0 || width == 4))
        return (kernel_choice){4, &kernel_avx2, &kernel_avx2_own};
#endif
    if (width == 0 || width == 1) return (kernel_choice){1, &kernel_plain, &kernel_plain_own};
    return (kernel_choice){0};
}

// ---------------------------------------------------------------- numbers
// Takes `count` numbers at the end, and returns where they begin. Run twice: to count, then to fill.
typedef struct number_list {
    double *all;  // NULL: only count
    int n;
} number_list;

static int take(number_list *list, int count) {
    const int at = list->n;
    list->n += count;
    return at;
}

static int add(number_list *list, const double *from, int count, double factor) {
    const int at = take(list, count);
    for (int i = 0; list->all && i < count; i++) list->all[at + i] = factor * from[i];
    return at;
}

static void add3(number_list *list, vec3 a) {
    const double v[3] = {a.x, a.y, a.z};
    add(list, v, 3, 1.0);
}

static plan_element element_plan(const rod *r, int index, number_list *to) {
    const element *e = &r->elements[index];
    const gauss_table *t = gauss_of(r, e);
    const int n = t->n;
    plan_element p = {.node = e->node, .n = n, .given = -1};
    p.A = add(to, t->A, n * n, e->length);
    p.Q = add(to, t->Q, n * n, e->length);
    p.b = add(to, e->quadrature, n, 1.0);
    p.d = add(to, t->d, n + 1, e->length);
    p.rows = add(to, t->rows, (n + 1) * t->points * n, 1.0);
    p.rest = to->n;
    add3(to, e->stations[0].u_rest);
    add3(to, e->stations[0].v_rest);
    p.spread = e->n_spread > 0, p.ends = e->n_end_loads > 0, p.riders = e->n_riders > 0;
    return p;
}

static int add_stations(const rod *r, number_list *to) {
    const int at = to->n;
    for (int k = 0; k < r->n_elements; k++)
        for (int i = 0; i < r->elements[k].n_nodes; i++) {
            const station *st = &r->elements[k].stations[i];
            add(to, st->K, 6, 1.0);
            add(to, st->B, 6, 1.0);
            add(to, &st->mass, 1, 1.0);
            add3(to, st->J);
            add3(to, st->drag);
            add3(to, st->linear);
            add3(to, st->u_rest);
            add3(to, st->v_rest);
        }
    return at;
}

static plan_actuator actuator_plan(const rod *r, const rod_actuator *ra, number_list *to) {
    const actuator *a = ra->a;
    plan_actuator p = {.first = ra->first_node,
                       .n = ra->n_nodes,
                       .linear = a->kind->linear,
                       .input = a->value.gain != 0.0 ? a->value.input : -1,
                       .effort = ra->n_efforts ? ra->effort : -1,
                       .from_rest = a->from_rest,
                       .pulls_only = a->pulls_only,
                       .sign = a->sign};
    double rest = 0.0;  // of all of it, as work.c has it
    p.at = to->n;
    for (int i = 0; i < ra->n_nodes; i++) {
        const route_point *at = &ra->at[i];
        const element *e = &r->elements[ra->element[i]];
        const int node = ra->first_node + i - e->node;
        const station *st = &e->stations[node];
        const density still = actuator_density(a, at, st->u_rest, st->v_rest);
        double row[ROUTE_SIZE] = {at->r.x, at->r.y, at->r_s.x, at->r_s.y, at->r_s.z, 0.0};
        if (p.linear) vec6_store(row, still.slope);
        row[ROUTE_WEIGHT] = e->quadrature[node], row[ROUTE_REST] = still.value;
        rest += e->quadrature[node] * still.value;
        add(to, row, ROUTE_SIZE, 1.0);
    }
    const bool given = a->control == CONTROL_EFFORT;
    const double pulled = !given && a->from_rest ? a->yield * a->pretension : 0.0;
    const double law[LAW_SIZE] = {[LAW_REST] = a->from_rest ? a->rest - rest : -rest,
                                  [LAW_YIELD] = a->sign * a->yield,
                                  [LAW_SLACK] = a->slack_scale,
                                  [LAW_SCALE] = ra->effort_scale,
                                  [LAW_STRETCH] = a->inverse_stiffness * rest,
                                  [LAW_OFFSET] = a->value.value + pulled,
                                  [LAW_GAIN] = a->value.gain,
                                  [LAW_LOW] = given && a->pulls_only ? 0.0 : -HUGE_VAL,
                                  [LAW_LEAST] = given ? a->least : -HUGE_VAL,
                                  [LAW_STORED] =
                                      a->inverse_stiffness * rest + (given ? 0.0 : a->compliance)};
    p.law = add(to, law, LAW_SIZE, 1.0);
    return p;
}

// ---------------------------------------------------------------- what inputs give
static bool loads_driven(const rod_load *loads, int n) {
    for (int i = 0; i < n; i++)
        if (any_driven(loads[i].force, 3) || any_driven(loads[i].moment, 3)) return true;
    return false;
}

static bool element_driven(const element *e) {
    for (int i = 0; i < e->n_riders; i++)
        if (e->riders[i].attached.gain != 0.0) return true;
    return loads_driven(e->spread, e->n_spread) || loads_driven(e->end_loads, e->n_end_loads);
}

static void own_slots(lane_plan *p, int from, int count, bool driven) {
    for (int i = from; i < from + count; i++) p->own[i] = (short)(driven ? p->n_driven++ : -1);
}

static bool place_given(cosserat_lanes *l) {
    const rod *r = &l->c->rods[0];
    lane_plan *p = &l->plan;
    p->base_moves = any_driven(r->base.position, 3) || any_driven(r->base.rotation, 3);
    p->n_given = GIVEN_EFFORTS + r->n_actuators;
    own_slots(p, GIVEN_GRAVITY, 3, any_driven(l->c->around.gravity, 3));
    own_slots(p, GIVEN_R, GIVEN_EFFORTS - GIVEN_R, p->base_moves);
    own_slots(p, GIVEN_EFFORTS, r->n_actuators, true);
    for (int k = 0; k < r->n_elements; k++) {
        plan_element *e = &p->elements[k];
        if (!e->spread && !e->ends && !e->riders) continue;
        if (p->n_given + LOAD_SIZE > PLAN_GIVEN) return false;
        e->given = p->n_given;
        const bool driven = element_driven(&r->elements[k]);
        l->loads_driven |= driven;
        own_slots(p, e->given, LOAD_SIZE, driven);
        p->n_given += LOAD_SIZE;
    }
    return true;
}

static void put_wrench(double *to, const wrench *w) {
    vec3_store(to, w->force);
    vec3_store(to + 3, w->moment);
}

void lanes_fill_given(const cosserat *c, const lane_plan *p, const double *inputs,
                      const double *base_inputs, const double *rates, double *out) {
    const rod *r = &c->rods[0];
    const base_motion base = rod_base_at(r, 1.0, base_inputs, rates);
    const mat3 R = quat_to_mat3(base.h);
    element_loads loads[PLAN_ELEMENTS];
    vec3_store(out + GIVEN_GRAVITY, rod_gravity_at(c, inputs, 1.0));
    memcpy(out + GIVEN_R, R.m, sizeof R.m);
    vec3_store(out + GIVEN_P, base.p);
    vec3_store(out + GIVEN_OM, mat3_mul_vec(&R, base.w));
    vec3_store(out + GIVEN_V, mat3_mul_vec(&R, base.q));
    for (int i = 0; i < r->n_actuators; i++)
        out[GIVEN_EFFORTS + i] = lanes_given_of(r->actuators[i].a, inputs, base_inputs);
    rod_loads_at(r, inputs, 1.0, loads);
    for (int k = 0; k < r->n_elements; k++) {
        if (p->elements[k].given < 0) continue;
        double *to = out + p->elements[k].given;
        put_wrench(to + LOAD_SPREAD, &loads[k].world);
        put_wrench(to + LOAD_SPREAD + 6, &loads[k].body);
        put_wrench(to + LOAD_END, &loads[k].end_world);
        put_wrench(to + LOAD_END + 6, &loads[k].end_body);
        to[LOAD_BODY] = loads[k].end_mass.mass;
        vec3_store(to + LOAD_BODY + 1, loads[k].end_mass.moment);
        memcpy(to + LOAD_BODY + 4, loads[k].end_mass.inertia.m, 9 * sizeof(double));
    }
}

// ---------------------------------------------------------------- all of it
static void list_numbers(cosserat_lanes *l, number_list *to) {
    const rod *r = &l->c->rods[0];
    lane_plan *p = &l->plan;
    for (int k = 0; k < r->n_elements; k++) p->elements[k] = element_plan(r, k, to);
    p->stations = add_stations(r, to);
    for (int i = 0; i < r->n_actuators; i++)
        p->actuators[i] = actuator_plan(r, &r->actuators[i], to);
    const double scales[] = {r->length, 1e-9 * r->moment_scale};
    p->scales = add(to, scales, 2, 1.0);
    double row[PLAN_NODES] = {0.0};
    l->c->scheme->weights(r, r->n_elements - 1, 1.0, row);
    p->tip = add(to, row, r->elements[r->n_elements - 1].n_nodes, 1.0);
    p->shared = take(to, PLAN_GIVEN);
}

static void place_record(const rod *r, lane_plan *p) {
    const int n = p->n_nodes, strains = p->d * n;
    p->ends = r->ridden ? (p->d + 6) * n : -1;
    p->efforts = (p->d + 6) * n + (r->ridden ? 6 * r->n_elements : 0);
    p->n_fields = p->efforts + p->n_efforts;
    p->y1 = 0, p->y2 = p->n_fields, p->rate = 2 * p->n_fields, p->past = 3 * p->n_fields;
    p->given_past = p->past + strains + p->n_efforts;
    p->n_record = p->given_past + p->n_actuators;
    if (!r->n_obstacles) return;
    p->n_obstacles = r->n_obstacles;
    p->places = p->n_record, p->deepest = p->places + 3 * (n + 1);
    p->n_record = p->deepest + (n + 1) * r->n_obstacles;
}

// What nothing moves stands where it is; what points stand for.
static void place_obstacles(cosserat_lanes *l) {
    const rod *r = &l->c->rods[0];
    for (int i = 0; i < r->n_obstacles; i++)
        if (!obstacle_is_driven(&r->obstacles[i]))
            l->frames[i] = obstacle_frame(&r->obstacles[i], NULL);
    for (int i = 0; i <= r->n_nodes && r->n_obstacles; i++) l->weights[i] = contact_weight(r, i);
}

static bool fill(cosserat_lanes *l) {
    const cosserat *c = l->c;
    const rod *r = &c->rods[0];
    lane_plan *p = &l->plan;
    p->d = unknowns_per_node(r);
    p->n_nodes = r->n_nodes, p->n_elements = r->n_elements, p->n_actuators = r->n_actuators;
    p->n_efforts = r->n_efforts, p->n_border = n_border(r);
    p->points = gauss_of(r, &r->elements[0])->points;
    p->tolerance = c->options.tolerance;
    number_list count = {0};
    list_numbers(l, &count);
    l->numbers = calloc((size_t)count.n, sizeof *l->numbers);
    if (!l->numbers) return false;
    number_list real = {l->numbers, 0};
    list_numbers(l, &real);
    p->numbers = l->numbers, p->n_numbers = real.n;
    place_record(r, p);
    place_obstacles(l);
    return true;
}

void *lanes_make(const void *compiled, int width, char *why, size_t size) {
    const cosserat *c = compiled;
    const char *lack = lacks(c);
    const kernel_choice chosen = choose_kernel(width);
    if (!lack && !chosen.kernel) lack = "this processor has no registers of that width";
    cosserat_lanes *l = lack ? NULL : calloc(1, sizeof *l);
    double *none = l ? calloc((size_t)c->n_inputs + 1, sizeof *none) : NULL;
    // field by field: plans are compared, and what lies between fields stays 0
    if (l) l->c = c, l->kernel = chosen.kernel, l->kernel_own = chosen.kernel_own;
    if (l) l->width = chosen.width;
    if (l && (!none || !fill(l))) lack = "out of memory";
    if (l && !lack && !place_given(l)) lack = "too many of its elements carry loads";
    if (l && !lack) lanes_fill_given(c, &l->plan, none, none, none, l->numbers + l->plan.shared);
    free(none);
    if (!lack && l) return l;
    snprintf(why, size, "%s", lack ? lack : "out of memory");
    lanes_release(l);
    return NULL;
}

void lanes_release(void *made) {
    cosserat_lanes *l = made;
    if (!l) return;
    free(l->numbers);
    free(l);
}
