// model/tubes/forces.c - the residual: what acts on a bundle, collected from its tip to its back ends.
#include <math.h>
#include <string.h>

#include "model/tubes/bundle.h"

// ---------------------------------------------------------------- inside
own_strain bundle_strain(const bundle *b, const bundle_memory *m, int node, int tube,
                         const double *q, const double *v) {
    const knot *k = &m->nodes[node];
    const tube_section *sec = &m->sections[node * b->n + tube];
    const int t = twist_at(b, tube, node);
    const double *u = node_u(q, node), c = cos(k->psi[tube]), s = sin(k->psi[tube]);
    own_strain x = {.c = c, .s = s, .e = {c * u[0] + s * u[1], -s * u[0] + c * u[1], q[t]}};
    if (v) {
        const double *u_t = node_u(v, node), g = k->spin[tube];
        x.e_t[0] = c * u_t[0] + s * u_t[1] + g * x.e[1];
        x.e_t[1] = -s * u_t[0] + c * u_t[1] - g * x.e[0];
        x.e_t[2] = v[t];
    }
    for (int i = 0; i < 3; i++) x.m[i] = sec->K[i] * (x.e[i] - sec->rest[i]) + sec->D[i] * x.e_t[i];
    if (b->n_drives) x.power = drive_moments(b, m, node, tube, x.e, x.e_t, x.m);
    return x;
}

// Into r the moments of the material, and what they do to the angle of each tube.
static void add_inside(const bundle *b, bundle_memory *m, const double *q, const double *v,
                       const double *a, double *r) {
    for (int node = 0; node < b->n_nodes; node++) {
        const element_now *el = &m->elements[node / b->per];
        const double weight = el->weight * b->gauss.b[node % b->per], *u = node_u(q, node);
        for (int j = 0; j < b->n; j++) {
            const int t = twist_at(b, j, node);
            const tube_section *sec = &m->sections[node * b->n + j];
            if (!el->there[j]) {  // idle
                r[t] = weight * sec->K[2] * (q[t] - sec->rest[2]);
                if (a) r[t] += weight * sec->K[2] * IDLE_TIME * IDLE_TIME * a[t];
                continue;
            }
            const own_strain x = bundle_strain(b, m, node, j, q, v);
            const double mx = x.c * x.m[0] - x.s * x.m[1], my = x.s * x.m[0] + x.c * x.m[1];
            r[2 * node] += weight * mx;
            r[2 * node + 1] += weight * my;
            r[t] = weight * x.m[2];
            m->on_nodes[node].torque[j] += weight * (u[0] * my - u[1] * mx);
            for (int i = 0; v && i < 3; i++) m->lost += weight * sec->D[i] * x.e_t[i] * x.e_t[i];
            m->given += weight * x.power;
            if (a && el->h < el->weight) {
                const double idle = weight * IDLE_TIME * IDLE_TIME;
                r[t] += idle * sec->K[2] * a[t];
                for (int i = 0; i < 2; i++) r[2 * node + i] += idle * sec->K[i] * a[2 * node + i];
            }
        }
    }
}

// ---------------------------------------------------------------- outside
typedef struct collector {
    const bundle *b;
    bundle_memory *m;
} collector;

static void take(void *context, const visit *v) {
    const collector *c = context;
    pushes *to = v->place < c->b->n_nodes ? &c->m->on_nodes[v->place]
                                          : &c->m->on_ends[v->place - c->b->n_nodes];
    const vec3 t = mat3_column(&bundle_knot(c->b, c->m, v->place)->R, 2);
    to->force = vec3_add(to->force, v->wrench.l);
    to->moment = vec3_add(to->moment, v->wrench.a);
    to->own[v->tube] = vec3_add(to->own[v->tube], v->wrench.a);
    to->torque[v->tube] += vec3_dot(t, v->wrench.a);
}

// ---------------------------------------------------------------- from the tip to the plate
static void add_rubbing(const bundle *b, bundle_memory *m, const bundle_situation *at, int element,
                        far_side *x) {
    const knot *k = element < 0 ? &m->base : &m->ends[element];
    for (int j = 0; at->rubs && j + 1 < b->n; j++) {
        const rub on = bundle_rub(b, m, element, j, x->moment);
        x->torque[j] += on.torque;
        x->torque[j + 1] -= on.torque;
        m->lost += on.torque * (k->spin[j + 1] - k->spin[j]);
    }
}

