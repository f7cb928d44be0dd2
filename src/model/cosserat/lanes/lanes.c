// model/cosserat/lanes/lanes.c - records of robots side by side, and states.
#include "model/cosserat/lanes/lanes.h"

#include <math.h>
#include <string.h>

#include "model/cosserat/assembly.h"
#include "model/cosserat/collocation/collocation.h"
#include "model/cosserat/lanes/touching.h"

static int width_of(const void *made) {
    return ((const cosserat_lanes *)made)->width;
}

static int n_numbers(const void *made) {
    return ((const cosserat_lanes *)made)->plan.n_record + TIME_NUMBERS;
}

static int n_given(const void *made) {
    return ((const cosserat_lanes *)made)->plan.n_driven;
}

// ---------------------------------------------------------------- one robot in and out
// Where a field of a node stands among those of an instant; F_V of a rod that does not stretch: nowhere.
static int field_at(const lane_plan *p, int node, int field) {
    if (field < p->d) return p->d * node + field;
    if (field < F_W) return -1;
    const int part = field - F_W;
    return p->d * p->n_nodes + (part < 3 ? 0 : 3 * p->n_nodes) + 3 * node + part % 3;
}

// To a record, or from it: fields (n_nodes x F_SIZE) and ends (n_elements x 6) of one instant.
static void store_instant(const cosserat_lanes *l, int at, const double *fields, const double *ends,
                          double *record) {
    const lane_plan *p = &l->plan;
    for (int i = 0; i < p->n_nodes; i++)
        for (int k = 0; k < F_SIZE; k++) {
            const int to = field_at(p, i, k);
            if (to >= 0) record[(at + to) * l->width] = fields[F_SIZE * i + k];
        }
    for (int i = 0; p->ends >= 0 && i < 6 * p->n_elements; i++)
        record[(at + p->ends + i) * l->width] = ends[i];
}

static void load_instant(const cosserat_lanes *l, int at, const double *record, double *fields,
                         double *ends) {
    const lane_plan *p = &l->plan;
    for (int i = 0; i < p->n_nodes; i++)
        for (int k = 0; k < F_SIZE; k++) {
            const int from = field_at(p, i, k);
            fields[F_SIZE * i + k] = from >= 0 ? record[(at + from) * l->width] : 0.0;
        }
    for (int i = 0; p->ends >= 0 && i < 6 * p->n_elements; i++)
        ends[i] = record[(at + p->ends + i) * l->width];
}

// Efforts that are not given, and what the others were.
static void store_actuators(const cosserat_lanes *l, const rod_memory *m, double *record) {
    const lane_plan *p = &l->plan;
    const int now = p->y1 + p->efforts, before = p->y2 + p->efforts;
    const int past = p->past + p->d * p->n_nodes;
    for (int i = 0; i < p->n_efforts; i++) {
        record[(now + i) * l->width] = m->efforts[0][i];
        record[(before + i) * l->width] = m->efforts[1][i];
        record[(past + i) * l->width] = m->efforts[2][i];
    }
    for (int i = 0; i < p->n_actuators; i++)
        record[(p->given_past + i) * l->width] = m->given_now[i];
}

static void load_actuators(const cosserat_lanes *l, const double *record, rod_memory *m) {
    const lane_plan *p = &l->plan;
    const int now = p->y1 + p->efforts, before = p->y2 + p->efforts;
    const int past = p->past + p->d * p->n_nodes;
    for (int i = 0; i < p->n_efforts; i++) {
        m->efforts[0][i] = record[(now + i) * l->width];
        m->efforts[1][i] = record[(before + i) * l->width];
        m->efforts[2][i] = record[(past + i) * l->width];
    }
    for (int i = 0; i < p->n_actuators; i++)
        m->given_now[i] = record[(p->given_past + i) * l->width];
}

// What is kept of points that may touch: where they are, and how deep they were.
static const double *point_state(const rod_memory *m, int point) {
    const rod *r = m->r;
    return point < r->n_nodes ? m->nodes + (size_t)point * Y_SIZE
                              : m->bounds + (size_t)r->n_elements * Y_SIZE;
}

