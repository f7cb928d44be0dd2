// model/tubes/drives.c - tendons, push-pull rods and chambers along tubes, and what changes their sections: functionals of the
// strain of a tube in its axes. Behind the plate the former run straight; the latter twists there, too.
#include <math.h>
#include <string.h>

#include "model/tubes/bundle.h"

static const vec3 straight = {0.0, 0.0, 1.0};

static bool runs_at(const bundle *b, const bundle_memory *m, const drive *d, int node) {
    const element_now *el = &m->elements[node / b->per];
    const double s = m->sections[node * b->n + d->tube].s;
    return el->there[d->tube] && s >= d->a->from && s <= d->a->to;
}

static const shaft_now *shafts_of(const bundle *b, const bundle_memory *m, int tube) {
    const shaft_now *first = m->shafts;
    for (int j = 0; j < tube; j++) first += b->tubes[j].n_shafts;
    return first;
}

void bundle_route(const bundle *b, bundle_memory *m) {
    for (int k = 0; k < b->n_drives; k++) {
        const drive *d = &b->drives[k];
        for (int node = 0; node < b->n_nodes; node++)
            m->routes[k * b->n_nodes + node] =
                actuator_route(d->a, m->sections[node * b->n + d->tube].s);
        m->runs[k] = 0.0;
        if (d->a->kind->sections) continue;
        const shaft_now *shaft = shafts_of(b, m, d->tube);
        for (int i = 0; i < b->tubes[d->tube].n_shafts; i++, shaft++) {
            const double from = fmax(shaft->from, d->a->from),
                         to = fmin(shaft->from + shaft->h, d->a->to);
            for (int n = 0; n < b->per && to > from; n++) {
                const route_point at = actuator_route(d->a, from + b->gauss.c[n] * (to - from));
                m->runs[k] += (to - from) * b->gauss.b[n] *
                              actuator_counted(d->a, &at, vec3_zero(), straight).value;
            }
        }
    }
}

static density bundle_density(const bundle *b, const bundle_memory *m, int k, int node,
                              const double e[3]) {
    return actuator_density(b->drives[k].a, &m->routes[k * b->n_nodes + node], vec3_load(e),
                            straight);
}

static density counted(const bundle *b, const bundle_memory *m, int k, int node,
                       const double e[3]) {
    return actuator_counted(b->drives[k].a, &m->routes[k * b->n_nodes + node], vec3_load(e),
                            straight);
}

double drive_moments(const bundle *b, const bundle_memory *m, int node, int tube, const double e[3],
                     const double e_t[3], double moments[3]) {
    double power = 0.0;
    for (int k = 0; k < b->n_drives; k++) {
        const drive *d = &b->drives[k];
        if (d->tube != tube || !runs_at(b, m, d, node)) continue;
        const vec3 w =
            vec3_scale(bundle_density(b, m, k, node, e).slope.a, d->a->sign * m->efforts[k].effort);
        moments[0] += w.x, moments[1] += w.y, moments[2] += w.z;
        power -= w.x * e_t[0] + w.y * e_t[1] + w.z * e_t[2];
    }
    return power;
}

void drive_stiffness(const bundle *b, const bundle_memory *m, int node, int tube, const double e[3],
                     double factor, double C[3][3]) {
    for (int k = 0; k < b->n_drives; k++) {
        const drive *d = &b->drives[k];
        double whole[36] = {0.0};
        if (d->tube != tube || d->a->kind->linear || !runs_at(b, m, d, node)) continue;
        const density at = bundle_density(b, m, k, node, e);
        density_add_curvature(d->a, &m->routes[k * b->n_nodes + node], &at,
                              factor * d->a->sign * m->efforts[k].effort, whole);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) C[r][c] += whole[6 * r + c];
    }
}

// ---------------------------------------------------------------- behind the plate
// Shafts end where what changes sections does.
static bool changes_shaft(const bundle *b, const drive *d, int tube, int shaft) {
    const shaft_def *s = &b->tubes[tube].shafts[shaft];
    const double middle = 0.5 * (s->from + s->to);
    return d->tube == tube && d->a->kind->sections && middle > d->a->from && middle < d->a->to;
}

static density shaft_density(const drive *d, double twist) {
    const route_point axis = {0};
    return actuator_density(d->a, &axis, (vec3){0.0, 0.0, twist}, straight);
}

double drive_shaft(const bundle *b, const bundle_memory *m, int tube, int shaft, double twist,
                   double *slope) {
    double torque = 0.0;
    *slope = 0.0;
    for (int k = 0; k < b->n_drives; k++) {
        const drive *d = &b->drives[k];
        double C[36] = {0.0};
        if (!changes_shaft(b, d, tube, shaft)) continue;
        const double effort = d->a->sign * m->efforts[k].effort;
        torque += effort * shaft_density(d, twist).slope.a.z;
        if (d->a->kind->curvature) d->a->kind->curvature(d->a, effort, C);
        *slope += C[14];
    }
    return torque;
}

