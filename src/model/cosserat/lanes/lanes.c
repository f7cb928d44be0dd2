// model/cosserat/lanes/lanes.c - records of robots side by side, and states.
#include "model/cosserat/lanes/lanes.h"

#include <math.h>
#include <string.h>

#include "model/cosserat/assembly.h"
#include "model/cosserat/collocation/collocation.h"

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
    const double *time = (const double *)m->time;
    for (int i = 0; i < TIME_NUMBERS; i++) record[(p->n_record + i) * l->width] = time[i];
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
                                 .stats = call->stats};
    memcpy(m->history, m->rate, sizeof(double) * F_SIZE * (size_t)p->n_nodes);
    if (p->ends >= 0)
        memcpy(m->end_history, m->end_rate, sizeof(double) * 6 * (size_t)p->n_elements);
    double *unknowns = m->unknowns[0];
    for (int i = 0; i < p->n_nodes; i++)
        memcpy(unknowns + p->d * i, m->fields[0] + F_SIZE * i, sizeof(double) * (size_t)p->d);
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
    for (int i = 0; i < TIME_NUMBERS; i++) time[i] = record[(p->n_record + i) * l->width];
    publish(l, r, call);
    load_instant(l, p->y1, record, r->fields[0], r->ends[0]);  // to the bit
    r->lengths[1] = r->lengths[2] = r->lengths[0];
    ((collocation_memory *)r->own)->kept->valid = 0.0;
}

// ---------------------------------------------------------------- steps
static bool give(const void *made, const double *inputs, const double *rates, double *given) {
    const cosserat_lanes *l = made;
    const lane_plan *p = &l->plan;
    const rod *r = &l->c->rods[0];
    char message[MODEL_MESSAGE_SIZE];
    if (inputs_check(l->c, inputs, message) < 0) return false;
    if (p->n_driven == r->n_actuators) {  // efforts alone
        for (int i = 0; i < r->n_actuators; i++)
            given[i * l->width] = actuator_given(r->actuators[i].a, inputs, 1.0);
        return true;
    }
    double all[PLAN_GIVEN];
    lanes_fill_given(l->c, p, inputs, rates, all);
    for (int i = 0; i < p->n_given; i++)
        if (p->own[i] >= 0) given[p->own[i] * l->width] = all[i];
    return true;
}

typedef struct lane_formula {
    double time[4];  // past, levels, guesses that it is for
    double c[7];     // c0, c1, c2, d1, and the weights of the guess
} lane_formula;

static lane_formula formula_of(const cosserat_lanes *l, const double time[4], double dt) {
    const td_options *o = &l->c->options;
    const cosserat_time t = {.past = {time[0], time[1]}, .levels = time[2], .guesses = time[3]};
    const time_formula f = time_formula_make(o->scheme, o->alpha, dt, t.past, (int)t.levels);
    lane_formula out = {.c = {f.c0, f.c[0], f.c[1], f.d1}};
    memcpy(out.time, time, sizeof out.time);
    extrapolation_weights(&t, dt, out.c + 4);
    return out;
}

static void move_time(const cosserat_lanes *l, double dt, double *time) {
    time[TIME_PAST * l->width + l->width] = time[TIME_PAST * l->width];
    time[TIME_PAST * l->width] = dt;
    time[TIME_LEVELS * l->width] = fmin(time[TIME_LEVELS * l->width] + 1.0, 3.0);
    time[TIME_GUESSES * l->width] = fmin(time[TIME_GUESSES * l->width] + 1.0, 3.0);
}

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

static unsigned step(const void *made, double *records, const double *given, bool own, unsigned on,
                     double dt, double *corrections) {
    const cosserat_lanes *l = made;
    const int w = l->width;
    double formula[FORMULA_SIZE * LANES_MOST], result[RESULT_SIZE * LANES_MOST];
    double *times = records + (size_t)l->plan.n_record * (size_t)w;
    lane_formula last = {.time = {-1.0}};
    unsigned able = 0, arrived = 0;
    for (int k = 0; k < w; k++) {
        double time[4];
        for (int i = 0; i < 4; i++) time[i] = times[i * w + k];
        const bool takes = on >> k & 1u && time[TIME_LEVELS] > 0.0;
        if (takes && memcmp(time, last.time, sizeof time) != 0) last = formula_of(l, time, dt);
        for (int i = 0; i < 7; i++) formula[i * w + k] = takes ? last.c[i] : 0.0;
        formula[FORMULA_ON * w + k] = takes;
        able |= (unsigned)takes << k;
    }
    if (able) (own ? l->step_own : l->step)(&l->plan, records, formula, given, result);
    for (int k = 0; k < w; k++) {
        if (!(able >> k & 1u)) continue;
        corrections[k] = result[RESULT_CORRECTIONS * w + k];
        if (result[RESULT_ARRIVED * w + k] == 0.0) continue;
        arrived |= 1u << k;
        move_time(l, dt, times + k);
    }
    return arrived;
}

// ---------------------------------------------------------------- for a GPU
void lanes_formula(const cosserat_lanes *l, const double *record, double dt, double *formula) {
    const lane_formula f = formula_of(l, record + l->plan.n_record, dt);
    memcpy(formula, f.c, sizeof f.c);
    formula[FORMULA_ON] = 1.0;
}

static bool same_past(const void *made, const double *a, const double *b) {
    const cosserat_lanes *l = made;
    const double *time = a + l->plan.n_record;
    return time[TIME_LEVELS] > 0.0 && !memcmp(time, b + l->plan.n_record, 4 * sizeof(double));
}

static void stepped(const void *made, double *record, double dt) {
    const cosserat_lanes *l = made;
    move_time(l, dt, record + l->plan.n_record);
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
                                       .attach = device_attach,
                                       .detach = device_detach,
                                       .put = device_put,
                                       .get = device_get,
                                       .give_all = device_give,
                                       .step_all = device_step,
                                       .same_past = same_past,
                                       .stepped = stepped};
