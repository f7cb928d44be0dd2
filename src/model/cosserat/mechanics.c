// model/cosserat/mechanics.c - an assembly as src/solve asks for it: how its equilibrium answers to
// inputs, loads and parameters. A point of its manifold is that of assembly.h, with all reactions; the
// matrix lives in the sweeps and the border of the assembly.
#include <math.h>
#include <string.h>

#include "model/cosserat/assembly.h"

static const scheme_ports *ports_of(const cosserat *c) {
    const scheme_ports *ports = c->scheme->ports;
    return ports && ports->pose ? ports : NULL;
}

static int assembly_of_point(const cosserat *c, const model_point *at) {
    if (at->body < 0) return c->rods[at->rod].assembly;
    for (int k = 0; k < c->n_bodies; k++)
        if (c->bodies[k].body == at->body) return c->bodies[k].assembly;
    return -1;
}

static int body_in(const cosserat *c, const assembly *a, int body) {
    int k = 0;
    while (c->bodies[a->bodies[k]].body != body) k++;
    return k;
}

// A point keeps its share of the length while a rod is fed: the tip stays the tip.
static double place_on_rod(const assembly_problem *p, int i, const model_point *at) {
    return at->s * (p->own->problems[i].r->length / p->m->rods[at->rod].lengths[0]);
}

// The pose of a point in the shape last evaluated.
static se3 assembly_pose(const assembly_problem *p, const model_point *at) {
    if (at->body >= 0) return p->own->bodies[body_in(p->c, p->a, at->body)].T;
    const int i = rod_in(p->a, at->rod);
    return ports_of(p->c)->pose(&p->own->problems[i], place_on_rod(p, i, at));
}

// ---------------------------------------------------------------- the residual
void assembly_instant(assembly_problem *p, const solve_instant *at) {
    const double loads = at->shares[SHARE_LOADS], turns = at->shares[SHARE_TURNS];
    p->inputs = at->inputs;
    p->base_inputs = at->places;
    if (p->fraction != loads || p->turn != turns) p->own->seen = p->own->tested = false;
    p->fraction = loads;
    p->turn = turns;
}

// A scheme without ports gives shapes alone.
static bool shape_of(const assembly_problem *p) {
    if (p->c->scheme->ports) return assembly_evaluate(p, p->own->now, p->own->residual);
    return p->c->scheme->evaluate(&p->own->problems[0], p->own->now);
}

bool assembly_at_point(assembly_problem *p, const solve_instant *at, const double *point) {
    assembly_memory *own = p->own;
    const size_t bytes = sizeof(double) * (size_t)n_point(p->a),
                 input_bytes = sizeof(double) * (size_t)p->c->n_inputs;
    assembly_instant(p, at);
    const bool same = memcmp(point, own->now, bytes) == 0 &&
                      memcmp(p->inputs, own->seen_inputs, input_bytes) == 0;
    own->tested = own->tested && same;
    if (same && own->seen) return true;
    memcpy(own->now, point, bytes);
    memcpy(own->seen_inputs, p->inputs, input_bytes);
    assembly_prepare(p);
    return own->seen = shape_of(p);
}

static void residual(void *of, const solve_instant *at, const configuration *c, double *r,
                     double *powers) {
    assembly_problem *p = of;
    (void)powers;
    if (assembly_at_point(p, at, c->q))
        memcpy(r, p->own->residual, sizeof(double) * (size_t)n_change(p->a));
    else r[0] = (double)NAN;  // what follows is refused as not finite
}

// At rest. Of a matrix there are the weights alone, of K, of the material's and of springs on bodies: the
// rest is made of the shape last evaluated when it is factored. With friction there is no material's.
enum { WEIGHT_K, WEIGHT_OWN, WEIGHT_SPRINGS, N_WEIGHTS };

static bool tangent(void *of, const solve_instant *at, const configuration *c,
                    const tangent_weights *w, double *matrix, double *r, double *powers) {
    assembly_problem *p = of;
    (void)powers;
    if (w->v != 0.0 || w->a != 0.0 || !assembly_at_point(p, at, c->q)) return false;
    if (w->own != 0.0 && assembly_rubs(p)) return false;
    if (r) memcpy(r, p->own->residual, sizeof(double) * (size_t)n_change(p->a));
    matrix[WEIGHT_K] = w->q;
    matrix[WEIGHT_OWN] = w->own;
    matrix[WEIGHT_SPRINGS] = w->held ? w->own : 0.0;
    return true;
}