static void store_contacts(const cosserat_lanes *l, const rod_memory *m, double *record) {
    const lane_plan *p = &l->plan;
    for (int i = 0; i <= p->n_nodes && p->n_obstacles; i++) {
        const double *at = point_state(m, i) + Y_P;
        for (int k = 0; k < 3; k++) record[(p->places + 3 * i + k) * l->width] = at[k];
        for (int k = i * p->n_obstacles; k < (i + 1) * p->n_obstacles; k++)
            record[(p->deepest + k) * l->width] = m->slips[CONTACT_KEPT * k + 3];
    }
}

static void load_contacts(const cosserat_lanes *l, const double *record, rod_memory *m) {
    const lane_plan *p = &l->plan;
    for (int k = 0; k < (p->n_nodes + 1) * p->n_obstacles; k++) {
        memset(m->slips + CONTACT_KEPT * k, 0, sizeof(double) * CONTACT_KEPT);
        m->slips[CONTACT_KEPT * k + 3] = record[(p->deepest + k) * l->width];
    }
}

// W: the base pushes the rod with - n, - m.
static double base_power(const rod_memory *m) {
    const double *y = m->bounds;
    const quat h = quat_load(y + Y_H);
    return -vec3_dot(vec3_load(y + Y_N), quat_rotate(h, vec3_load(y + Y_Q))) -
           vec3_dot(vec3_load(y + Y_M), quat_rotate(h, vec3_load(y + Y_W)));
}

static void store(const void *made, const void *memory, double *record) {
    const cosserat_lanes *l = made;
    const lane_plan *p = &l->plan;
    const cosserat_memory *m = memory;
    const rod_memory *r = &m->rods[0];
    store_instant(l, p->y1, r->fields[0], r->ends[0], record);
    store_instant(l, p->y2, r->fields[1], r->ends[1], record);
    store_instant(l, p->rate, r->rate, r->end_rate, record);
    for (int i = 0; i < p->n_nodes; i++)
        for (int k = 0; k < p->d; k++)
            record[(p->past + p->d * i + k) * l->width] = r->fields[2][F_SIZE * i + k];
    store_actuators(l, r, record);
    store_contacts(l, r, record);
    const double *time = (const double *)m->time;
    for (int i = 0; i < TIME_KEPT; i++) record[(p->n_record + i) * l->width] = time[i];
    record[(p->n_record + TIME_BASE) * l->width] = base_power(r);
}

// The shape, with its velocities and wrenches, that belongs to strains and rates: with c0 = 0 the history is
// the rate.
static void publish(const cosserat_lanes *l, rod_memory *m, const model_call *call) {
    const cosserat *c = l->c;
    const lane_plan *p = &l->plan;
    rod_prepare(&c->rods[0], m, call->inputs, 1.0);
    const rod_problem problem = {.r = m->r,
                                 .options = &c->options,
                                 .m = m,
                                 .gravity = rod_gravity_at(c, call->inputs, 1.0),
                                 .base = rod_base_at(m->r, 1.0, call->inputs, call->rates),
                                 .touches = p->n_obstacles > 0,
                                 .recalled = true,
                                 .stats = call->stats};
    memcpy(m->history, m->rate, sizeof(double) * F_SIZE * (size_t)p->n_nodes);
    if (p->ends >= 0)
        memcpy(m->end_history, m->end_rate, sizeof(double) * 6 * (size_t)p->n_elements);
    double *unknowns = m->unknowns[0];
    for (int i = 0; i < p->n_nodes; i++)
        memcpy(unknowns + p->d * i, m->fields[0] + F_SIZE * i, sizeof(double) * (size_t)p->d);
    memcpy(unknowns + p->d * p->n_nodes, m->efforts[0], sizeof(double) * (size_t)p->n_efforts);
    c->scheme->evaluate(&problem, unknowns);
    memory_accept(m->r, m);
}

