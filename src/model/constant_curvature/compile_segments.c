// model/constant_curvature/compile_segments.c - from a rod to arcs: where they end, what they are
// made of.
#include <stdlib.h>

#include "model/constant_curvature/compile.h"
#include "robot/inertia.h"

static int add_cuts(const td_robot *robot, int rod, double *s) {
    int n = piece_ends(&robot->rods[rod], s);
    return n + actuator_ends(robot, rod, s + n);
}

static int join(double *s, int n, double length) {
    int kept = 0;
    qsort(s, (size_t)n, sizeof *s, ascending);
    for (int i = 0; i < n; i++)
        if (s[i] - (kept ? s[kept - 1] : 0.0) > SAME_PLACE * length) s[kept++] = s[i];
    s[kept - 1] = length;  // the tip was among them
    return kept;
}

bool arcs_find_ends(const td_robot *robot, int rod, int segments, arc_ends *out) {
    const robot_rod *r = &robot->rods[rod];
    size_t most = (size_t)r->n_pieces + 2 * (size_t)robot->n_actuators;
    double *cuts = calloc(most, sizeof *cuts);
    *out = (arc_ends){.s = calloc(most * (size_t)segments, sizeof(double))};
    if (cuts && out->s) {
        int n = join(cuts, add_cuts(robot, rod, cuts), r->length);
        for (int i = 0; i < n; i++) {
            double from = i ? cuts[i - 1] : 0.0;
            for (int k = 1; k <= segments; k++)
                out->s[out->n++] = k < segments ? from + (cuts[i] - from) * k / segments : cuts[i];
        }
    }
    bool made = cuts && out->s;
    free(cuts);
    return made;
}

place_on_arm arcs_place(const arc_ends *e, double s, double length) {
    if (s <= SAME_PLACE * length) return (place_on_arm){.segment = -1};
    int i = 0;
    while (i + 1 < e->n && s > e->s[i] + SAME_PLACE * length) i++;
    double from = i ? e->s[i - 1] : 0.0;
    return (place_on_arm){.segment = i, .x = fmin(1.0, (s - from) / (e->s[i] - from))};
}

const td_piece_def *arcs_piece(const robot_rod *rod, double s) {
    double end = 0.0;
    for (int i = 0; i + 1 < rod->n_pieces; i++) {
        end += rod->pieces[i].length;
        if (s < end) return &rod->pieces[i];
    }
    return &rod->pieces[rod->n_pieces - 1];
}

// u_x bends about the section's y, u_y about -x.
int arcs_fill_segments(const robot_rod *rod, const arc_ends *e, bool rotary, segment *segments) {
    int n_inner = 0;
    for (int i = 0; i < e->n; i++) {
        const double from = i ? e->s[i - 1] : 0.0, length = e->s[i] - from;
        const td_piece_def *piece = arcs_piece(rod, from + 0.5 * length);
        td_section_properties p = piece_properties(piece, 0.0);
        segments[i] = (segment){
            .length = length,
            .end = e->s[i],
            .mass = p.mass * length,
            .bending = {p.stiffness[1], p.stiffness[0]},
            .extension = p.stiffness[5],
            .bending_damping = {p.damping[1], p.damping[0]},
            .extension_damping = p.damping[5],
            .rest = {length * piece->rest_curvature[1], -length * piece->rest_curvature[0]}};
        for (int k = 0; k < 3 && rotary; k++) segments[i].rotary[k] = p.inertia[k] * length;
        segments[i].law = law_of_piece(piece, 0.0);
        segments[i].other = !law_is_plain(&segments[i].law);
        segments[i].inner = n_inner;
        n_inner += law_memory(&segments[i].law);
    }
    return n_inner;
}

// Inertia about the section's centre.
rider arcs_rider(const td_body_def *def, place_on_arm at) {
    vec3 centre = vec3_load(def->centre);
    mat3 outer = mat3_outer(centre, centre);
    rider r = {.segment = at.segment,
               .x = at.x,
               .mass = def->mass,
               .moment = vec3_scale(centre, def->mass),
               .inertia = body_inertia(def)};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.inertia.m[i][j] +=
                def->mass * ((i == j ? vec3_dot(centre, centre) : 0.0) - outer.m[i][j]);
    return r;
}
