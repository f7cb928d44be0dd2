// model/cosserat/pace.h - when an iteration of Newton's method is done, goes on, wants a new matrix, or
// is hopeless: judged by how its corrections shrink.
#pragma once

#include <math.h>
#include <stdbool.h>

// The kept factors serve while every correction shrinks at least this much.
#define GOOD_CONTRACTION 0.3
// ... or while this many more would do.
#define FEW_MORE 5.0
// When corrections stop shrinking, one below this many tolerances counts as round-off.
#define LOOSE_FACTOR 1e3

typedef struct newton_pace {
    double tolerance;
    bool exact;    // a new matrix in every iteration
    bool current;  // the matrix belongs to the last iterate
    bool sharp;    // it is the most exact tangent
    double last;   // size of the last correction; HUGE_VAL: none to compare with
    double left;   // what is still missing, estimated
} newton_pace;

typedef enum newton_verdict {
    NEWTON_DONE,
    NEWTON_LOOSE,  // round-off stopped it
    NEWTON_ON,     // with this matrix
    NEWTON_RENEW,  // with a new one, of the kind that `sharp` says
    NEWTON_FAILED
} newton_verdict;

static inline newton_pace newton_begin(double tolerance, bool exact, bool sharp) {
    return (newton_pace){.tolerance = tolerance, .exact = exact, .sharp = sharp, .last = HUGE_VAL};
}

// After a correction of this size.
static inline newton_verdict newton_judge(newton_pace *p, double size) {
    const bool known = p->last < HUGE_VAL;
    const double shrunk = size / p->last;
    // what is left of a geometric series; from a correction of a radian nothing is concluded
    const bool near = p->last < 1.0;
    const double left = near && shrunk < 1.0 ? size * shrunk / (1.0 - shrunk) : size;
    p->left = fmin(size, left);
    if (size <= p->tolerance || left <= p->tolerance / 3.0) return NEWTON_DONE;
    const bool slow =
        known && shrunk > GOOD_CONTRACTION && size * pow(shrunk, FEW_MORE) > p->tolerance;
    if (p->current && p->sharp && shrunk >= 1.0) {  // the best matrix there is
        if (size <= LOOSE_FACTOR * p->tolerance) return NEWTON_LOOSE;
        if (shrunk >= 2.0) return NEWTON_FAILED;
    }
    p->last = size;
    if (slow && p->current && !p->sharp) {  // a new matrix of the same kind would be as slow
        p->sharp = true;
        p->last = HUGE_VAL;  // the first sharp correction makes up for what the others left
    }
    p->current = p->exact || slow;
    return p->current ? NEWTON_RENEW : NEWTON_ON;
}

// ---------------------------------------------------------------- what is stiff, rung by rung
#define LEAST_STRIDE 1.2  // between rungs

// What sticks and what touches must be found out: what is stiff begins softer, `rung` times, and goes down to 1, by
// `stride` from one solution to the next, each from the answer to the one before.
typedef struct ladder {
    double rung, stride;
    double reached;  // the last rung with a solution; 0: none yet
} ladder;

// After an attempt at its rung. False: it is the last, whether it was solved or not.
static inline bool ladder_next(ladder *l, bool solved) {
    if (solved && l->rung == 1.0) return false;
    if (solved) l->reached = l->rung;
    else if (l->reached == 0.0 || (l->stride = sqrt(l->stride)) < LEAST_STRIDE) return false;
    l->rung = fmax(1.0, l->reached / l->stride);
    return true;
}
