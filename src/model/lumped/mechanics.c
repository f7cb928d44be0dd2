// model/lumped/mechanics.c - nets as src/solve asks for them: what is the same in absolute and in
// relative states. What is not stands in their net_states, and in absolute_ and relative_mechanics.c.
#include <math.h>
#include <string.h>

#include "model/lumped/point.h"

#define COARSE 0.03  // stats.resolution: a segment that bends by 49 deg

// ---------------------------------------------------------------- evaluations
void begin_load(net_memory *m, const solve_instant *at, const configuration *x) {
    const net *c = m->of;
    use_sections(c, m);
    m->elapsed = instant_elapsed(at);
    hold_nodes(c, m, at);
    touch_move(&c->touch, &m->touch, at->places, at->place_rates, at->shares[SHARE_HARDNESS]);
    pairs_move(&c->contacts, &m->pairs, at->places, at->shares[SHARE_HARDNESS]);
    for (int i = 0; i < c->n_actuators; i++)
        m->trial_efforts[i] = c->unknown[i] >= 0 && !at->soft ? x->l[c->unknown[i]] : 0.0;
}

net_job job_of(net_memory *m, const solve_instant *at, const configuration *x) {
    return (net_job){.c = m->of,
                     .m = m,
                     .at = at,
                     .x = m->trial,
                     .rates = x->v ? m->trial_rates : NULL,
                     .moves = x->v != NULL,
                     .efforts = m->trial_efforts,
                     .holding = x->l && !at->soft ? x->l + m->of->n_unknown : NULL};
}

void net_give(const net_job *j, double *r, double *powers) {
    const net_memory *m = j->m;
    const size_t rows = 6 * (size_t)j->c->n_free;
    if (r) memcpy(r, m->balance, sizeof(double) * rows);
    for (int k = 0; k < j->c->n_border && r && !j->at->soft; k++) r[rows + (size_t)k] = m->gap[k];
    if (!powers) return;
    powers[POWER_LOST] = m->lost;
    powers[POWER_GIVEN] = m->given_power;
}

void net_residual(void *of, const solve_instant *at, const configuration *x, double *r,
                  double *powers) {
    const net_states *states = ((const net_memory *)of)->states;
    const net_job j = states->load(of, at, x);
    states->evaluate(&j, x);
    net_give(&j, r, powers);
}

// ---------------------------------------------------------------- what follows, what jumps
double net_settle(void *of, const solve_instant *at, const configuration *x) {
    net_memory *m = of;
    m->states->load(m, at, x);
    return stretch_sections(m->of, m, m->trial);
}

double net_begin(void *of, const solve_instant *at, bool fresh) {
    net_memory *m = of;
    const double jumped = fresh ? jump_nodes(m->of, m, at) : 0.0;
    net_pairs_begin(m->of, m);
    return jumped + follow_stretch(m->of, m);
}

// Is a string that does not stretch taut now and was slack before, or the other way round?
bool net_snapped(void *of, const double *before, const double *l) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        const double least = 1e-12 * a->rest;
        const int k = c->unknown[i];
        if (is_rigid_string(c, i) &&
            (a->slack_scale * before[k] > least) != (a->slack_scale * l[k] > least))
            return true;
    }
    return false;
}

double net_motion_energy(void *of, const solve_instant *at, const configuration *x) {
    net_memory *m = of;
    const double *kept = m->coordinates;
    m->states->load(m, at, x);
    if (kept) m->coordinates = x->q;
    const double sum = net_own_energy(m->of, m, m->trial, at->inputs);
    m->coordinates = kept;
    return sum;
}

#define MOST_TURN 1.0  // rad, of what the world holds, from one shape to the next
bool net_anew(void *of, const double *before, const double *inputs) {
    return turn_between(((const net_memory *)of)->of, before, inputs) > MOST_TURN;
}

const char *net_lacks_energy(void *of, const solve_instant *at) {
    const net *c = ((const net_memory *)of)->of;
    const char *why = NULL;
    for (int i = 0; i < c->n_loads && !why; i++)
        why = load_lacks_potential(&c->loads[i].of, at->inputs);
    if (!why && touch_rubs(&c->touch)) why = "obstacles rub";
    return why || !pairs_rub(&c->contacts) ? why : "parts rub on one another";
}

// What lies loose has no stiffness of its own to find its place by.
td_status net_admit(void *of, const double *inputs, char *message) {
    const net *c = ((const net_memory *)of)->of;
    (void)inputs;
    if (!c->loose) return TD_OK;
    return tell(message, TD_ERR_UNSUPPORTED,
                "nothing joins some rod or body to the world, and %s does not seek its "
                "equilibrium; a run may start with simulation.start: straight, and settle",
                c->options.model);
}

