// model/tubes/tangent.c - the matrix of a bundle, dense, in blocks: bending u, and the twists of each tube.
//
// With the columns of dtheta, dp (over u) and dpsi_j (over the twists of tube j) at a place, J = [dtheta; dp], and the
// slope S_j of what acts there on tube j by its turn dtheta + t dpsi_j and shift dp,
//
//     K_uu -= J' (sum S_j + B) J      B: [t P' - (t.P) 1, 0; 0, 0] of the carried force P
//     K_ut -= J' S_j [t; 0] dpsi_j
//     K_tu -= dpsi_j' ([t; 0]' S_j J + (t x m_j)' dtheta)
//     K_tt -= dpsi_j' ([t; 0]' S_j [t; 0]) dpsi_j
//
// and of the turn of what u_k acts on, K_uu[k] -= (R_k e_i x G_k)' dtheta_k with the moment G_k.
#include <math.h>
#include <string.h>

#include "model/tubes/bundle.h"

// One slot for where an element begins, one for each node, one for its end, one for a point between.
size_t bundle_columns(const bundle *b) {
    return (size_t)(b->per + 3) * (size_t)(6 * b->n_u + b->n_q - b->n_u) +
           (size_t)(6 + 3 * b->per) * (size_t)b->n_u;
}

typedef struct assembly {
    const bundle *b;
    bundle_memory *m;
    const bundle_situation *at;
    const double *q, *v;
    const tangent_weights *w;
    double *K;
    int e, n_u;       // the element, and columns of u so far
    double *turn;     // (slots x 6 x n_u of all) dtheta, dp
    double *angle;    // (slots x all twists) dpsi
    double *product;  // (6 x n_u)
    double *swung;    // (per x 3 x n_u) dtheta x t
} assembly;

static double *turn_at(const assembly *x, int slot) {
    return x->turn + (size_t)slot * 6 * (size_t)x->b->n_u;
}
static double *angle_at(const assembly *x, int slot, int tube) {
    return x->angle + (size_t)slot * (size_t)(x->b->n_q - x->b->n_u) + x->b->tubes[tube].first -
           x->b->n_u;
}
static int n_twists(const assembly *x, int tube) {  // so far
    return x->b->tubes[tube].n_shafts * x->b->per + (x->e + 1) * x->b->per;
}
static double *entry(const assembly *x, int row, int column) {
    return x->K + (size_t)row * (size_t)x->b->n_q + column;
}

// ---------------------------------------------------------------- columns
static void start_columns(const assembly *x) {
    const bundle *b = x->b;
    const shaft_now *s = x->m->shafts;
    memset(turn_at(x, 0), 0, sizeof(double) * 6 * (size_t)b->n_u);
    for (int j = 0; j < b->n; j++) {
        double *angle = angle_at(x, 0, j);
        memset(angle, 0, sizeof(double) * (size_t)b->tubes[j].n_t);
        for (int i = 0; i < b->tubes[j].n_shafts; i++, s++)
            for (int k = 0; k < b->per; k++) angle[i * b->per + k] = s->h * b->gauss.b[k];
    }
}

static void fill_turns(const assembly *x) {
    const bundle *b = x->b;
    const bundle_table *g = &b->gauss;
    const int n = b->per, first = 2 * x->e * n, all = b->n_u;
    const double h = x->m->elements[x->e].h;
    for (int i = 0; i <= n; i++) {
        const double *row = i < n ? g->A[i] : g->b;
        double *to = turn_at(x, i + 1);
        for (int c = 0; c < 3; c++) {
            memcpy(to + c * all, turn_at(x, 0) + c * all, sizeof(double) * (size_t)first);
            for (int k = 0; k < n; k++)
                for (int d = 0; d < 2; d++)
                    to[c * all + first + 2 * k + d] =
                        h * row[k] * x->m->nodes[x->e * n + k].R.m[c][d];
        }
    }
    for (int k = 0; k < n; k++) {
        const double *d = turn_at(x, k + 1);
        double *to = x->swung + (size_t)k * 3 * (size_t)all;
        const vec3 t = mat3_column(&x->m->nodes[x->e * n + k].R, 2);
        for (int c = 0; c < x->n_u; c++) {
            const vec3 y = vec3_cross((vec3){d[c], d[all + c], d[2 * all + c]}, t);
            to[c] = y.x, to[all + c] = y.y, to[2 * all + c] = y.z;
        }
    }
    for (int i = 0; i <= n; i++) {
        const double *row = i < n ? g->A[i] : g->b;
        double *to = turn_at(x, i + 1) + 3 * all;
        for (int c = 0; c < 3; c++) {
            double *out = to + c * all;
            memcpy(out, turn_at(x, 0) + (3 + c) * all, sizeof(double) * (size_t)x->n_u);
            for (int k = 0; k < n; k++) {
                const double weight = h * row[k];
                const double *y = x->swung + ((size_t)k * 3 + (size_t)c) * (size_t)all;
                for (int i_u = 0; i_u < x->n_u; i_u++) out[i_u] += weight * y[i_u];
            }
        }
    }
}