static void retract(void *of, const double *from, double scale, const double *dz, double *to) {
    assembly_move(of, from, scale, dz, to);
}

static double size(void *of, int n, const double *dz) {
    const assembly_problem *p = of;
    (void)n;
    return p->c->scheme->ports ? assembly_angle(p, dz) : 0.0;
}

// Sections take the mean stretch of this shape.
static double settle(void *of, const solve_instant *at, const configuration *c) {
    const assembly_problem *p = of;
    double change = 0.0;
    (void)at;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        rod_memory *m = &p->m->rods[p->a->rods[i]];
        if (!r->follows || r->kirchhoff) continue;
        const double before = *m->stretch;
        rod_stretch(r, m, c->q + p->a->first[i], 6);
        p->own->seen = false;
        change = fmax(change, fabs(*m->stretch - before));
    }
    return change;
}

static td_status admit(void *of, const double *inputs, char *message) {
    return inputs_check(((assembly_problem *)of)->c, inputs, message);
}

static td_status fits(void *of, const solve_instant *at, const double *q, char *message) {
    assembly_problem *p = of;
    td_status status = inputs_check(p->c, at->inputs, message);
    if (status < 0 || !assembly_at_point(p, at, q)) return status;
    if (p->c->scheme->ports) assembly_publish(p);
    for (int i = 0; i < p->a->n_rods && status >= 0; i++)
        status = memory_check(p->own->problems[i].r, p->own->problems[i].m, message);
    return status < 0 ? status : pairs_lie(p, message);
}

static void accept(void *of, const solve_instant *at, const configuration *c) {
    assembly_problem *p = of;
    (void)at, (void)c;
    assembly_settle(p);
    *p->m->time = (cosserat_time){0};
}

// Friction is judged by the parity of what is lost.
static const char *lacks_potential(void *of, const solve_instant *at) {
    assembly_problem *p = of;
    assembly_instant(p, at);
    assembly_prepare(p);
    p->own->seen = false;
    if (p->a->meets && pairs_rub(&p->c->contacts)) return "parts rub on one another";
    return assembly_rubs(p) || assembly_has_potential(p) ? NULL : "loads have no potential";
}

// ---------------------------------------------------------------- linear operations
// Those of rods with friction are not kept.
static double factored(const solve_part *part) {
    const assembly_problem *p = part->of;
    return assembly_is_factored(p) && !assembly_rubs(p) ? p->own->kept->number : 0.0;
}

void assembly_hold(assembly_problem *p, double hold, double springs) {
    p->springs = springs;
    for (int i = 0; i < p->a->n_rods; i++) p->own->problems[i].hold = hold;
}

static void hold(assembly_problem *p, const double *matrix) {
    const double K = matrix[WEIGHT_K];
    assembly_hold(p, matrix[WEIGHT_OWN] / K, matrix[WEIGHT_SPRINGS] / K);
}

static void let_go(assembly_problem *p) {
    p->own->kept->valid = 0.0;
    assembly_hold(p, 0.0, 0.0);
}

static bool factor(const solve_part *part, double *matrix, int *pivot) {
    assembly_problem *p = part->of;
    (void)pivot;
    hold(p, matrix);
    const bool ok = assembly_factor(p, true, NULL);
    if (matrix[WEIGHT_OWN] != 0.0) let_go(p);  // of no use to others
    return ok;
}

static int negative(const solve_part *part, double *matrix, double *scratch) {
    assembly_problem *p = part->of;
    int rods = 0, neutral;
    (void)scratch;
    hold(p, matrix);
    const bool known = assembly_factor(p, !touches_anything(p), &rods) && rods >= 0;
    if (known) rods += border_negative(p, &neutral) + coupling_negative(p);
    let_go(p);
    return !known ? -1 : rods > 0 ? rods : 0;
}

// By the material's stiffness, the only matrix that is multiplied.
static void multiply(const solve_part *part, const double *matrix, const double *x, double *y) {
    const assembly_problem *p = part->of;
    ASSERT(matrix[WEIGHT_K] == 0.0);
    memset(y, 0, sizeof(double) * (size_t)n_change(p->a));
    for (int i = 0; i < p->a->n_rods; i++) {
        const int at = p->a->first[i];
        p->c->scheme->ports->stiffness(p->own->problems[i].r, x + at, x + at, y + at);
    }
}

