// model/rubber.h - the soft materials of Sadati 2019, for all models of its rods: rubber in
// tension, damping by a power of the rate, and sections that follow the mean stretch of their rod.
#pragma once

// A rubber in simple tension, by E A: (v - 1/v^2)/3. Far in compression, where it is meant no more,
// the force goes on as its tangent.
double rubber_force(double v, double *slope);
double rubber_energy(double v);

// eta |rate|^(power - 1) rate: Eq. 7.
double power_damping(double eta, double power, double rate);
double power_damping_slope(double eta, double power, double rate);

// A rod of mean stretch l has its material, of constant volume, on the area A/l. Its chambers, held
// by threads at the braid angle g, keep about theirs: a b with b = (1 - l^2 cos^2 g)/sin^2 g, at
// the distance r/sqrt(l) from the axis. With the solid section (chambers filled in) as A_s, I_s:
//
//     E A -> E (A_s/l - sum a b)/l      E I -> E (I_s/l^2 - sum (a^2 b^2/(4 pi) + a b y^2/l))/l
typedef struct section_holes {  // of chambers through a section
    double area, xx, yy, polar;
} section_holes;
double chamber_swell(double braid_angle, double stretch);  // b
// One of this area, a b, whose centre is at (x, y) at rest.
void holes_add(section_holes *h, double area, double x, double y, double stretch);
void stretch_stiffness(const double K[6], double youngs_modulus, double shear_modulus,
                       const section_holes *rest, const section_holes *now, double stretch,
                       double out[6]);