static double spot_torque(const spot *s) {
    return vec3_dot(mat3_column(&s->k.R, 2), s->wrench.a);
}

// See bundle.h: what is conjugate to du_k and dt_k, back through the integrals.
static void collect_element(const bundle *b, bundle_memory *m, int e, far_side *x, double *r) {
    const bundle_table *g = &b->gauss;
    const int n = b->per, first = e * n;
    const double h = m->elements[e].h;
    const pushes *on = m->on_nodes + first;
    vec3 arms[MOST_NODES];
    const spot *spots = m->spots, *end = spots + (b->touch.n ? b->touch.n_points : 0);
    for (int k = 0; k < n; k++) {
        vec3 force = vec3_scale(x->force, g->b[k]);
        for (int i = 0; i < n; i++) force = vec3_madd(force, g->A[i][k], on[i].force);
        for (const spot *s = spots; s < end; s++)
            if (s->element == e) force = vec3_madd(force, s->row[k], s->wrench.l);
        m->carried[first + k] = vec3_scale(force, h);
        const vec3 t = mat3_column(&m->nodes[first + k].R, 2);
        arms[k] = vec3_add(on[k].moment, vec3_cross(t, m->carried[first + k]));
    }
    for (int k = 0; k < n; k++) {
        vec3 moment = vec3_scale(x->moment, g->b[k]);
        for (int i = 0; i < n; i++) moment = vec3_madd(moment, g->A[i][k], arms[i]);
        for (const spot *s = spots; s < end; s++)
            if (s->element == e) moment = vec3_madd(moment, s->row[k], s->wrench.a);
        m->total[first + k] = vec3_scale(moment, h);
        const vec3 local = mat3_tmul_vec(&m->nodes[first + k].R, m->total[first + k]);
        r[2 * (first + k)] -= local.x;
        r[2 * (first + k) + 1] -= local.y;
    }
    for (int j = 0; j < b->n; j++) {
        const int t = twist_at(b, j, first);
        for (int k = 0; k < n && m->elements[e].there[j]; k++) {
            double torque = g->b[k] * x->torque[j];
            for (int i = 0; i < n; i++) torque += g->A[i][k] * on[i].torque[j];
            for (const spot *s = spots; s < end; s++)
                if (s->element == e && s->tube == j) torque += s->row[k] * spot_torque(s);
            r[t + k] -= h * torque;
        }
        for (int k = 0; k < n && m->elements[e].there[j]; k++) x->torque[j] += on[k].torque[j];
    }
    for (int k = 0; k < n; k++) {
        x->force = vec3_add(x->force, on[k].force);
        x->moment = vec3_add(x->moment, arms[k]);
    }
    for (const spot *s = spots; s < end; s++) {
        if (s->element != e) continue;
        x->force = vec3_add(x->force, s->wrench.l);
        x->moment = vec3_add(x->moment, s->wrench.a);
        x->torque[s->tube] += spot_torque(s);
    }
}

static void add_end(const bundle *b, const pushes *on, far_side *x) {
    x->force = vec3_add(x->force, on->force);
    x->moment = vec3_add(x->moment, on->moment);
    for (int j = 0; j < b->n; j++) x->torque[j] += on->torque[j];
}

// ---------------------------------------------------------------- shafts
// From the plate back: torque, which leaves it at the back end.
static void collect_shaft(const bundle *b, bundle_memory *memory, int tube, int shaft,
                          const shaft_now *s, double spin_t, const double *q, const double *v,
                          const double *a, double *torque, double *r) {
    const bundle_table *g = &b->gauss;
    const int n = b->per, first = b->tubes[tube].first + shaft * n;
    double on[MOST_NODES], slope;
    for (int i = 0; i < n; i++) {
        double rate = spin_t;
        for (int k = 0; a && k < n; k++) rate += s->h * g->A[i][k] * a[first + k];
        on[i] = -s->h * g->b[i] * s->inertia * rate;
    }
    for (int k = 0; k < n; k++) {
        double sum = g->b[k] * *torque;
        for (int i = 0; i < n; i++) sum += g->A[i][k] * on[i];
        double m = s->c * (q[first + k] - s->rest) + (v ? s->d * v[first + k] : 0.0);
        const double driven = drive_shaft(b, memory, tube, shaft, q[first + k], &slope);
        m += driven;
        if (v) memory->given -= s->weight * g->b[k] * driven * v[first + k];
        if (a && s->h < s->weight) m += s->c * IDLE_TIME * IDLE_TIME * a[first + k];
        r[first + k] = s->weight * g->b[k] * m - s->h * sum;
    }
    for (int i = 0; i < n; i++) *torque += on[i];
}