// The tangents of the joints are those of the shape last evaluated: where the factors were made.
static void solve(const solve_part *part, const double *matrix, const int *pivot, double *b) {
    assembly_problem *p = part->of;
    (void)matrix, (void)pivot;
    for (int i = 0; i < n_change(p->a); i++) p->own->change[i] = -b[i];
    assembly_solve(p, p->own->change, b);
}

static void solve_many(const solve_part *part, const double *matrix, const int *pivot, int n,
                       double *b) {
    assembly_problem *p = part->of;
    (void)matrix, (void)pivot;
    assembly_solve_many(p, n, b);
    for (int i = 0; i < n * n_change(p->a); i++) b[i] = -b[i];
}

static const linear_ops sweep_ops = {.factor = factor,
                                     .solve = solve,
                                     .solve_many = solve_many,
                                     .multiply = multiply,
                                     .negative = negative,
                                     .factored = factored,
                                     .uneven = true};

// ---------------------------------------------------------------- points
// How a point moves with the change dz of the unknowns, by the factors.
static void move_by(const assembly_problem *p, const double *dz, const model_point *point,
                    double moved[6]) {
    const double *bodies = dz + p->a->first[p->a->n_rods];
    const se3 pose = assembly_pose(p, point);
    double z[6] = {0.0};
    int body = -1;
    if (point->body >= 0) {
        body = body_in(p->c, p->a, point->body);
    } else {
        const int i = rod_in(p->a, point->rod), base = p->own->problems[i].r->base_body;
        ports_of(p->c)->motion(&p->own->problems[i], place_on_rod(p, i, point), dz + p->a->first[i],
                               z);
        if (base >= 0) body = p->c->bodies[base].place;
    }
    for (int k = 0; k < 6 && body >= 0; k++) z[k] += bodies[6 * body + k];
    const vec3 turn = vec3_load(z);
    vec3_store(moved, turn);
    vec3_store(moved + 3, vec3_add(vec3_load(z + 3), vec3_cross(turn, pose.p)));
}

// The residual (n) of the same unknowns with one input at another value, in a copy of all inputs: only
// rods that it drives are evaluated anew.
static void side_of_input(assembly_problem *p, const configuration *c, int input, double value,
                          double *r) {
    p->m->half_inputs[input] = value;
    p->gravity = rod_gravity_at(p->c, p->inputs, p->fraction);
    if (p->a->meets) {  // what one does, others feel
        assembly_prepare(p);
        if (!assembly_evaluate(p, c->q, r)) r[0] = (double)NAN;
        return;
    }
    assembly_place(p, c->q);
    for (int i = 0; i < p->a->n_rods; i++) {
        if (!input_drives_rod(p->c, p->a->rods[i], input)) continue;
        assembly_prepare_rod(p, i);
        if (!assembly_evaluate_rod(p, i, c->q, r)) r[0] = (double)NAN;
    }
    if (!assembly_balance(p, r)) r[0] = (double)NAN;
}

// Inputs from now on are a copy, whose values may be changed.
static void copy_inputs(assembly_problem *p, const solve_instant *at) {
    memcpy(p->m->half_inputs, at->inputs, sizeof(double) * (size_t)p->c->n_inputs);
    p->inputs = p->base_inputs = p->m->half_inputs;
}

// The input that moves bases at the rate 1; -1: none.
static int moving_input(const solve_instant *at, int n) {
    for (int i = 0; at->place_rates && i < n; i++)
        if (at->place_rates[i] != 0.0) return i;
    return -1;
}

// Of a point of a rod with an input, at the same unknowns, one of which is the pose of a body.
static void add_input_motion(assembly_problem *p, const solve_instant *at, const configuration *c,
                             int input, const model_point *point, double moved[6]) {
    double own[6], *r = p->own->points[2];
    const input_span over = input_span_of(p, input, at->inputs[input]);
    copy_inputs(p, at);
    side_of_input(p, c, input, over.low, r);
    const se3 low = assembly_pose(p, point);
    side_of_input(p, c, input, over.high, r);
    const se3 high = assembly_pose(p, point);
    motion_between(&low, &high, over.high - over.low, own);
    for (int i = 0; i < 6; i++) moved[i] += own[i];
    side_of_input(p, c, input, at->inputs[input], r);
    p->inputs = p->base_inputs = at->inputs;
}