static void fill_angles(const assembly *x) {
    const bundle *b = x->b;
    const bundle_table *g = &b->gauss;
    const int n = b->per;
    for (int j = 0; j < b->n; j++) {
        const int known = n_twists(x, j) - n;
        const double h = x->m->elements[x->e].there[j] ? x->m->elements[x->e].h : 0.0;
        for (int i = 0; i <= n; i++) {
            double *to = angle_at(x, i + 1, j);
            memcpy(to, angle_at(x, 0, j), sizeof(double) * (size_t)known);
            for (int k = 0; k < n; k++) to[known + k] = h * (i < n ? g->A[i][k] : g->b[k]);
        }
    }
}

// The end becomes the beginning of the next.
static void pass_on(const assembly *x) {
    const bundle *b = x->b;
    memcpy(turn_at(x, 0), turn_at(x, b->per + 1), sizeof(double) * 6 * (size_t)b->n_u);
    for (int c = 0; c < 6; c++)
        memset(turn_at(x, 0) + c * b->n_u + x->n_u, 0, sizeof(double) * (size_t)(b->n_u - x->n_u));
    for (int j = 0; j < b->n; j++) {
        const int known = n_twists(x, j);
        memcpy(angle_at(x, 0, j), angle_at(x, b->per + 1, j), sizeof(double) * (size_t)known);
        memset(angle_at(x, 0, j) + known, 0, sizeof(double) * (size_t)(b->tubes[j].n_t - known));
    }
}

// ---------------------------------------------------------------- outside
// K_uu -= J' S J
static void add_turns(const assembly *x, const double *J, const double S[36]) {
    const int all = x->b->n_u, n = x->n_u;
    double *y = x->product;
    for (int r = 0; r < 6; r++) {
        double *row = y + r * all;
        memset(row, 0, sizeof(double) * (size_t)n);
        for (int k = 0; k < 6; k++) {
            const double s = S[6 * r + k];
            if (s == 0.0) continue;
            for (int c = 0; c < n; c++) row[c] += s * J[k * all + c];
        }
    }
    for (int i = 0; i < n; i++) {
        double *row = entry(x, i, 0);
        for (int r = 0; r < 6; r++) {
            const double f = J[r * all + i];
            const double *from = y + r * all;
            if (f == 0.0) continue;
            for (int c = 0; c < n; c++) row[c] -= f * from[c];
        }
    }
}

// Of a wrench on tube j with the slope S and the moment m, at a place whose columns are in the slot.
static void add_wrench(const assembly *of, int slot, int j, vec3 t, vec3 moment, const double *S) {
    const assembly x = *of;
    const bundle *b = x.b;
    const int n = n_twists(&x, j);
    const double *J = turn_at(&x, slot), *psi = angle_at(&x, slot, j);
    const vec3 tm = vec3_scale(vec3_cross(t, moment), x.w->q);
    const double axis[3] = {t.x, t.y, t.z}, arm[3] = {tm.x, tm.y, tm.z};
    double right[6], left[6], both = 0.0;
    for (int r = 0; r < 6; r++) {
        right[r] = left[r] = 0.0;
        for (int k = 0; k < 3; k++)
            right[r] += S[6 * r + k] * axis[k], left[r] += axis[k] * S[6 * k + r];
        if (r < 3) both += axis[r] * right[r];
    }
    for (int r = 0; r < 3; r++) left[r] += arm[r];
    add_turns(&x, J, S);
    const int first = b->tubes[j].first;
    for (int i = 0; i < x.n_u; i++) {
        double ut = 0.0, tu = 0.0, *row = entry(&x, i, first);
        for (int r = 0; r < 6; r++)
            ut += J[r * b->n_u + i] * right[r], tu += J[r * b->n_u + i] * left[r];
        for (int c = 0; c < n; c++) row[c] -= ut * psi[c];
        if (tu == 0.0) continue;
        for (int c = 0; c < n; c++) *entry(&x, first + c, i) -= tu * psi[c];
    }
    for (int i = 0; i < n && both != 0.0; i++) {
        double *row = entry(&x, first + i, first);
        for (int c = 0; c < n; c++) row[c] -= both * psi[i] * psi[c];
    }
}

