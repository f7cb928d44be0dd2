// robot/active.c - see active.h.
#include "robot/active.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// The piece that holds all of it; NULL: it lies in several.
static const td_piece_def *piece_of(const robot_rod *rod, double from, double to) {
    const double slack = 1e-9 * rod->length;
    double start = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) {
        const double end = start + rod->pieces[i].length;
        if (from >= start - slack && to <= end + slack) return &rod->pieces[i];
        start = end;
    }
    return NULL;
}

td_status active_validate(const robot_rod *rod, const char *owner, double from, double to,
                          const char *what, td_error *err) {
    const td_piece_def *piece = piece_of(rod, from, to);
    if (!piece)
        return error_set(err, TD_ERR_VALUE, owner,
                         "lies in several pieces of rod '%s'; give each %s of its own", rod->name,
                         what);
    if (!piece_is_uniform(piece))
        return error_set(err, TD_ERR_VALUE, owner,
                         "lies in a piece of rod '%s' that has a taper; %s needs equal sections",
                         rod->name, what);
    if (piece->law != TD_HOOKEAN)
        return error_set(err, TD_ERR_VALUE, owner,
                         "lies in rod '%s', whose material is not linear; %s needs a linear one",
                         rod->name, what);
    if (rod->mean_stretch)
        return error_set(err, TD_ERR_VALUE, owner,
                         "lies in rod '%s', whose sections follow its mean stretch; %s needs "
                         "sections that stay",
                         rod->name, what);
    return TD_OK;
}

void active_sections(const robot_rod *rod, double from, double to, double stiffness[36],
                     double rest[6]) {
    const td_piece_def *piece = piece_of(rod, from, to);
    const td_section_properties p = piece_properties(piece, 0.5);
    memcpy(stiffness, p.coupling, 36 * sizeof *stiffness);
    for (int i = 0; i < 6; i++) stiffness[7 * i] += p.stiffness[i];
    memcpy(rest, piece->rest_curvature, 3 * sizeof *rest);
    memcpy(rest + 3, piece->rest_stretch, 3 * sizeof *rest);
}

double active_scale(const double curvature[3], const double stretch[3], double length) {
    double turn = 0.0, longer = 0.0;
    for (int i = 0; i < 3; i++)
        turn = fmax(turn, fabs(curvature[i])), longer = fmax(longer, fabs(stretch[i]));
    return fmin(turn > 0.0 ? 1.0 / (turn * length) : HUGE_VAL,
                longer > 0.0 ? 0.1 / longer : HUGE_VAL);
}
