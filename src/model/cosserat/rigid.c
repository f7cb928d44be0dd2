// model/cosserat/rigid.c - see rigid.h.
#include "model/cosserat/rigid.h"

#include <string.h>

rigid rigid_make(double mass, mat3 inertia, const double centre[3]) {
    vec3 c = vec3_load(centre);
    mat3 hat = mat3_hat(c), square = mat3_mul(&hat, &hat);
    mat3 shift = mat3_scale(&square, -mass);  // Steiner: - m c^ c^
    return (rigid){mass, vec3_scale(c, mass), mat3_add(&inertia, &shift)};
}

rigid rigid_add(const rigid *a, double factor, const rigid *b) {
    mat3 J = mat3_scale(&b->inertia, factor);
    return (rigid){a->mass + factor * b->mass, vec3_madd(a->moment, factor, b->moment),
                   mat3_add(&a->inertia, &J)};
}

typedef struct momentum {
    vec3 L, P;  // about the origin
} momentum;

static momentum momentum_of(const rigid *b, vec3 w, vec3 q) {
    return (momentum){vec3_add(mat3_mul_vec(&b->inertia, w), vec3_cross(b->moment, q)),
                      vec3_madd(vec3_cross(w, b->moment), b->mass, q)};
}

double rigid_kinetic(const rigid *b, vec3 w, vec3 q) {
    momentum m = momentum_of(b, w, q);
    return 0.5 * (vec3_dot(m.L, w) + vec3_dot(m.P, q));
}

static void put(mat6 *m, int row, int column, const mat3 *b) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m->m[row + i][column + k] += b->m[i][k];
}

static void put_hat(mat6 *m, int row, int column, vec3 v, double factor) {
    mat3 h = mat3_hat(vec3_scale(v, factor));
    put(m, row, column, &h);
}

// [J mc^; -mc^ m]
static mat6 mass_matrix(const rigid *b) {
    mat6 M = {{{0.0}}};
    put(&M, 0, 0, &b->inertia);
    put_hat(&M, 0, 3, b->moment, 1.0);
    put_hat(&M, 3, 0, b->moment, -1.0);
    for (int i = 3; i < 6; i++) M.m[i][i] += b->mass;
    return M;
}

// d(rate of momentum)/d(w, q) = c0 M + [w^ q^; 0 w^] M - [L^ P^; P^ 0]
static mat6 velocity_tangent(const rigid *b, vec3 w, vec3 q, double c0) {
    mat6 M = mass_matrix(b), X = {{{0.0}}};
    put_hat(&X, 0, 0, w, 1.0), put_hat(&X, 0, 3, q, 1.0), put_hat(&X, 3, 3, w, 1.0);
    mat6 A = mat6_mul(&X, &M);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) A.m[i][k] += c0 * M.m[i][k];
    momentum m = momentum_of(b, w, q);
    put_hat(&A, 0, 0, m.L, -1.0), put_hat(&A, 0, 3, m.P, -1.0), put_hat(&A, 3, 0, m.P, -1.0);
    return A;
}

// At rest there is the weight alone, a dead force at the centre c: - d(c x m g) with dc = z_l + z_a x c.
static void weight_tangent(const rigid *b, const se3 *T, vec3 gravity, double *H) {
    const vec3 mc = vec3_madd(mat3_mul_vec(&T->R, b->moment), b->mass, T->p);
    const mat3 g = mat3_hat(gravity), c = mat3_hat(mc), gc = mat3_mul(&g, &c);
    memset(H, 0, sizeof(double) * 72);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            H[12 * i + k] = -gc.m[i][k], H[12 * i + 3 + k] = b->mass * g.m[i][k];
}

// The body velocity answers to (z, da) by Ad^-1 (da + [a, z]); the wrench turns along, - coad(z) W.
static void tangent(const rigid *b, const se3 *T, vec6 a, vec3 w, vec3 q, double c0, vec3 gravity,
                    vec6 W, double *H) {
    se3 inverse = se3_inverse(T);
    mat6 Ad = se3_adjoint(&inverse), AdT = mat6_transpose(&Ad), ad = se3_ad_matrix(a);
    mat6 A = velocity_tangent(b, w, q, c0), left = mat6_mul(&AdT, &A);
    mat6 by_a = mat6_mul(&left, &Ad), by_z = mat6_mul(&by_a, &ad);
    // weight in the body, against a rotation th in the world: R'(g x th)
    mat3 g = mat3_hat(gravity), Rt = mat3_transpose(&T->R), turn = mat3_mul(&Rt, &g);
    mat3 c = mat3_hat(b->moment), moment = mat3_mul(&c, &turn), force = mat3_scale(&turn, b->mass);
    mat6 G = {{{0.0}}};
    put(&G, 0, 0, &moment), put(&G, 3, 0, &force);
    G = mat6_mul(&AdT, &G);
    put_hat(&by_z, 0, 0, W.a, -1.0), put_hat(&by_z, 0, 3, W.l, -1.0),
        put_hat(&by_z, 3, 0, W.l, -1.0);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            H[12 * i + k] = by_z.m[i][k] - G.m[i][k];
            H[12 * i + 6 + k] = by_a.m[i][k];
        }
}

static bool rests(vec6 a, double c0, const double history[6]) {
    bool moves = c0 != 0.0 || vec3_dot(a.a, a.a) + vec3_dot(a.l, a.l) != 0.0;
    for (int i = 0; i < 6; i++) moves = moves || history[i] != 0.0;
    return !moves;
}

vec6 rigid_wrench(const rigid *b, const se3 *T, vec6 a, double c0, const double history[6],
                  vec3 gravity, double *H) {
    vec6 body = se3_adjoint_inv_vec(T, a);
    vec3 w = body.a, q = body.l, g = mat3_tmul_vec(&T->R, gravity);
    momentum rate = momentum_of(b, vec3_madd(vec3_load(history), c0, w),
                                vec3_madd(vec3_load(history + 3), c0, q));
    momentum now = momentum_of(b, w, q);
    vec3 L = vec3_add(rate.L, vec3_add(vec3_cross(w, now.L), vec3_cross(q, now.P)));
    vec3 P = vec3_add(rate.P, vec3_cross(w, now.P));
    vec6 asked = {vec3_sub(L, vec3_cross(b->moment, g)), vec3_madd(P, -b->mass, g)};
    vec6 W = se3_coadjoint_vec(T, asked);
    if (H && rests(a, c0, history)) weight_tangent(b, T, gravity, H);
    else if (H) tangent(b, T, a, w, q, c0, gravity, W, H);
    return W;
}
