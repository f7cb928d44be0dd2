// robot/facts.h - what can be said of a robot before anything is computed, for programs that
// describe one to people.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "robot/robot.h"

typedef struct rod_facts {
    const char *name;
    int n_pieces;
    double length, mass;         // m, kg
    td_section_properties base;  // of the section at the base
    td_section_properties tip;
    double frequency;  // Hz, of the first bending mode, about the softer axis; base held, tip free
} rod_facts;

typedef struct load_facts {
    const char *name;
    const char *rod, *body;  // what it acts on: one of them, the other NULL
    bool distributed, follower;
    double from, to;               // m
    char force[640], moment[640];  // "[0, 0, push]"; "" when there is none
} load_facts;

typedef struct input_facts {
    const char *name, *unit;
    char signal[256];  // "ramp from 0 to 5 N, starting at 0.1 s, over 0.5 s"
} input_facts;

rod_facts rod_facts_of(const td_robot *robot, int rod);
load_facts load_facts_of(const td_robot *robot, int load);
input_facts input_facts_of(const td_robot *robot, int input);
void describe_gravity(const td_robot *robot, char *text, size_t size);