static void load(const void *made, void *memory, const model_call *call, const double *record) {
    const cosserat_lanes *l = made;
    const lane_plan *p = &l->plan;
    cosserat_memory *m = memory;
    rod_memory *r = &m->rods[0];
    load_instant(l, p->y1, record, r->fields[0], r->ends[0]);
    load_instant(l, p->y2, record, r->fields[1], r->ends[1]);
    load_instant(l, p->rate, record, r->rate, r->end_rate);
    memcpy(r->fields[2], r->fields[1], sizeof(double) * F_SIZE * (size_t)p->n_nodes);
    if (p->ends >= 0) memcpy(r->ends[2], r->ends[1], sizeof(double) * 6 * (size_t)p->n_elements);
    for (int i = 0; i < p->n_nodes; i++)
        for (int k = 0; k < p->d; k++)
            r->fields[2][F_SIZE * i + k] = record[(p->past + p->d * i + k) * l->width];
    double *time = (double *)m->time;
    for (int i = 0; i < TIME_KEPT; i++) time[i] = record[(p->n_record + i) * l->width];
    load_actuators(l, record, r);
    load_contacts(l, record, r);
    publish(l, r, call);
    load_instant(l, p->y1, record, r->fields[0], r->ends[0]);  // to the bit
    load_actuators(l, record, r);
    load_contacts(l, record, r);
    r->lengths[1] = r->lengths[2] = r->lengths[0];
    ((collocation_memory *)r->own)->kept->valid = 0.0;
}

// ---------------------------------------------------------------- what inputs give
static bool give_at(const cosserat_lanes *l, const double *inputs, const double *base_inputs,
                    const double *rates, double *given) {
    const lane_plan *p = &l->plan;
    const rod *r = &l->c->rods[0];
    if (p->n_driven == r->n_actuators) {  // efforts alone
        for (int i = 0; i < r->n_actuators; i++)
            given[i * l->width] = lanes_given_of(r->actuators[i].a, inputs, base_inputs);
        return true;
    }
    double all[PLAN_GIVEN];
    lanes_fill_given(l->c, p, inputs, base_inputs, rates, all);
    for (int i = 0; i < p->n_given; i++)
        if (p->own[i] >= 0) given[p->own[i] * l->width] = all[i];
    return true;
}

static bool give(const void *made, const double *inputs, const double *rates, double *given) {
    const cosserat_lanes *l = made;
    char message[MODEL_MESSAGE_SIZE];
    return inputs_check(l->c, inputs, message) >= 0 && give_at(l, inputs, inputs, rates, given);
}

// Inputs at a fraction x of a step, as in dynamics.c: loads on the straight way, what moves a base on the parabola.
typedef struct lane_inputs {
    double loads[LANES_INPUTS], places[LANES_INPUTS], rates[LANES_INPUTS];
} lane_inputs;

static bool inputs_between(const lanes_robot *robot, double dt, double x, bool jumped,
                           lane_inputs *out) {
    const cosserat_lanes *l = robot->plan;
    if (l->c->n_inputs > LANES_INPUTS) return false;
    const double left = 1.0 - x;
    for (int i = 0; i < l->c->n_inputs; i++) {
        const double before = robot->before[i], after = robot->inputs[i], rate = robot->rates[i];
        const double e = after - before - rate * dt;
        out->loads[i] = jumped ? after : before + x * (after - before);
        out->places[i] = after - left * (rate * dt + left * e);
        out->rates[i] = rate + 2.0 * left * e / dt;
    }
    return true;
}

// ---------------------------------------------------------------- parts of a step
// A step is one implicit formula, or two after one another: half steps where it starts afresh, stages of SDIRK2.
typedef struct lane_part {
    double time[4];  // past, levels, guesses before it
    double dt, x;    // how long, and where in the step it ends
    bool jumped;     // loads have their last value
    double c[4];     // c0, c1, c2, d1
} lane_part;

typedef struct lane_step {
    int n;
    lane_part parts[2];
    double guesses;  // after both
} lane_step;

static void set_formula(lane_part *p, time_formula f) {
    p->c[0] = f.c0, p->c[1] = f.c[0], p->c[2] = f.c[1], p->c[3] = f.d1;
}

// What a part leaves of the past of the one before.
static void pass_on(const lane_part *from, lane_part *to) {
    to->time[TIME_PAST + 1] = from->time[TIME_PAST];
    to->time[TIME_PAST] = from->dt;
    to->time[TIME_LEVELS] = fmin(from->time[TIME_LEVELS] + 1.0, 3.0);
    to->time[TIME_GUESSES] = fmin(from->time[TIME_GUESSES] + 1.0, 3.0);
}

