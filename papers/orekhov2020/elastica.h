// papers/orekhov2020/elastica.h - a cantilever in the plane under a force at its tip, by quadrature
// of the elliptic integrals.
#pragma once

typedef struct elastica {
    double force;  // across the rod, in EI/L^2
    double y, z;   // the tip, in L: across and along
} elastica;

// The force (F across, ratio F along, pulling) that turns the tip by `tip_angle` (rad), and where
// the tip then is. The force must still turn it further: tan(tip_angle) < 1/ratio.
elastica elastica_of(double tip_angle, double ratio);
