// model/rom/compile.h - between the parts of compiling a robot for this model.
#pragma once

#include "model/rom/rom.h"
#include "robot/places.h"

typedef struct rule {    // of integration along a rod
    double *s, *weight;  // (n) m, ascending
    int n;
    int per;       // Gauss's rule of so many, again and again; 0: another rule
    double *cuts;  // (n/per + 1) m, between which
} rule;

typedef struct rod_parts {  // of a rod, each with its own polynomials
    double *cuts;           // (n + 1) m, ascending, 0 first and the length last
    int n;
} rod_parts;

// compile_rule.c: where polynomials end, and Gauss points between all places where something does.
bool parts_make(const td_robot *robot, int rod, const td_rom_options *o, rod_parts *out);
bool rule_make(const td_robot *robot, int rod, const td_rom_options *o, rule *out);
void rule_free(rule *r);

// compile_sections.c: what sections are made of, and the rest shape.
section section_at(const td_robot *robot, const actuator *actuators, int rod, double s,
                   double weight, bool rotary);
void fill_rest_shape(const robot_rod *rod, curve *c);