static void two_stages(lane_step *s, double dt, bool fresh) {
    const double gamma = 1.0 - sqrt(0.5), c0 = 1.0 / (gamma * dt);
    lane_part *one = &s->parts[0], *two = &s->parts[1];
    one->dt = gamma * dt, one->x = gamma, one->jumped = fresh;
    one->time[TIME_GUESSES] = fmin(one->time[TIME_GUESSES], 2.0);
    set_formula(one, (time_formula){c0, {-c0, 0.0, 0.0}, 0.0});
    pass_on(one, two);
    two->dt = (1.0 - gamma) * dt, two->x = 1.0, two->jumped = false;
    if (fresh) two->time[TIME_GUESSES] = 1.0;
    set_formula(two, (time_formula){c0, {0.0, -c0, 0.0}, -(1.0 - gamma) / gamma});
    s->n = 2;
    s->guesses = fmin(two->time[TIME_GUESSES] + 1.0, 3.0);
}

static void two_halves(lane_step *s, double dt) {
    const double past[2] = {0.0, 0.0};
    const time_formula half = time_formula_make(TD_BACKWARD_EULER, 0.0, 0.5 * dt, past, 1);
    lane_part *one = &s->parts[0], *two = &s->parts[1];
    one->dt = two->dt = 0.5 * dt, one->x = 0.5, two->x = 1.0;
    one->jumped = two->jumped = true;
    set_formula(one, half), set_formula(two, half);
    pass_on(one, two);
    s->n = 2, s->guesses = 1.0;
}

// As cosserat_step does it: see dynamics.c.
static lane_step step_of(const cosserat_lanes *l, const double time[4], double dt, bool fresh) {
    const td_options *o = &l->c->options;
    lane_step s = {.n = 1};
    lane_part *one = &s.parts[0];
    memcpy(one->time, time, sizeof one->time);
    if (time[TIME_LEVELS] == 0.0) {  // at rest: any past is the present
        one->time[TIME_PAST] = one->time[TIME_PAST + 1] = dt;
        one->time[TIME_LEVELS] = 3.0;
    }
    if (fresh) one->time[TIME_GUESSES] = 1.0;
    const bool halves = o->startup == TD_HALF_STEPS || one->time[TIME_LEVELS] == 1.0;
    one->dt = dt, one->x = 1.0, one->jumped = fresh;
    if (o->scheme == TD_SDIRK2) two_stages(&s, dt, fresh);
    else if (fresh && halves && o->scheme != TD_BACKWARD_EULER) two_halves(&s, dt);
    else
        set_formula(one, time_formula_make(o->scheme, o->alpha, dt, one->time + TIME_PAST,
                                           (int)one->time[TIME_LEVELS]));
    return s;
}

static void part_numbers(const lane_part *p, double out[7]) {
    const cosserat_time t = {.past = {p->time[0], p->time[1]},
                             .levels = p->time[TIME_LEVELS],
                             .guesses = p->time[TIME_GUESSES]};
    memcpy(out, p->c, sizeof p->c);
    extrapolation_weights(&t, p->dt, out + 4);
}

// ---------------------------------------------------------------- steps
typedef struct lane_energy {  // as in cosserat_time; `base`: of the load power
    double dissipated, work, dissipation, load, base;
} lane_energy;

typedef struct group_step {
    const cosserat_lanes *l;
    double *records, *given;
    const lanes_robot *robots;
    const lane_kernel *kernel;
    double dt;
    lane_step steps[LANES_MOST];
    lane_energy energies[LANES_MOST];
    lane_obstacles obstacles;  // where there are any,
    td_energy after
        [LANES_MOST];  // and what there is at the end of the step, but for work and dissipation
    bool touches[LANES_MOST];
    double *corrections;
} group_step;

// Trapezoidal rule in time: as `account` in dynamics.c.
static void count_part(lane_energy *e, const double *result, int w, double dt) {
    const double dissipation = result[RESULT_DISSIPATION * w], base = result[RESULT_BASE * w];
    const double load = result[RESULT_LOAD * w] + base;
    e->dissipated += 0.5 * dt * (e->dissipation + dissipation) + result[RESULT_LOST * w];
    e->work += result[RESULT_WORK * w] + 0.5 * dt * (e->load + load) + result[RESULT_BROUGHT * w];
    e->dissipation = dissipation, e->load = load, e->base = base;
}