static td_pose move(void *of, const solve_instant *at, const configuration *c, const double *dz,
                    const model_point *point, double moved[6]) {
    assembly_problem *p = of;
    const int input = point->body < 0 ? moving_input(at, p->c->n_inputs) : -1;
    if (!assembly_at_point(p, at, c->q)) return (td_pose){.q = {1.0}};
    const se3 pose = assembly_pose(p, point);
    if (dz) move_by(p, dz, point, moved);
    if (dz && input >= 0 && input_moves(p, input)) add_input_motion(p, at, c, input, point, moved);
    return pose_from(&pose.R, pose.p);
}

// ---------------------------------------------------------------- inputs and wrenches
#define KINK 0.1  // of the larger side, by which the sides of an input disagree where it has a kink

void add_by_efforts(const assembly_problem *p, int input, double *dr) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = p->own->problems[i].r;
        for (int k = 0; k < r->n_actuators; k++) {
            const actuator *a = r->actuators[k].a;
            const double gain = a->value.input == input ? a->value.gain : 0.0;
            const bool slack = a->pulls_only && number_value(a->value, p->inputs) < 0.0;
            if (gain != 0.0 && !slack)
                ports_of(p->c)->by_effort(&p->own->problems[i], k,
                                          gain * actuator_given_slope(a, p->inputs),
                                          dr + p->a->first[i]);
        }
    }
}

// The shape last evaluated is that of c. The residual is linear in loads, so one difference is exact for
// them, and nearly so for the rest. Where both sides of `now` disagree, as at a tendon that is about to become taut, it is
// that to growing values.
static void by_input(void *of, const solve_instant *at, const configuration *c, int input,
                     double *dr) {
    assembly_problem *p = of;
    const size_t bytes = sizeof(double) * (size_t)n_change(p->a);
    memset(dr, 0, bytes);
    if (input_gives_efforts(p, input)) {
        add_by_efforts(p, input, dr);
        return;
    }
    const input_span over = input_span_of(p, input, at->inputs[input]);
    double *low = p->own->points[2], *now = p->own->points[1], most = 0.0, apart = 0.0;
    memset(low, 0, bytes);
    memset(now, 0, bytes);
    copy_inputs(p, at);
    if (p->a->meets) pairs_hold_list(&p->c->contacts, &p->m->pairs);  // as they are in that shape
    side_of_input(p, c, input, over.low, low);
    side_of_input(p, c, input, over.high, dr);
    side_of_input(p, c, input, at->inputs[input], now);
    for (int i = 0; i < n_change(p->a); i++) {
        most = fmax(most, fabs(dr[i] - low[i]));
        apart = fmax(apart, fabs(dr[i] + low[i] - 2.0 * now[i]));
    }
    const bool kink = over.low < at->inputs[input] && apart > KINK * most;
    const double *from = kink ? now : low, size = over.high - (kink ? at->inputs[input] : over.low);
    for (int i = 0; i < n_change(p->a); i++) dr[i] = (dr[i] - from[i]) / size;
    if (p->a->meets) {
        pairs_let_go(&p->m->pairs);
        side_of_input(p, c, input, at->inputs[input], low);
    }
    p->inputs = p->base_inputs = at->inputs;
}

// Of a point of a rod alone, on a base that stands still.
static bool answer(void *of, const solve_instant *at, const configuration *c,
                   const model_point *point, double *W) {
    assembly_problem *p = of;
    const rod_problem *one = &p->own->problems[0];
    const scheme_ports *ports = ports_of(p->c);
    if (!p->a->alone || point->body >= 0 || !ports->answer || one->r->n_efforts) return false;
    for (int i = 0; i < p->c->n_inputs; i++)
        if (input_moves(p, i)) return false;
    return assembly_at_point(p, at, c->q) && ports->answer(one, place_on_rod(p, 0, point), W);
}

static void push(void *of, const solve_instant *at, const configuration *c, const model_point *load,
                 const double wrench_world[6], double *r) {
    assembly_problem *p = of;
    double *bodies = r + p->a->first[p->a->n_rods];
    int body = -1;
    assembly_at_point(p, at, c->q);
    if (load->body >= 0) {
        body = body_in(p->c, p->a, load->body);
    } else {
        const int i = rod_in(p->a, load->rod), base = p->own->problems[i].r->base_body;
        ports_of(p->c)->push(&p->own->problems[i], place_on_rod(p, i, load), wrench_world,
                             r + p->a->first[i]);
        if (base >= 0) body = p->c->bodies[base].place;  // the rod hands it down
    }
    if (body < 0) return;
    const vec6 w = vec6_load(wrench_world);
    vec6_store(bodies + 6 * body, wrench_at(assembly_pose(p, load).p, w.a, w.l));
}

