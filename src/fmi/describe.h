// fmi/describe.h - modelDescription.xml: what a tool reads before it loads an FMU.
#pragma once

#include <stdio.h>

#include "fmi/variables.h"

typedef struct fmi_description {
    int version;             // 2 or 3
    const char *identifier;  // of the library, a name in C
    const char *name;        // of the robot
    const char *about;       // one line; may be NULL
    const char *token;
    double step, end;                // s, of the file's own run
    const fmi_variables *variables;  //
    const td_robot *robot;           // whose numbers parameters start with
    const td_system *system;
    const td_state *state;  // at its start
    bool slopes;            // steps of this robot have derivatives
} fmi_description;

void fmi_describe(FILE *out, const fmi_description *d);
// A name that C allows, made of any text.
void fmi_identifier(const char *text, char *identifier, size_t size);