// What a robot is given at the end of a part, and where its obstacles are.
static bool give_part(group_step *g, int lane, const lane_part *part) {
    const lanes_robot *r = &g->robots[lane];
    const cosserat_lanes *own = r->plan;
    lane_inputs between;
    const double *loads = r->inputs, *places = r->inputs, *rates = r->rates;
    if (part->x != 1.0) {
        if (!inputs_between(r, g->dt, part->x, part->jumped, &between)) return false;
        loads = between.loads, places = between.places, rates = between.rates;
    }
    if (own->plan.n_obstacles) obstacles_place(&g->obstacles, lane, own, places);
    return give_at(own, loads, places, rates, g->given + lane);
}

// What a robot that has arrived leaves for the end of the step.
static void end_part(group_step *g, int lane, const double *result, double dt) {
    const int w = g->l->width;
    count_part(&g->energies[lane], result, w, dt);
    if (!g->l->plan.n_obstacles) return;
    obstacles_shift(&g->obstacles, lane);
    g->after[lane] =
        (td_energy){.elastic = result[RESULT_STORED * w], .gravity = result[RESULT_WEIGHT * w]};
    g->touches[lane] = result[RESULT_TOUCHES * w] != 0.0;
}

// One part of the robots that are on: the bits of those that arrived.
static unsigned take_part(group_step *g, int part, unsigned on) {
    const cosserat_lanes *l = g->l;
    const int w = l->width;
    double formula[FORMULA_SIZE * LANES_MOST] = {0}, result[RESULT_SIZE * LANES_MOST];
    unsigned able = 0, arrived = 0;
    for (int k = 0; k < w; k++) {
        if (!(on >> k & 1u)) continue;
        const lane_part *p = &g->steps[k].parts[part];
        if (!give_part(g, k, p)) continue;
        double numbers[7];
        part_numbers(p, numbers);
        for (int i = 0; i < 7; i++) formula[i * w + k] = numbers[i];
        formula[FORMULA_ON * w + k] = 1.0;
        formula[FORMULA_JUMPED * w + k] = part == 0 && g->robots[k].fresh ? 1.0 : 0.0;
        able |= 1u << k;
    }
    if (able) g->kernel->step(&l->plan, g->records, formula, g->given, &g->obstacles, result);
    for (int k = 0; k < w; k++) {
        if (!(able >> k & 1u)) continue;
        g->corrections[k] += result[RESULT_CORRECTIONS * w + k];
        if (result[RESULT_ARRIVED * w + k] == 0.0) continue;
        arrived |= 1u << k;
        end_part(g, k, result + k, g->steps[k].parts[part].dt);
    }
    return arrived;
}

// Numbers of a robot's record from one group's block to another's.
static void copy_lane(int from, int count, int w, int k, const double *source, double *to,
                      int offset) {
    for (int i = 0; i < count; i++) to[(offset + i) * w + k] = source[(from + i) * w + k];
}

// Two parts: what the next step shall see is the state before both and the state after; a robot that does not arrive
// is put back.
static unsigned take_two(group_step *g, unsigned on) {
    const lane_plan *p = &g->l->plan;
    const int w = g->l->width;
    double kept[PLAN_RECORD * LANES_MOST];
    memcpy(kept, g->records, sizeof(double) * (size_t)(p->n_record * w));
    const unsigned first = take_part(g, 0, on), arrived = first ? take_part(g, 1, first) : 0;
    for (int k = 0; k < w; k++) {
        if (arrived >> k & 1u) copy_lane(p->y1, p->n_fields, w, k, kept, g->records, p->y2);
        else if (first >> k & 1u) copy_lane(0, p->n_record, w, k, kept, g->records, 0);
    }
    return arrived;
}

static void set_times(const lane_step *s, double dt, double *times, int w) {
    lane_part after;
    pass_on(&s->parts[s->n - 1], &after);
    if (s->n == 2) {
        after.time[TIME_PAST] = dt;
        after.time[TIME_LEVELS] = 2.0;
        after.time[TIME_GUESSES] = s->guesses;
    }
    for (int i = 0; i < 4; i++) times[i * w] = after.time[i];
}