// The measure there, with its slope by twists unless NULL.
static double shaft_measure(const bundle *b, const bundle_memory *m, const drive *d,
                            const double *q, double *by_q) {
    const shaft_now *shaft = shafts_of(b, m, d->tube);
    double sum = 0.0;
    for (int i = 0; i < b->tubes[d->tube].n_shafts; i++) {
        if (!changes_shaft(b, d, d->tube, i)) continue;
        for (int k = 0; k < b->per; k++) {
            const int at = b->tubes[d->tube].first + i * b->per + k;
            const density here = shaft_density(d, q[at]);
            sum += shaft[i].h * b->gauss.b[k] * here.value;
            if (by_q) by_q[at] += shaft[i].h * b->gauss.b[k] * here.slope.a.z;
        }
    }
    return sum;
}

static void strain_at(const bundle *b, const bundle_memory *m, int node, int tube, const double *q,
                      double e[3]) {
    const double *u = node_u(q, node), psi = m->nodes[node].psi[tube], c = cos(psi), s = sin(psi);
    e[0] = c * u[0] + s * u[1];
    e[1] = -s * u[0] + c * u[1];
    e[2] = q[twist_at(b, tube, node)];
}

static double weight_of(const bundle *b, const bundle_memory *m, int node) {
    return m->elements[node / b->per].h * b->gauss.b[node % b->per];
}

// ---------------------------------------------------------------- efforts
static effort_state effort_of(const drive *d, const bundle_situation *at, double measure) {
    const double unknown = d->unknown >= 0 && at->unknown ? at->unknown[d->unknown] : 0.0;
    if (d->unknown >= 0 && !at->soft) return (effort_state){.effort = unknown};
    const double given = actuator_given(d->a, at->inputs, at->given);
    return effort_now(d->a, actuator_supply(d->a, given, at->given, at->engines), unknown, measure);
}

void bundle_efforts(const bundle *b, bundle_memory *m, const bundle_situation *at,
                    const double *q) {
    for (int k = 0; k < b->n_drives; k++) {
        const drive *d = &b->drives[k];
        double sum = m->runs[k] + shaft_measure(b, m, d, q, NULL), e[3];
        for (int node = 0; node < b->n_nodes; node++) {
            if (!runs_at(b, m, d, node)) continue;
            strain_at(b, m, node, d->tube, q, e);
            sum += weight_of(b, m, node) * counted(b, m, k, node, e).value;
        }
        m->measures[k] = sum;
        m->efforts[k] = effort_of(d, at, sum);
    }
}

// ---------------------------------------------------------------- slopes of measures
// What torques at nodes are to twists: back through the integrals, and through the shafts.
static void spread_torques(const bundle *b, const bundle_memory *m, int tube, const double *torque,
                           double *out) {
    const bundle_table *g = &b->gauss;
    const shaft_now *shaft = shafts_of(b, m, tube);
    double beyond = 0.0;
    for (int e = b->n_elements - 1; e >= 0; e--) {
        const double *on = torque + e * b->per;
        if (!m->elements[e].there[tube]) continue;
        for (int k = 0; k < b->per; k++) {
            double sum = g->b[k] * beyond;
            for (int i = 0; i < b->per; i++) sum += g->A[i][k] * on[i];
            out[twist_at(b, tube, e * b->per + k)] += m->elements[e].h * sum;
        }
        for (int k = 0; k < b->per; k++) beyond += on[k];
    }
    for (int i = 0; i < b->tubes[tube].n_shafts; i++, shaft++)
        for (int k = 0; k < b->per; k++)
            out[b->tubes[tube].first + i * b->per + k] += shaft->h * g->b[k] * beyond;
}

void drive_slopes(const bundle *b, bundle_memory *m, int k, const double *q, bool as_counted,
                  double *out) {
    const drive *d = &b->drives[k];
    memset(out, 0, sizeof(double) * (size_t)b->n_q);
    memset(m->torques, 0, sizeof(double) * (size_t)b->n_nodes);
    for (int node = 0; node < b->n_nodes; node++) {
        double e[3];
        if (!runs_at(b, m, d, node)) continue;
        strain_at(b, m, node, d->tube, q, e);
        const density at =
            as_counted ? counted(b, m, k, node, e) : bundle_density(b, m, k, node, e);
        const double psi = m->nodes[node].psi[d->tube], c = cos(psi), s = sin(psi);
        const vec3 w = vec3_scale(at.slope.a, weight_of(b, m, node));
        out[2 * node] += c * w.x - s * w.y;
        out[2 * node + 1] += s * w.x + c * w.y;
        out[twist_at(b, d->tube, node)] += w.z;
        m->torques[node] = w.x * e[1] - w.y * e[0];
    }
    spread_torques(b, m, d->tube, m->torques, out);
    shaft_measure(b, m, d, q, out);
}
