// robot/facts.h - what can be said of a robot before anything is computed, for programs that
// describe one to people.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "robot/places.h"
#include "robot/robot.h"

typedef struct rod_facts {
    const char *name;
    int n_pieces;
    double length, mass;         // m, kg
    td_section_properties base;  // of the section at the base
    td_section_properties tip;
    double frequency;  // Hz, of the first bending mode, about the softer axis; base held, tip free
    char law
        [192];  // what its material does beside answering in proportion: "relaxes, ..."; "": nothing
} rod_facts;

typedef struct end_facts {             // how the two ends of a rod are held
    const char *base_body, *tip_body;  // NULL: the world, or nothing
    char base[192], tip[192];          // "clamped to platform"; "" for a base in the world's clamp
                                       // and a free tip
    char feed[192];                    // "leg1"; "" when it is not fed
    bool at_tip;                       // what is fed is added there
    const char *within;                // the rod that it runs in; NULL: none
    char rotation[192], translation[192];  // of a concentric tube; "" when it is none
} end_facts;

typedef struct body_facts {
    const char *name;
    const char *rod;        // that it rides on; NULL: free
    const char *held_by;    // another body; NULL: none
    double at;              // m
    double mass;            // kg
    double inertia[3];      // kg m^2
    double radius, height;  // m, of a disc; 0: not known
    char attached[192];     // "1", "grip"
    char held[128];         // "clamped to the world"; "": by rods alone
} body_facts;

typedef struct actuator_facts {
    const td_actuator_kind *kind;
    const char *name;
    const char *rod, *body;      // where it is: one of them, the other NULL
    int index;                   // among its kind
    int rod_index;               // FREE_BODY: none
    double from, to;             // m
    const char *given, *unit;    // what its input is: "tension", "N"
    bool by_effort;              // it is the effort
    td_number number;            // the input's value
    char value[192];             // the same in words: "east"
    char where[256];             // "parallel at (9.5, 0) mm"
    char properties[256];        // "EA 20000 N, friction 0.1"; "" when there are none
    double scale, effort_scale;  // of an input, of an effort, that does something
    bool takes_negative, straight;
    double offset[2], area;  // m, m^2, of a room in its rod
} actuator_facts;

typedef struct load_facts {
    const char *name;
    const char *rod, *body;  // what it acts on: one of them, the other NULL
    const char *frame;       // "world", "body": see robot/loads.h
    bool distributed;
    double from, to;               // m
    char force[640], moment[640];  // "[0, 0, push]"; "" when there is none
} load_facts;

typedef struct field_facts {
    const char *name;
    bool dipole;
    char strength[640];  // "[0, 0, B]": T, or A m^2 of a dipole
    char gradient[960];  // "xx 0.1, yz G"; "" when it is uniform
    char position[640];
} field_facts;

typedef struct obstacle_facts {
    const char *name, *shape;  // "tube"
    char size[128];            // "radius 3 mm"; "" where it has none
    char position[640];        // "[0, 0, lift]"
    char surface[128];         // "friction 0.1, stiffness 40000 Pa"; "" when hard and smooth
    bool inside;               // it is said to be a room
    bool room;                 // it is one, as tubes are anyway
    bool in_file;              // of its own, beside the robot's
} obstacle_facts;

typedef struct contact_facts {
    const char *name;
    char between[512];  // "left, right, ball, and rods with themselves"
    char surface[128];  // as above
} contact_facts;

typedef struct sensor_facts {
    const char *name, *measures;
    double rate, delay;  // Hz, s
    char times[96];      // "100 Hz, 15 ms late"
    char quality[192];   // "noise 0.001 m, bias 0.002 m"; "" when it is perfect
} sensor_facts;

typedef struct controller_facts {
    const char *name, *kind;
    char drives[192];  // "east, west"
    char times[96];    // "every 0.01 s, 0.002 s late"
} controller_facts;

typedef struct input_facts {
    const char *name, *unit;
    char signal[256];  // "ramp from 0 to 5 N, starting at 0.1 s, over 0.5 s"
} input_facts;

// m: the longest rod; of bodies alone, how far a chain of them may reach.
double robot_size(const td_robot *robot);
rod_facts rod_facts_of(const td_robot *robot, int rod);
// Radius of the section at s, or of a circle of the same area; 0 when no section is given.
double rod_radius_at(const td_robot *robot, int rod, double s);
end_facts end_facts_of(const td_robot *robot, int rod);
body_facts body_facts_of(const td_robot *robot, int body);
actuator_facts actuator_facts_of(const td_robot *robot, int actuator);  // counted over all kinds
// Does this input drive an actuator or a feed?
bool input_actuates(const td_robot *robot, int input);
load_facts load_facts_of(const td_robot *robot, int load);
field_facts field_facts_of(const td_robot *robot, int field);
// "1000 kg/m^3, moving with [0, 0, u] m/s"; "" where there is none.
void describe_fluid(const td_robot *robot, char *text, size_t size);
obstacle_facts obstacle_facts_of(const td_robot *robot, int obstacle);
contact_facts contact_facts_of(const td_robot *robot, int contact);
sensor_facts sensor_facts_of(const td_robot *robot, int sensor);
controller_facts controller_facts_of(const td_robot *robot, int controller);
input_facts input_facts_of(const td_robot *robot, int input);
void describe_number(const td_robot *robot, td_number n, char *text, size_t size);
void describe_gravity(const td_robot *robot, char *text, size_t size);
// The robot file that a scenario's file names, as it was opened; NULL: none.
const char *robot_named_file(const td_robot *robot);

// What is physically implausible though no rule forbids it (doubts.c): number `index`, with its place in the words of the
// file format; false past the last.
#define DOUBT_TEXT 240
bool robot_doubt(const td_robot *robot, int index, char *text, size_t size);
