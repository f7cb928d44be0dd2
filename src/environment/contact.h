// environment/contact.h - what an obstacle does to a stretch of rod that touches it, per length of rod.
//
// With the distance phi from the axis of the rod, its gradient n and the radius r of the rod's surface
//
//     pressure   P = K max(0, r - phi)       force P n      energy K (r - phi)^2/2
//     friction   t = -mu P s,  s = y/max(presliding, |y|)   at the surface: moment -r n x t
//
// y is how far the surface has moved along the obstacle: what was left of it in the last accepted shape
// (the slip, which never exceeds the presliding) and the motion since then. What sticks gives way like a
// spring; beyond the presliding it slides with mu P (return mapping of Coulomb's law).
//
// What hits an obstacle of restitution e leaves it with e times its velocity, whatever its mass and its velocity: of the
// work that pressed it in, the share e^2 comes back. In motion, from the greatest depth d that it had in this contact,
//
//     P = K x (x/d)^n,  n = 2/e^2 - 2       energy e^2 K x^2/2 (x/d)^n      at the depth x < d
//
// and K x where it goes in deeper, of which (1 - e^2) is lost at once. At rest there is no before: P = K x.
//
// An obstacle that is hard is held to a depth by an augmented Lagrangian: its surface goes ahead by a = lambda/K, with a
// multiplier lambda for each point,
//
//     P = K max(0, x + a)      energy K ((x + a)^2 - a^2)/2      then a = max(0, x + a), and again
//
// until x, the depth, is 0 wherever something presses, but for what is allowed: Uzawa's method. Where what is pressed
// resists more than K does, as a mass in a short step, x falls by little each time; so a goes on by w x, with Aitken's
// w = -w (x0.dx)/(dx.dx) of the last two, x0 and x = x0 + dx.
#pragma once

#include "environment/obstacle.h"

typedef struct contact_law {
    double stiffness;    // K, N/m^2
    double friction;     // mu
    double presliding;   // m
    double restitution;  // 0: 1
} contact_law;

#define CONTACT_KEPT 5  // numbers that are kept of a point and an obstacle: slip, greatest depth, a
#define CONTACT_AHEAD 4

typedef struct contact_point {
    clearance from;      // of its axis from the obstacle
    double radius;       // m
    bool held;           // as if it touched, whatever its depth
    vec3 slip;           // m, as it was accepted
    double deepest;      // m, in this contact before; 0: nothing is known of one
    double ahead;        // m, of the surface of what is hard
    vec3 moved, turned;  // m, rad since then: of the axis and of its section, against the obstacle
    vec3 spun;           // rad, what of `turned` the section has done itself: log(R R_before')
    vec3 fed;            // m, what of `moved` lies along the axis and turns with it
} contact_point;

typedef struct contact {
    vec3 force, moment;  // on the rod, about its axis, per length
    vec3 friction;       // its part of the force
    vec3 slip;           // m, now
    double deepest;      // m, with now
    double energy;       // J/m, of the pressure
    double lost;         // J/m, taken by friction and by the impact since then
    double dead;         // N/m, of the pressure, that does not come back
    double ahead;        // m; 0 where nothing presses
    bool touches;
} contact;

typedef enum contact_push { PUSH_NOT, PUSH_FIRST, PUSH_AGAIN } contact_push;
typedef struct contact_pace {  // of the points that are pushed together
    double w;
    double along, square;  // sums of x0 dx and dx^2
} contact_pace;
// One of them, at the depth x, which was *last; then how far all go on, where the last sums began with that w.
void contact_pace_add(contact_pace *p, double x, double *last);
double contact_pace_end(const contact_pace *p, contact_push how);
// x + a, of what presses; 0 or less: nothing does
static inline double contact_pushed(double ahead, double w, double x) {
    return ahead + w * x > 0.0 ? ahead + w * x : 0.0;
}

typedef struct contact_slopes {
    mat3 f_p, f_th;  // of the force by shifts and turns,
    mat3 l_p, l_th;  // of the moment
} contact_slopes;

static inline bool contact_touches(const contact_point *at) {
    return at->from.phi < at->radius + at->ahead || at->held;
}

typedef struct press {  // at a depth, after a greatest one
    double P, slope;    // N/m, N/m^2
    double energy,
        lost;  // J/m, that comes back and that does not, the latter since the greatest depth
} press;
press contact_press(const contact_law *law, double depth, double deepest, double ahead);
static inline void contact_keep(const contact *c, double kept[CONTACT_KEPT]) {
    vec3_store(kept, c->slip);
    kept[3] = c->deepest;
    kept[CONTACT_AHEAD] = c->ahead;
}

// slopes, NULL: they are not wanted.
contact contact_at(const contact_law *law, const contact_point *at, contact_slopes *slopes);

// ---------------------------------------------------------------- what was before
// Changes of what is remembered, along m directions: (rows x m) each.
typedef struct contact_past {
    int m;
    const double *kept;    // (CONTACT_KEPT) slip and greatest depth as they were accepted
    const double *before;  // (6) turn and shift of the section where it was
    const double *fed;     // (3) of `moved`, by what was fed; NULL: none
} contact_past;
// Has contact by this law a memory?
static inline bool contact_remembers(const contact_law *law) {
    return law->friction > 0.0 || (law->restitution > 0.0 && law->restitution < 1.0);
}
// wrench (6 x m, moment and force) += factor times what a point that stays where it is answers.
void contact_add_past(const contact_law *law, const contact_point *at, const contact_past *past,
                      double factor, double *wrench);
// kept (CONTACT_KEPT x m): what is accepted then, where the section turns and shifts by now (6 x m).
void contact_keep_along(const contact_law *law, const contact_point *at, const contact_past *past,
                        const double *now, double *kept);