td_status net_fits(void *of, const solve_instant *at, const double *q, char *message) {
    net_memory *m = of;
    if (m->of->contacts.n + m->of->n_bonds == 0) return TD_OK;
    m->states->load(m, at, &(configuration){.q = q, .l = m->solve.tl});
    if (bonds_fit(m->of, m, at->places, message) < 0) return TD_ERR_VALUE;
    return m->of->contacts.n == 0 ? TD_OK
                                  : net_pairs_fit(m->of, m, at->cv > 0.0, q == m->solve.q, message);
}

// ---------------------------------------------------------------- whom it is about
static int rod_at(const net *c, int node) {
    for (int i = 0; i < c->n_segments; i++)
        if (place_is_on(&c->segments[i].a, node) || place_is_on(&c->segments[i].b, node))
            return c->segments[i].rod;
    return 0;
}

static const char *mover_of_coordinates(const net *c, int at) {
    int rod = 0;
    if (at < c->n_segments) return c->rods[c->segments[at].rod].name;
    while (c->rods[rod].root != at - c->n_segments) rod++;
    return c->rods[rod].name;
}

// Sixes of changes are those of nodes, or of segments and free bases.
const char *net_mover(void *of, const double *dz) {
    const net_memory *m = of;
    const net *c = m->of;
    double most = -1.0;
    int at = 0;
    if (!dz) return c->rods[m->restless].name;
    for (int i = 0; i < c->n_free; i++, dz += 6) {
        double size = vec3_norm(vec3_load(dz));
        if (!c->only_turns[i]) size = fmax(size, vec3_norm(vec3_load(dz + 3)) / c->size);
        if (!(size <= most)) most = size, at = i;
    }
    return m->coordinates ? mover_of_coordinates(c, at) : c->rods[rod_at(c, at)].name;
}

// ---------------------------------------------------------------- points
td_pose net_move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                 const model_point *p, double moved[6]) {
    net_memory *m = of;
    const net_point point = point_of(m->of, p);
    m->states->load(m, at, x);
    const td_pose pose = point_pose(m->of, m, &point);
    if (!dz) return pose;
    held_motion(m->of, m);
    m->states->to_nodes(m, dz, m->y);
    vec6_store(moved, point_motion(m->of, m, &point));
    return pose;
}

void net_push(void *of, const solve_instant *at, const configuration *x, const model_point *p,
              const double wrench[6], double *r) {
    net_memory *m = of;
    const net *c = m->of;
    const net_point point = point_of(c, p);
    m->states->load(m, at, x);
    memset(m->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
    push_point(c, m, &point, vec6_load(wrench));
    m->states->from_nodes(m);
    for (int i = 0; i < 6 * c->n_free; i++) r[i] += m->balance[i];
}

void net_use(const net *c, net_memory *m) {
    if (m->of == c) return;
    m->of = c;
    if (!m->own_segments) m->segments = c->segments, m->ports = c->ports;
    for (int i = 0; i < c->n_rods && m->own_segments; i++) m->made_for[i] = 0.0;  // no stretch is 0
}

// ---------------------------------------------------------------- after a solve or a step
int net_n_parts(const void *compiled) {
    (void)compiled;
    return 1;
}

// Nodes, accelerations and efforts of the last evaluation become those that are kept.
static double keep_net(net_memory *m, const model_call *call, shape_origin from,
                       td_status *status) {
    const net *c = m->of;
    keep_touches(c, m, from);
    if (c->contacts.n) keep_pairs(c, m, from);
    keep_inner(c, m, from);
    memcpy(m->nodes, m->trial, sizeof(node_state) * (size_t)c->n_nodes);
    memcpy(m->rates, m->trial_rates, sizeof(node_rates) * (size_t)c->n_nodes);
    for (int i = 0; i < c->n_actuators; i++) {
        const int k = c->unknown[i];
        const bool moves = actuator_in_joint(&c->actuators[i]);
        m->efforts[i] = k < 0 && !moves ? m->given[i] : m->trial_efforts[i];
        if (moves) m->turns[i] = m->measures[i];
        if (k >= 0) m->solve.l[k] = m->efforts[i];
    }
    if (from != SHAPE_MOVED) stretch_sections(c, m, m->nodes);
    call->stats->slack = m->slack;
    *status = check_turns(c, m, call);
    if (*status == TD_OK && from == SHAPE_IN_EQUILIBRIUM && call->stats->resolution > COARSE &&
        !call->message[0])
        *status = say_coarse(c, m, call->message);
    return stored_energy(c, m, m->given);
}

double net_finish(const void *compiled, void *memory, const model_call *call,
                  const solve_instant *at, shape_origin from, td_status *status) {
    net_memory *m = memory;
    solve_instant end = *at;
    const bool moved = from == SHAPE_MOVED, rests = from == SHAPE_IN_EQUILIBRIUM;
    const configuration x = {m->solve.q, m->solve.l, rests ? NULL : m->solve.v, m->solve.a};
    end.soft = moved && net_softens(compiled);
    const net_job j = m->states->load(m, &end, &x);
    keep_bonds(&j);
    if (!moved || end.soft) m->states->evaluate(&j, &x);
    return keep_net(m, call, from, status);
}