static void visit_tangent(void *context, const visit *v) {
    const assembly *x = context;
    const bundle *b = x->b;
    const bool of_node = v->place < b->n_nodes;
    const pushes *on = of_node ? &x->m->on_nodes[v->place] : &x->m->on_ends[x->e];
    add_wrench(x, of_node ? 1 + v->place % b->per : 1 + b->per, v->tube,
               mat3_column(&bundle_knot(b, x->m, v->place)->R, 2), on->own[v->tube], v->S);
}

// ---------------------------------------------------------------- obstacles
static void fill_spot(const assembly *x, const spot *s, int slot) {
    const bundle *b = x->b;
    const int n = b->per, all = b->n_u, known = n_twists(x, s->tube) - n;
    const double h = x->m->elements[x->e].h;
    double *to = turn_at(x, slot), *angle = angle_at(x, slot, s->tube);
    memcpy(to, turn_at(x, 0), sizeof(double) * 6 * (size_t)all);
    for (int k = 0; k < n; k++) {
        const double weight = h * s->row[k];
        for (int c = 0; c < 3; c++) {
            for (int d = 0; d < 2; d++)
                to[c * all + 2 * (x->e * n + k) + d] = weight * x->m->nodes[x->e * n + k].R.m[c][d];
            const double *y = x->swung + ((size_t)k * 3 + (size_t)c) * (size_t)all;
            for (int i = 0; i < x->n_u; i++) to[(3 + c) * all + i] += weight * y[i];
        }
    }
    memcpy(angle, angle_at(x, 0, s->tube), sizeof(double) * (size_t)known);
    for (int k = 0; k < n; k++) angle[known + k] = h * s->row[k];
}

static void add_touches(const assembly *x) {
    const bundle *b = x->b;
    for (int i = 0; i < b->touch.n_points && b->touch.n && x->w->q != 0.0; i++) {
        const spot *s = &x->m->spots[i];
        point_slopes slopes = {{0.0}, {0.0}};
        if (s->element != x->e) continue;
        const touch_now now = bundle_touch_now(s, x->at->moves);
        touch_at(&b->touch, &x->m->touch, i, &now, &slopes);
        for (int k = 0; k < 36; k++) slopes.by_motion[k] *= x->w->q;
        fill_spot(x, s, b->per + 2);
        add_wrench(x, b->per + 2, s->tube, mat3_column(&s->k.R, 2), s->wrench.a, slopes.by_motion);
    }
}

