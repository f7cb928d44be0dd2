// material/stretch.h - sections that follow the mean stretch of their rod, after Sadati 2019: not a
// law of a point, but of the whole rod, whose sections a model makes anew where its shape settles.
//
// A rod of mean stretch l has its material, of constant volume, on the area A/l. Its chambers, held
// by threads at the braid angle g, keep about theirs: a b with b = (1 - l^2 cos^2 g)/sin^2 g, at
// the distance r/sqrt(l) from the axis. With the solid section (chambers filled in) as A_s, I_s:
//
//     E A -> E (A_s/l - sum a b)/l      E I -> E (I_s/l^2 - sum (a^2 b^2/(4 pi) + a b y^2/l))/l
#pragma once

#define LEAST_MEAN_STRETCH 0.2  // and its inverse the most that sections follow
#define MOST_ROUNDS 60          // of equilibria with sections of the last one's stretch

double mean_stretch_within(double stretch);  // the bounds above

typedef struct section_holes {  // of chambers through a section
    double area, xx, yy, polar;
} section_holes;
double chamber_swell(double braid_angle, double stretch);  // b
// One of this area, a b, whose centre is at (x, y) at rest.
void holes_add(section_holes *h, double area, double x, double y, double stretch);
void stretch_stiffness(const double K[6], double youngs_modulus, double shear_modulus,
                       const section_holes *rest, const section_holes *now, double stretch,
                       double out[6]);
