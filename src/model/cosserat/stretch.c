// model/cosserat/stretch.c - rods whose sections follow their mean stretch: material/stretch.h.
//
// Of such a rod m->view has laws, routes and chambers of its own, made for the stretch that is kept:
// that of the last equilibrium, which is found anew until it stays, or of the shape when a step began.
// Forces do not answer to its change, so what that stores or frees in a shape that stays is work.
#include <math.h>

#include "material/stretch.h"
#include "model/cosserat/assembly.h"
#include "model/cosserat/columns.h"

void stretch_layout(const rod *r, arena *keep, arena *work, rod_memory *m) {
    m->stretch = ARENA_TAKE(keep, double, 1);
    m->made_for = ARENA_TAKE(work, double, 1);
    m->made_of = ARENA_TAKE(work, const rod *, 1);
    m->view_laws = ARENA_TAKE(work, section_law, r->n_nodes);
    m->view_actuators = ARENA_TAKE(work, rod_actuator, r->n_actuators);
    m->view_drives = ARENA_TAKE(work, actuator, r->n_actuators);
    m->view_routes = ARENA_TAKE(work, route_point, r->n_points);
}

static void make_laws(const rod *compiled, const rod_memory *m) {
    for (int k = 0; k < compiled->n_elements; k++) {
        const element *e = &compiled->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            section_law *to = &m->view_laws[e->node + i];
            *to = e->laws[i];
            actuators_stretch(compiled->all, compiled->n_all, compiled->index,
                              e->s0 + e->shares[i] * e->length, *m->stretch, e->laws[i].stiffness,
                              e->moduli[2 * i], e->moduli[2 * i + 1], to->stiffness);
        }
    }
}

static void make_drives(const rod *compiled, const rod_memory *m) {
    for (int i = 0; i < compiled->n_actuators; i++) {
        const rod_actuator *from = &compiled->actuators[i];
        actuator *a = &m->view_drives[i];
        *a = *from->a;
        a->area *= actuator_swell(a, *m->stretch);
        for (int k = 0; k < from->n_nodes; k++) {
            route_point *at = &m->view_routes[from->first_point + k];
            *at = from->at[k];
            at->r = vec3_scale(at->r, actuator_closer(a, *m->stretch));
        }
    }
}

void stretch_view(const rod *compiled, const rod_memory *m) {
    if (*m->made_for != *m->stretch || *m->made_of != compiled) {
        make_laws(compiled, m);
        make_drives(compiled, m);
        *m->made_for = *m->stretch;
        *m->made_of = compiled;
    }
    for (int k = 0; k < compiled->n_elements; k++)
        m->view_elements[k].laws = m->view_laws + compiled->elements[k].node;
    for (int i = 0; i < compiled->n_actuators; i++) {
        m->view_actuators[i] = compiled->actuators[i];
        m->view_actuators[i].a = &m->view_drives[i];
        m->view_actuators[i].at = m->view_routes + compiled->actuators[i].first_point;
    }
    m->view->actuators = m->view_actuators;
}

// x: strains less those at rest of all nodes, at the given stride.
static double stretch_of(const rod *compiled, const double *x, size_t stride) {
    double sum = 0.0;
    for (int k = 0; k < compiled->n_elements; k++) {
        const element *e = &compiled->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const double *at = x + (size_t)(e->node + i) * stride;
            sum +=
                e->quadrature[i] * vec3_norm(vec3_add(e->stations[i].v_rest, vec3_load(at + F_V)));
        }
    }
    return sum / compiled->length;
}

void rod_stretch(const rod *compiled, rod_memory *m, const double *x, size_t stride) {
    *m->stretch = mean_stretch_within(stretch_of(compiled, x, stride));
    stretch_view(compiled, m);
}

// ds = sum_i b_i v_i.dv_i/|v_i|/L
void rod_stretch_along(const rod *compiled, const double *x, size_t stride, int m, const double *dx,
                       size_t rows, double *ds) {
    const double stretch = stretch_of(compiled, x, stride);
    if (mean_stretch_within(stretch) != stretch) return;
    for (int k = 0; k < compiled->n_elements; k++) {
        const element *e = &compiled->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const size_t node = (size_t)(e->node + i);
            const vec3 v = vec3_add(e->stations[i].v_rest, vec3_load(x + node * stride + F_V));
            const double *dv = dx + (node * rows + F_V) * (size_t)m;
            const double by[3] = {v.x, v.y, v.z};
            const double share = e->quadrature[i] / (compiled->length * vec3_norm(v));
            for (int c = 0; c < 3; c++) columns_add(m, share * by[c], dv + c * m, ds);
        }
    }
}

double cosserat_follow(const cosserat *c, cosserat_memory *m) {
    double most = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        rod_memory *mr = &m->rods[i];
        if (!c->rods[i].follows) continue;
        const double before = *mr->stretch;
        rod_stretch(&c->rods[i], mr, mr->fields[0], F_SIZE);
        most = fmax(most, fabs(*mr->stretch - before));
    }
    return most;
}

void cosserat_follow_step(const cosserat *c, cosserat_memory *m, const double *inputs) {
    bool any = false;
    for (int i = 0; i < c->n_rods; i++) any = any || c->rods[i].follows;
    if (!any) return;
    const double before = cosserat_energy(c, m, inputs).elastic;
    cosserat_follow(c, m);
    m->time->work += cosserat_energy(c, m, inputs).elastic - before;
}
