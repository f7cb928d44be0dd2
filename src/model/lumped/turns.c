// model/lumped/turns.c - how far segments turn: too far for their coordinates, or for their number.
//
// A segment is as long between its ends as along its arc, which for a turn of a is too long by
// a^2/24: that much of the bending is not resolved.

#include "model/lumped/relative.h"

#define DEGREES 57.29577951308232

typedef struct range {  // of what parametrises a rotation
    double most;        // rad, or the number that stands for it
    const char *what;
    int end;  // deg, where it is singular
} range;

static range range_of(const net *c, const net_memory *m) {
    if (!m->coordinates) return (range){2.8, "strain is undefined", 180};
    switch ((joint_kind)c->joints) {
    case JOINT_VECTOR: return (range){6.0, "rotation vector is singular", 360};
    case JOINT_VECTOR_PRINTED: return (range){2.8, "printed quaternion has no end", 180};
    case JOINT_EULER:
    case JOINT_EULER_PRINTED: return (range){1.5, "Euler angles are singular", 90};
    }
    return (range){0};
}

static double turn_of_ends(const net_memory *m, const segment *s) {
    end_motion a = end_at(&s->a, m->nodes), b = end_at(&s->b, m->nodes);
    mat3 turn = mat3_tmul(&a.R, &b.R);
    return vec3_norm(so3_log(&turn));
}

// Of a segment; singular: the angle that must not go too far.
static double turn_of(const net *c, const net_memory *m, int i, double *singular) {
    if (!m->coordinates) return *singular = turn_of_ends(m, &c->segments[i]);
    const vec3 a = vec3_load(m->coordinates + PER * i);
    double size = vec3_norm(a);
    if (c->joints == JOINT_VECTOR_PRINTED) size = 2.0 * atan(0.5 * size);
    *singular = size;
    if (c->joints == JOINT_EULER || c->joints == JOINT_EULER_PRINTED) *singular = fabs(a.x);
    return size;
}

static int most_bent(const net *c, const net_memory *m, double *turn) {
    int most = 0;
    *turn = 0.0;
    for (int i = 0; i < c->n_segments; i++) {
        double singular, now = turn_of(c, m, i, &singular);
        if (now > *turn) *turn = now, most = i;
    }
    return most;
}

static double unresolved(double turn) {
    return turn * turn / 24.0;
}

td_status check_turns(const net *c, const net_memory *m, const model_call *call) {
    const range r = range_of(c, m);
    double largest = 0.0;
    for (int i = 0; i < c->n_segments; i++) {
        double singular, turn = turn_of(c, m, i, &singular);
        largest = fmax(largest, turn);
        if (singular <= r.most) continue;
        const net_rod *rod = &c->rods[c->segments[i].rod];
        return tell(call->message, TD_ERR_SINGULAR,
                    "rod '%s': segment %d of %d turns by %.3g deg%s, and at %d deg its %s: more "
                    "segments help (simulation.lumped.segments)",
                    rod->name, i - rod->first + 1, rod->n, singular * DEGREES,
                    r.end == 90 ? " about x" : "", r.end, r.what);
    }
    call->stats->resolution = unresolved(largest);
    return TD_OK;
}

td_status say_coarse(const net *c, const net_memory *m, char *message) {
    double turn;
    const int i = most_bent(c, m, &turn);
    const net_rod *rod = &c->rods[c->segments[i].rod];
    return tell(
        message, TD_LOOSE,
        "rod '%s': segment %d of %d bends by %.3g deg, which leaves %.2g rad unresolved: more "
        "segments help (simulation.lumped.segments)",
        rod->name, i - rod->first + 1, rod->n, turn * DEGREES, unresolved(turn));
}