// ---------------------------------------------------------------- inside
// The second derivative of what tube j stores and loses at a node, by (u_x, u_y, t, psi), with its geometric part.
static void local_matrix(const assembly *x, int node, int j, double weight, double H[4][4]) {
    const bundle *b = x->b;
    const tube_section *sec = &x->m->sections[node * b->n + j];
    const tangent_weights *w = x->w;
    const own_strain s = bundle_strain(b, x->m, node, j, x->q, x->v);
    const double B[3][4] = {
        {s.c, s.s, 0.0, s.e[1]}, {-s.s, s.c, 0.0, -s.e[0]}, {0.0, 0.0, 1.0, 0.0}};
    double C[3][3] = {{0.0}};
    for (int i = 0; i < 3; i++) C[i][i] = w->q * sec->K[i] + w->v * sec->D[i];
    if (b->n_drives && w->q != 0.0) drive_stiffness(b, x->m, node, j, s.e, w->q, C);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            double sum = 0.0;
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < 3; k++) sum += B[i][r] * C[i][k] * B[k][c];
                sum += w->own * B[i][r] * sec->K[i] * B[i][c];
            }
            H[r][c] = weight * sum;
        }
    const double mx = s.c * s.m[0] - s.s * s.m[1], my = s.s * s.m[0] + s.c * s.m[1];
    const double by_u[2] = {-my, mx};
    for (int i = 0; i < 2; i++) {
        H[i][3] += weight * w->q * by_u[i];
        H[3][i] += weight * w->q * by_u[i];
    }
    H[3][3] -= weight * w->q * (s.m[0] * s.e[0] + s.m[1] * s.e[1]);
    const element_now *el = &x->m->elements[node / b->per];
    if (w->a != 0.0 && el->h < el->weight) {
        const double idle = weight * w->a * IDLE_TIME * IDLE_TIME;
        H[0][0] += idle * sec->K[0], H[1][1] += idle * sec->K[1], H[2][2] += idle * sec->K[2];
    }
}

static void add_inside(const assembly *x, int node) {
    const bundle *b = x->b;
    const element_now *el = &x->m->elements[x->e];
    const tangent_weights *w = x->w;
    const int slot = 1 + node % b->per;
    const double weight = el->weight * b->gauss.b[node % b->per];
    for (int j = 0; j < b->n; j++) {
        const int t = twist_at(b, j, node), first = b->tubes[j].first, n = n_twists(x, j);
        if (!el->there[j]) {
            const double K = weight * x->m->sections[node * b->n + j].K[2];
            *entry(x, t, t) += K * (w->q + w->own + w->a * IDLE_TIME * IDLE_TIME);
            continue;
        }
        double H[4][4];
        const double *psi = angle_at(x, slot, j);
        const int at[3] = {2 * node, 2 * node + 1, t};
        local_matrix(x, node, j, weight, H);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) *entry(x, at[r], at[c]) += H[r][c];
        for (int r = 0; r < 3; r++) {
            double *row = entry(x, at[r], first);
            for (int c = 0; c < n; c++) row[c] += H[r][3] * psi[c];
            for (int c = 0; c < n; c++) *entry(x, first + c, at[r]) += H[3][r] * psi[c];
        }
        for (int i = 0; i < n && H[3][3] != 0.0; i++) {
            double *row = entry(x, first + i, first);
            for (int c = 0; c < n; c++) row[c] += H[3][3] * psi[i] * psi[c];
        }
    }
}

// What the moment and the force that are carried do where the centre line turns.
static void add_carried(const assembly *x, int node) {
    const bundle *b = x->b;
    const double *J = turn_at(x, 1 + node % b->per);
    const mat3 *R = &x->m->nodes[node].R;
    const vec3 t = mat3_column(R, 2), P = vec3_scale(x->m->carried[node], x->w->q);
    const double tP = vec3_dot(t, P);
    double S[36] = {0.0};
    const double ta[3] = {t.x, t.y, t.z}, Pa[3] = {P.x, P.y, P.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) S[6 * r + c] = ta[r] * Pa[c] - (r == c ? tP : 0.0);
    add_turns(x, J, S);
    for (int i = 0; i < 2; i++) {
        const vec3 y = vec3_scale(vec3_cross(mat3_column(R, i), x->m->total[node]), x->w->q);
        double *row = entry(x, 2 * node + i, 0);
        for (int c = 0; c < x->n_u; c++)
            row[c] -= y.x * J[c] + y.y * J[b->n_u + c] + y.z * J[2 * b->n_u + c];
    }
}