// ---------------------------------------------------------------- energy of a step
static lane_energy energy_in(const double *times, int w) {
    return (lane_energy){times[TIME_DISSIPATED * w], times[TIME_WORK * w],
                         times[TIME_DISSIPATION * w], times[TIME_LOAD * w], times[TIME_BASE * w]};
}

static void set_energy(const lane_energy *e, double *times, int w) {
    times[TIME_DISSIPATED * w] = e->dissipated, times[TIME_WORK * w] = e->work;
    times[TIME_DISSIPATION * w] = e->dissipation, times[TIME_LOAD * w] = e->load;
    times[TIME_BASE * w] = e->base;
}

// The records with loads, weight and bodies of the inputs before the step or after it, the base at the begin or the end.
static void look(const group_step *g, unsigned on, bool loads_after, bool base_after,
                 double result[LOOK_SIZE * LANES_MOST]) {
    for (int k = 0; k < g->l->width; k++) {
        if (!(on >> k & 1u)) continue;
        const lanes_robot *r = &g->robots[k];
        give_at(r->plan, loads_after ? r->inputs : r->before, base_after ? r->inputs : r->before,
                base_after ? r->rates : r->rates_before, g->given + k);
    }
    g->kernel->look(&g->l->plan, g->records, g->given, result);
}

// The energy that comes with the inputs alone, the shape being what it is: see dynamics.c.
static void add_brought(group_step *g, unsigned on, bool at_end) {
    const int w = g->l->width;
    double before[LOOK_SIZE * LANES_MOST], after[LOOK_SIZE * LANES_MOST];
    look(g, on, false, at_end, before);
    look(g, on, true, at_end, after);
    for (int k = 0; k < w; k++) {
        const double share = g->robots[k].fresh ? (at_end ? 0.0 : 1.0) : 0.5;
        if (on >> k & 1u)
            g->energies[k].work +=
                share * (after[LOOK_ENERGY * w + k] - before[LOOK_ENERGY * w + k]);
    }
}

// Where loads jump their power does.
static void jump_loads(group_step *g, unsigned on) {
    double result[LOOK_SIZE * LANES_MOST];
    unsigned fresh = 0;
    for (int k = 0; k < g->l->width; k++)
        fresh |= (on & 1u << k) && g->robots[k].fresh ? 1u << k : 0u;
    if (!fresh || !g->l->loads_driven) return;
    look(g, on, true, false, result);
    for (int k = 0; k < g->l->width; k++)
        if (fresh >> k & 1u)
            g->energies[k].load = g->energies[k].base + result[LOOK_LOAD * g->l->width + k];
}

// Those of them whose inputs can be.
static unsigned possible(const group_step *g, unsigned on) {
    char message[MODEL_MESSAGE_SIZE];
    for (int k = 0; k < g->l->width; k++) {
        if (!(on >> k & 1u)) continue;
        const cosserat_lanes *own = g->robots[k].plan;
        if (inputs_check(own->c, g->robots[k].inputs, message) < 0) on &= ~(1u << k);
    }
    return on;
}

// Robots whose bits are `on`, in one part or two: those that arrived.
static unsigned take_all(group_step *g, unsigned on) {
    unsigned two = 0, arrived = 0;
    for (int k = 0; k < g->l->width; k++)
        if ((on >> k & 1u) && g->steps[k].n == 2) two |= 1u << k;
    if (on & ~two) arrived |= take_part(g, 0, on & ~two);
    if (two) arrived |= take_two(g, two);
    if (g->l->c->brings_energy) add_brought(g, arrived, true);
    return arrived;
}