static void collect_shafts(const bundle *b, bundle_memory *m, const bundle_situation *at,
                           const double *q, const double *v, const double *a, far_side *x,
                           double *r) {
    const shaft_now *all = m->shafts;
    const double base = vec3_dot(m->base.w_t, mat3_column(&m->base.R, 2));
    for (int j = 0; j < b->n; j++) {
        const tube_def *t = &b->tubes[j];
        double spin_t = m->base.spin_t[j] + base;  // at the front end of each
        for (int i = t->n_shafts - 1; i >= 0; i--) {
            const shaft_now *s = &all[i];
            const int first = t->first + i * b->per;
            for (int k = 0; a && k < b->per; k++) spin_t -= s->h * b->gauss.b[k] * a[first + k];
            collect_shaft(b, m, j, i, s, a ? spin_t : 0.0, q, v, a, &x->torque[j], r);
            for (int k = 0; v && k < b->per; k++)
                m->lost += s->weight * b->gauss.b[k] * s->d * v[first + k] * v[first + k];
        }
        m->given -= x->torque[j] * at->alpha_t[j];
        all += t->n_shafts;
    }
}

void bundle_forces(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                   const double *v, const double *a, double *r) {
    collector c = {b, m};
    memset(r, 0, sizeof(double) * (size_t)b->n_q);
    memset(m->on_nodes, 0, sizeof(pushes) * (size_t)b->n_nodes);
    memset(m->on_ends, 0, sizeof(pushes) * (size_t)b->n_elements);
    m->lost = m->given = 0.0;
    bundle_efforts(b, m, at, q);
    add_inside(b, m, q, v, a, r);
    for (int e = 0; e < b->n_elements; e++) bundle_visit(b, m, at, e, NULL, take, &c);
    bundle_touch(b, m, at, q, v);
    far_side x = {0};
    for (int e = b->n_elements - 1; e >= 0; e--) {
        add_end(b, &m->on_ends[e], &x);
        add_rubbing(b, m, at, e, &x);
        m->beyond[e + 1] = x;
        collect_element(b, m, e, &x, r);
    }
    add_rubbing(b, m, at, -1, &x);
    collect_shafts(b, m, at, q, v, a, &x, r);
    m->beyond[0] = x;  // torques at back ends
    m->given -= vec3_dot(x.moment, m->base.w) + vec3_dot(x.force, m->base.v);
}

// ---------------------------------------------------------------- energy
double bundle_elastic(const bundle *b, const bundle_memory *m, const double *q) {
    const shaft_now *shaft = m->shafts;
    double sum = 0.0;
    for (int node = 0; node < b->n_nodes; node++) {
        const element_now *el = &m->elements[node / b->per];
        const double weight = el->weight * b->gauss.b[node % b->per];
        for (int j = 0; j < b->n; j++) {
            const tube_section *sec = &m->sections[node * b->n + j];
            const own_strain x = bundle_strain(b, m, node, j, q, NULL);
            for (int i = el->there[j] ? 0 : 2; i < 3; i++) {
                const double e = x.e[i] - sec->rest[i];
                sum += 0.5 * weight * sec->K[i] * e * e;
            }
        }
    }
    for (int j = 0; j < b->n; j++)
        for (int i = 0; i < b->tubes[j].n_shafts; i++, shaft++)
            for (int k = 0; k < b->per; k++) {
                const double e = q[b->tubes[j].first + i * b->per + k] - shaft->rest;
                sum += 0.5 * shaft->weight * b->gauss.b[k] * shaft->c * e * e;
            }
    return sum;
}