// ---------------------------------------------------------------- shafts, friction
// M and K of what only twists: see collect_shaft.
static void add_shafts(const assembly *x) {
    const bundle *b = x->b;
    const bundle_table *g = &b->gauss;
    const shaft_now *s = x->m->shafts;
    for (int j = 0; j < b->n; j++) {
        const tube_def *t = &b->tubes[j];
        for (int i = 0; i < t->n_shafts; i++, s++) {
            for (int k = 0; k < b->per; k++) {
                double K = s->c * (x->w->q + x->w->own) + s->d * x->w->v;
                if (s->h < s->weight) K += s->c * x->w->a * IDLE_TIME * IDLE_TIME;
                const int at = t->first + i * b->per + k;
                double slope;
                drive_shaft(b, x->m, j, i, x->q[at], &slope);
                K += x->w->q * slope;
                *entry(x, at, at) += s->weight * g->b[k] * K;
            }
            for (int node = 0; node < b->per && x->w->a != 0.0; node++) {
                // psi at the node by twists of this shaft and those behind it
                const double mass = x->w->a * s->inertia * s->h * g->b[node];
                double psi[8 * MOST_NODES];
                const int n = (i + 1) * b->per;
                for (int c = 0; c < n; c++) {
                    const int which = c / b->per, k = c % b->per;
                    psi[c] = s[which - i].h * (which < i ? g->b[k] : g->A[node][k]);
                }
                for (int r = 0; r < n; r++)
                    for (int c = 0; c < n; c++)
                        *entry(x, t->first + r, t->first + c) += mass * psi[r] * psi[c];
            }
        }
    }
}

static void add_rubbing(const assembly *x, int element, int slot) {
    const bundle *b = x->b;
    for (int j = 0; x->at->rubs && x->w->v != 0.0 && j + 1 < b->n; j++) {
        const vec3 moment = x->m->beyond[element + 1].moment;
        const double slope = x->w->v * bundle_rub(b, x->m, element, j, moment).slope;
        const double *psi[2] = {angle_at(x, slot, j), angle_at(x, slot, j + 1)};
        for (int r = 0; slope != 0.0 && r < 2; r++)
            for (int c = 0; c < 2; c++) {
                const int n_r =
                    element < 0 ? b->tubes[j + r].n_shafts * b->per : n_twists(x, j + r);
                const int n_c =
                    element < 0 ? b->tubes[j + c].n_shafts * b->per : n_twists(x, j + c);
                for (int i = 0; i < n_r; i++)
                    for (int k = 0; k < n_c; k++)
                        *entry(x, b->tubes[j + r].first + i, b->tubes[j + c].first + k) +=
                            (r == c ? slope : -slope) * psi[r][i] * psi[c][k];
            }
    }
}

// Where a drive's effort answers to its measure: slope times (d work)(d measure)'.
static void add_answers(const assembly *x) {
    const int n = x->b->n_q;
    for (int k = 0; k < x->b->n_drives; k++) {
        const double factor = x->w->q * x->b->drives[k].a->sign * x->m->efforts[k].by_measure;
        if (factor == 0.0) continue;
        drive_slopes(x->b, x->m, k, x->q, false, x->m->by_work);
        drive_slopes(x->b, x->m, k, x->q, true, x->m->by_measure);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < n; c++)
                *entry(x, i, c) += factor * x->m->by_work[i] * x->m->by_measure[c];
    }
}

void bundle_tangent(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                    const double *v, const tangent_weights *w, double *K) {
    const size_t slots = (size_t)b->per + 3, all = (size_t)b->n_u;
    assembly x = {.b = b, .m = m, .at = at, .q = q, .v = v, .w = w, .K = K};
    x.turn = m->columns;
    x.angle = x.turn + slots * 6 * all;
    x.product = x.angle + slots * (size_t)(b->n_q - b->n_u);
    x.swung = x.product + 6 * all;
    memset(K, 0, sizeof(double) * (size_t)b->n_q * (size_t)b->n_q);
    start_columns(&x);
    add_shafts(&x);
    add_rubbing(&x, -1, 0);
    for (x.e = 0; x.e < b->n_elements; x.e++) {
        x.n_u = 2 * (x.e + 1) * b->per;
        fill_turns(&x);
        fill_angles(&x);
        for (int k = 0; k < b->per; k++) {
            add_inside(&x, x.e * b->per + k);
            if (w->q != 0.0) add_carried(&x, x.e * b->per + k);
        }
        if (w->q != 0.0 || w->v != 0.0 || w->a != 0.0)
            bundle_visit(b, m, at, x.e, w, visit_tangent, &x);
        add_touches(&x);
        add_rubbing(&x, x.e, b->per + 1);
        pass_on(&x);
    }
    add_answers(&x);
}
