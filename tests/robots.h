// tests/robots.h - refusals by the robot's rules, and good parts to spoil one by one.
#pragma once

#include <string.h>

#include "robot/robot.h"

#include "check.h"

static inline void refused(int status, const td_error *err, const char *where, const char *says) {
    if (status >= 0) fail_msg("accepted, but expected a refusal at %s", where);
    assert_int_equal(err->status, status);
    if (strcmp(err->where, where) != 0)
        fail_msg("where is '%s' rather than '%s': %s", err->where, where, err->message);
    if (!strstr(err->message, says)) fail_msg("'%s' does not say '%s'", err->message, says);
}

// A good part of which one double is spoilt, and what is then said about it.
typedef struct spoilt {
    size_t offset;
    double value;
    const char *where, *says;
} spoilt;

static inline td_piece_def plain_piece(double length, double radius) {
    td_piece_def piece = td_default_piece_def();
    piece.length = length;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 79e9, piece.density = 8000.0;
    piece.section.radius = radius;
    return piece;
}

// A rod of one piece; the piece must outlive the definition.
static inline td_rod_def plain_rod(const char *name, const td_piece_def *piece) {
    td_rod_def rod = td_default_rod_def();
    rod.name = name, rod.pieces = piece, rod.n_pieces = 1;
    return rod;
}