// Of schemes without derivatives there are these alone.
#define EQUILIBRIA                                                                                 \
    .residual = residual, .retract = retract, .size = size, .admit = admit, .fits = fits,          \
    .accept = accept, .rest = assembly_begin, .correct = assembly_correct,                         \
    .between = assembly_between, .lend = assembly_lend, .anew = assembly_anew,                     \
    .turn = assembly_turn, .gapes = assembly_gapes, .lost = assembly_lost,                         \
    .crossed = assembly_crossed, .beyond = assembly_beyond, .relax = assembly_relax,               \
    .depth = assembly_depth, .blame = assembly_blame
#define ANSWERS                                                                                    \
    EQUILIBRIA, .tangent = tangent, .lacks_potential = lacks_potential, .by_input = by_input,      \
                .move = move, .push = push
static const mechanics assembly_mechanics = {ANSWERS, .answer = answer};
static const mechanics following_mechanics = {ANSWERS, .settle = settle};
static const mechanics no_mechanics = {EQUILIBRIA};

int cosserat_n_parts(const void *compiled) {
    return ((const cosserat *)compiled)->n_assemblies;
}

int cosserat_part_of(const void *compiled, const model_point *at) {
    return assembly_of_point(compiled, at);
}

static const mechanics *mechanics_of(const cosserat *c, const assembly *a) {
    if (!ports_of(c)) return &no_mechanics;
    for (int i = 0; i < a->n_rods; i++)
        if (c->rods[a->rods[i]].follows) return &following_mechanics;
    return &assembly_mechanics;
}

static void set_units(const assembly_problem *p, double *unit) {
    const assembly *a = p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &p->c->rods[a->rods[i]];
        const int d = unknowns_per_node(r), n = a->first[i + 1] - a->first[i];
        for (int k = 0; k < n; k++)
            *unit++ = k >= d * r->n_nodes ? HUGE_VAL : k % d < 3 ? 1.0 / r->length : 1.0;
    }
    for (int k = 0; k < 6 * a->n_bodies; k++) *unit++ = k % 6 < 3 ? 1.0 : a->length;
    for (int k = 0; k < a->n_reactions; k++) *unit++ = HUGE_VAL;
}

solve_part cosserat_part(const void *compiled, void *memory, int index) {
    static const double present[3] = {1.0, 0.0, 0.0};
    const cosserat *c = compiled;
    const assembly *a = &c->assemblies[index];
    solve_part out = {.how = mechanics_of(c, a),
                      .linear = &sweep_ops,
                      .name = a->n_rods ? c->rods[a->rods[0]].name : c->bodies[a->bodies[0]].name,
                      .noun = a->n_rods ? NULL : "body",
                      .n_x = n_point(a),
                      .n_q = n_change(a),
                      .n_matrix = N_WEIGHTS,
                      .longest = c->scheme->first_load_step,
                      .kinks = c->n_obstacles > 0,
                      .patience = a->meets ? COSSERAT_PATIENCE : 0,
                      .floats = a->n_bodies > 0,
                      .judged = true};
    if (!memory) return out;
    assembly_memory *own = &((cosserat_memory *)memory)->assemblies[index];
    own->asked = (assembly_problem){.c = c,
                                    .a = a,
                                    .m = memory,
                                    .own = own,
                                    .fraction = 1.0,
                                    .turn = 1.0,
                                    .stats = &own->asked_stats};
    own->seen = own->tested = own->coupling.there = false;
    own->crowds = 0;
    out.of = &own->asked;
    out.m = &own->solve;
    out.unit = own->unit;
    set_units(&own->asked, own->unit);
    for (int i = 0; i < a->n_rods; i++) {
        rod_memory *m = &own->asked.m->rods[a->rods[i]];
        m->r = rod_of_length(&c->rods[a->rods[i]], m, m->lengths[0]);
    }
    assembly_forget(&own->asked);
    assembly_recall(&own->asked, present, own->solve.q);
    return out;
}
