// environment/pair.h - what two stretches of a robot that touch do to one another: capsules of radii r_a and r_b around
// straight axes from a0 to a1 and from b0 to b1.
//
// The points a(s) and b(t) where they touch are the nearest, with a little preference for the middles,
//
//     D = min |w|^2 + e_a (s - 1/2)^2 + e_b (t - 1/2)^2,   w = a(s) - b(t),   s, t in [0, 1]
//
// since axes that are parallel are near all along, and the nearest points would jump from end to end. D is smooth, by its
// envelope dD = 2 w.dw with s and t held, so that with g = sqrt(D) and R = r_a + r_b
//
//     pressure   N = k max(0, R - g),   force N w/g on a(s),   energy k (R - g)^2/2
//     friction   f = -k y, but no more than mu N |w|/g, at a(s) - w r_a/R, which is b(t) + w r_b/R
//
// and the opposite on b(t). y is how far the surfaces have moved along one another: the slip that was left in the last
// accepted shape, which is what f/k has left of it, and the motion since, of axes and of sections that turn (see
// contact.h). What sticks is a spring of a fixed stiffness, which gives back no more than it took, whatever the pressure does
// meanwhile. Forces share a line, or a point: neither momentum nor angular momentum comes from nowhere.
#pragma once

#include "math/se3.h"

typedef struct pair_law {
    double stiffness;  // k, N/m
    double friction;   // mu
    double radii[2];   // m
    double lean[2];    // m^2, e
} pair_law;

typedef enum pair_end { END_A0, END_A1, END_B0, END_B1, PAIR_ENDS } pair_end;

typedef struct pair_ends {
    vec3 p[PAIR_ENDS];                         // world
    vec3 moved[PAIR_ENDS], turned[PAIR_ENDS];  // m, rad since the accepted shape
    vec3 slip;                                 // m, as it was accepted
    bool held;                                 // as if they touched, whatever their distance
} pair_ends;

typedef struct pair_near {  // the points where two capsules touch
    double s, t;
    bool free_s, free_t;  // they are not at an end
    vec3 u, v, w;         // a1 - a0, b1 - b0, a(s) - b(t)
    double g;             // m
} pair_near;

typedef struct pair_contact {
    pair_near at;
    double pressure;       // N, the letter as above
    double normal;         // N |w|/g, of the force across the surfaces
    vec3 force, friction;  // on a(s); friction is part of the force
    vec3 moments[2];       // on a, about a(s), and on b, about b(t)
    vec3 slip;             // m, now
    vec3 x;                // m, how far surfaces have moved, before its part along w is taken off
    double energy;         // J, of pressure and of what sticks
    bool slides;
} pair_contact;

pair_near pair_nearest(const pair_law *law, const vec3 p[PAIR_ENDS]);
// False: they do not touch, nor are held.
bool pair_meet(const pair_law *law, const pair_ends *x, pair_contact *out);
// Wrenches (moment, force) on the ends, which share those on the points between them.
void pair_wrenches(const pair_contact *c, vec6 out[PAIR_ENDS]);
// How these change as one end turns and shifts by (a, l). What depends on how far sections have turned since is
// left out.
void pair_slope(const pair_law *law, const pair_ends *x, const pair_contact *c, pair_end end,
                vec6 by, vec6 out[PAIR_ENDS]);
// What the pressure will be, by its slope, where ends shift by l.
double pair_pressure_after(const pair_law *law, const pair_contact *c, const vec3 l[PAIR_ENDS]);
// W, taken by what slides at these velocities (spin, velocity) of the ends.
double pair_lost(const pair_law *law, const pair_contact *c, const vec6 v[PAIR_ENDS]);

// J, taken by what has slid since the accepted shape.
double pair_slid(const pair_contact *c);

// Do axes, whose ends go straight from one place to another, come nearer than half of R on the way? Not asked of those
// that are so from the beginning.
bool pair_crosses(const pair_law *law, const vec3 from[PAIR_ENDS], const vec3 to[PAIR_ENDS]);
