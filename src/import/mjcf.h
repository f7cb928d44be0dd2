// import/mjcf.h - what the files of the MJCF reader share.
#pragma once

#include "import/imported.h"

typedef struct mjcf {
    importer *r;
    double angle;   // rad in a unit of angle
    char order[4];  // of Euler angles
    bool autolimits;
    int from_geoms;            // -1: where there is no <inertial>; 0: never; 1: always
    const xml_node *defaults;  // NULL: none
    int n_unnamed;
} mjcf;

// The <default> of a class, among `in` and those within it. NULL: none.
const xml_node *mjcf_class(const xml_node *in, const char *name);
// An attribute of n, or of its class: its own, or that of the bodies around it. NULL: absent.
const char *mjcf_text(const mjcf *m, const xml_node *n, const char *name);
td_status mjcf_numbers(const mjcf *m, const xml_node *n, const char *name, int count, double *out);
// pos, and quat, axisangle, euler, xyaxes or zaxis.
td_status mjcf_place(const mjcf *m, const xml_node *n, vec3 *p, quat *q);
// Mass, centre and inertia of the shapes of a body.
td_status mjcf_geoms(const mjcf *m, const xml_node *body, imported_body *b);
// What of it touches, where that is asked for.
td_status mjcf_shapes(const mjcf *m, const xml_node *of, int body);
