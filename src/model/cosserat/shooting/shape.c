// model/cosserat/shooting/shape.c - reading the shape between the nodes.
#include "math/interpolate.h"
#include "model/cosserat/shooting/shooting.h"

// Where between the nodes an arc length lies.
typedef struct spot {
    const element *e;
    int step;      // between nodes step and step + 1 of the element
    double ds, t;  // step length, distance from the left node
} spot;

static spot spot_in(const element *e, double from_start) {
    spot p = {.e = e, .ds = e->length / (e->n_nodes - 1)};
    int j = (int)(from_start / p.ds);
    p.step = j < 0 ? 0 : j > e->n_nodes - 2 ? e->n_nodes - 2 : j;
    p.t = from_start - p.step * p.ds;
    return p;
}

static spot spot_at(const rod *r, double s) {
    const element *e = &r->elements[rod_element_at(r, s)];
    return spot_in(e, s - e->s0);
}

// Pose by cubic Hermite: its derivative along s is known at the nodes.
static td_pose pose_at(const rod_memory *m, const spot *p) {
    double w[4], h[4] = {0.0};
    vec3 x = vec3_zero();
    hermite_weights(p->ds, p->t, w);
    for (int end = 0; end < 2; end++) {
        size_t node = (size_t)(p->e->node + p->step + end);
        const double *y = m->nodes + node * Y_SIZE, *f = m->fields[0] + node * F_SIZE;
        const station *st = &p->e->stations[p->step + end];
        quat q = quat_load(y + Y_H);
        double h_s[4];
        quat_store(h_s, quat_rate(q, vec3_add(st->u_rest, vec3_load(f + F_U))));
        for (int k = 0; k < 4; k++) h[k] += w[2 * end] * y[Y_H + k] + w[2 * end + 1] * h_s[k];
        vec3 p_s = quat_rotate(q, vec3_add(st->v_rest, vec3_load(f + F_V)));
        x = vec3_madd(vec3_madd(x, w[2 * end], vec3_load(y + Y_P)), w[2 * end + 1], p_s);
    }
    td_pose pose;
    vec3_store(pose.p, x);
    quat_store(pose.q, quat_normalise(quat_load(h)));
    return pose;
}

// The cubic (or less, in a short element) through the nodes around the spot: first node, weights.
static int weights_around(const spot *p, int *count, double w[4]) {
    int n = p->e->n_nodes;
    *count = n < 4 ? n : 4;
    int first = p->step - (*count - 2) / 2;
    first = first < 0 ? 0 : first > n - *count ? n - *count : first;
    double x = p->step - first + p->t / p->ds;  // in steps from the first node
    for (int i = 0; i < *count; i++) {
        w[i] = 1.0;
        for (int k = 0; k < *count; k++)
            if (k != i) w[i] *= (x - k) / (i - k);
    }
    return first;
}

void shooting_weights(const rod *r, int index, double x, double *row) {
    const element *e = &r->elements[index];
    double w[4];
    spot p = spot_in(e, x * e->length);
    int count, first = weights_around(&p, &count, w);
    for (int i = 0; i < e->n_nodes; i++) row[i] = 0.0;
    for (int i = 0; i < count; i++) row[first + i] = w[i];
}

td_sample shooting_sample(const rod *r, const rod_memory *m, double at) {
    spot p = spot_at(r, at);
    td_sample out = {.pose = pose_at(m, &p)};
    double w[4], world[6] = {0.0};
    int count, first = weights_around(&p, &count, w);
    for (int i = 0; i < count; i++) {
        size_t node = (size_t)(p.e->node + first + i);
        const double *y = m->nodes + node * Y_SIZE, *f = m->fields[0] + node * F_SIZE;
        const station *st = &p.e->stations[first + i];
        double rest[6];
        vec3_store(rest, st->u_rest);
        vec3_store(rest + 3, st->v_rest);
        for (int k = 0; k < 6; k++) {
            out.strain[k] += w[i] * (rest[k] + f[F_U + k]);
            out.velocity[k] += w[i] * f[F_W + k];
            world[k] += w[i] * y[Y_N + k];
        }
    }
    quat back = quat_conj(quat_load(out.pose.q));
    vec3_store(out.wrench, quat_rotate(back, vec3_load(world + 3)));
    vec3_store(out.wrench + 3, quat_rotate(back, vec3_load(world)));
    return out;
}