// Among obstacles: from where they are at the begin of the step; and those that the guard does not allow are put back.
static unsigned take_guarded(group_step *g, unsigned on, const lanes_guard *guard) {
    const lane_plan *p = &g->l->plan;
    const int w = g->l->width;
    double kept[PLAN_RECORD * LANES_MOST];
    memcpy(kept, g->records, sizeof(double) * (size_t)(p->n_record * w));
    g->obstacles = obstacles_of(g->l, g->records);
    for (int k = 0; k < w; k++) {
        if (!(on >> k & 1u)) continue;
        obstacles_place(&g->obstacles, k, g->robots[k].plan, g->robots[k].before);
        obstacles_shift(&g->obstacles, k);
    }
    unsigned arrived = take_all(g, on);
    for (int k = 0; k < w; k++) {
        if (!(arrived >> k & 1u)) continue;
        g->after[k].work = g->energies[k].work, g->after[k].dissipated = g->energies[k].dissipated;
        if (guard->allows(guard->context, k, &g->after[k], g->touches[k])) continue;
        copy_lane(0, p->n_record, w, k, kept, g->records, 0);
        arrived &= ~(1u << k);
    }
    return arrived;
}

static unsigned step(const void *made, double *records, double *given, const lanes_robot *robots,
                     bool own, unsigned on, double dt, const lanes_guard *guard,
                     double *corrections) {
    const cosserat_lanes *l = made;
    const int w = l->width;
    double *times = records + (size_t)l->plan.n_record * (size_t)w;
    group_step g;
    g.l = l, g.records = records, g.given = given, g.robots = robots, g.dt = dt;
    g.kernel = own ? l->kernel_own : l->kernel, g.corrections = corrections;
    on = possible(&g, on);
    for (int k = 0; k < w; k++) {
        double time[4];
        if (!(on >> k & 1u)) continue;
        for (int i = 0; i < 4; i++) time[i] = times[i * w + k];
        g.steps[k] = step_of(l, time, dt, robots[k].fresh);
        g.energies[k] = energy_in(times + k, w);
    }
    jump_loads(&g, on);
    if (l->c->brings_energy) add_brought(&g, on, false);
    const unsigned arrived = l->plan.n_obstacles ? take_guarded(&g, on, guard) : take_all(&g, on);
    for (int k = 0; k < w; k++) {
        if (!(arrived >> k & 1u)) continue;
        set_times(&g.steps[k], dt, times + k, w);
        set_energy(&g.energies[k], times + k, w);
    }
    return arrived;
}

// ---------------------------------------------------------------- numbers of their own
static int n_own(const void *made) {
    return ((const cosserat_lanes *)made)->plan.n_numbers;
}

// Plans of one structure differ in their numbers alone.
static bool same_structure(const lane_plan *a, const lane_plan *b) {
    lane_plan x = *a, y = *b;
    x.numbers = y.numbers = NULL;
    return memcmp(&x, &y, sizeof x) == 0;
}

static bool put_own(const void *made, const void *of, double *own) {
    const cosserat_lanes *l = made, *other = of;
    if (!same_structure(&l->plan, &other->plan)) return false;
    for (int i = 0; own && i < l->plan.n_numbers; i++) own[i * l->width] = other->plan.numbers[i];
    return true;
}

// ---------------------------------------------------------------- for a GPU
void lanes_formula(const cosserat_lanes *l, const double *record, double dt, double *formula) {
    const lane_step s = step_of(l, record + l->plan.n_record, dt, false);
    part_numbers(&s.parts[0], formula);
    formula[FORMULA_ON] = 1.0, formula[FORMULA_JUMPED] = 0.0;
}

bool lanes_same_past(const void *made, const double *a, const double *b) {
    const cosserat_lanes *l = made;
    const double *time = a + l->plan.n_record;
    return time[TIME_LEVELS] > 0.0 && !memcmp(time, b + l->plan.n_record, 4 * sizeof(double));
}

void lanes_stepped(const void *made, double *record, double dt) {
    const cosserat_lanes *l = made;
    double *time = record + l->plan.n_record;
    const lane_step s = step_of(l, time, dt, false);
    set_times(&s, dt, time, 1);
}

const model_lanes cosserat_in_lanes = {.make = lanes_make,
                                       .release = lanes_release,
                                       .width = width_of,
                                       .n_numbers = n_numbers,
                                       .n_given = n_given,
                                       .store = store,
                                       .load = load,
                                       .give = give,
                                       .step = step,
                                       .n_own = n_own,
                                       .put_own = put_own,
                                       .device = &cosserat_on_device};
