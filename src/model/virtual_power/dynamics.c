// model/virtual_power/dynamics.c - virtual power of wrenches on the discs, and of their inertia.
#include "model/virtual_power/chain.h"

// What disc i and all beyond carry is one wrench at disc i: the coordinates of subsegment i move
// them as one rigid body. Eq. 4.
void project_wrenches(const chain *c, const disc_motion *discs, const vec6 *wrenches, double *Q) {
    vec3 moment = vec3_zero(), force = vec3_zero();
    for (int i = c->n - 1; i >= 0; i--) {
        const disc_motion *d = &discs[i];
        if (i + 1 < c->n)
            moment = vec3_add(moment, vec3_cross(vec3_sub(discs[i + 1].p, d->p), force));
        moment = vec3_add(moment, wrenches[i].a);
        force = vec3_add(force, wrenches[i].l);
        for (int k = 0; k < c->per; k++)
            Q[i * c->per + k] = vec3_dot(d->turn_by_q[k], moment) + vec3_dot(d->by_q[k], force);
    }
}

void add_weight(const chain *c, const disc_motion *discs, vec3 gravity, vec6 *wrenches) {
    for (int i = 0; i < c->n; i++) {
        const point_body b = {.mass = c->segments[i].mass, .moment = c->segments[i].moment};
        point_answer out = {.lost = 0.0};
        environment_add(gravity, NULL, &b, &(point_now){&discs[i].R, discs[i].p, discs[i].velocity},
                        &out, NULL);
        wrenches[i] = vec6_add(wrenches[i], out.wrench);
    }
}

void add_inertial(const chain *c, const disc_motion *discs, vec6 *wrenches) {
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        const disc_motion *d = &discs[i];
        vec3 h = mat3_mul_vec(&d->R, s->moment);
        vec3 momentum = mat3_turned_mul_vec(&d->R, &s->inertia, d->turn);
        vec3 n = vec3_add(mat3_turned_mul_vec(&d->R, &s->inertia, d->turn_rate),
                          vec3_cross(d->turn, momentum));
        n = vec3_add(n, vec3_cross(h, d->acceleration));
        vec3 f = vec3_add(vec3_cross(d->turn_rate, h), vec3_cross(d->turn, vec3_cross(d->turn, h)));
        f = vec3_madd(f, s->mass, d->acceleration);
        wrenches[i].a = vec3_sub(wrenches[i].a, n);
        wrenches[i].l = vec3_sub(wrenches[i].l, f);
    }
}

// ---------------------------------------------------------------- the mass matrix
static composite disc_composite(const segment *s, const disc_motion *d) {
    return (composite){s->mass, mat3_mul_vec(&d->R, s->moment), turned_inertia(&d->R, &s->inertia)};
}

// The wrench at the disc that accelerates all beyond it by coordinate k alone.
static vec6 accelerating(const composite *b, const disc_motion *d, int k) {
    vec3 w = d->turn_by_q[k], v = d->by_q[k];
    return (vec6){vec3_add(mat3_mul_vec(&b->inertia, w), vec3_cross(b->moment, v)),
                  vec3_madd(vec3_cross(w, b->moment), b->mass, v)};
}

void mass_matrix(const chain *c, const disc_motion *discs, composite *work, double *M) {
    const int per = c->per, n_q = c->n_q;
    for (int i = c->n - 1; i >= 0; i--) {
        work[i] = disc_composite(&c->segments[i], &discs[i]);
        if (i + 1 < c->n)
            add_composite(&work[i], &work[i + 1], vec3_sub(discs[i + 1].p, discs[i].p));
        for (int k = 0; k < per; k++) {
            vec6 at = accelerating(&work[i], &discs[i], k);
            double *row = M + (i * per + k) * n_q;
            for (int j = i; j >= 0; j--) {
                const disc_motion *d = &discs[j];
                vec3 n = vec3_add(at.a, vec3_cross(vec3_sub(discs[i].p, d->p), at.l));
                for (int l = 0; l < per; l++)
                    row[j * per + l] = vec3_dot(d->turn_by_q[l], n) + vec3_dot(d->by_q[l], at.l);
            }
        }
    }
    for (int r = 0; r < n_q; r++)
        for (int k = r + 1; k < n_q; k++) M[r * n_q + k] = M[k * n_q + r];
}

// ---------------------------------------------------------------- energy
double kinetic_energy(const chain *c, const disc_motion *discs) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        const disc_motion *d = &discs[i];
        vec3 h = mat3_mul_vec(&d->R, s->moment), w = d->turn, v = d->velocity;
        sum += 0.5 * s->mass * vec3_dot(v, v) + vec3_dot(v, vec3_cross(w, h)) +
               0.5 * vec3_dot(w, mat3_turned_mul_vec(&d->R, &s->inertia, w));
    }
    return sum;
}

double weight_energy(const chain *c, const disc_motion *discs, vec3 gravity) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const point_body b = {.mass = c->segments[i].mass, .moment = c->segments[i].moment};
        sum += environment_energy(gravity, &b, &(point_now){.R = &discs[i].R, .p = discs[i].p});
    }
    return sum;
}
