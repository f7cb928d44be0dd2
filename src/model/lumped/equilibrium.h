// model/lumped/equilibrium.h - statics of all lumped models: Newton's method, directly or along
// growing loads, with a verdict on stability.
#pragma once

#include "model/lumped/net.h"

typedef struct equilibrium {
    const net *c;
    net_memory *m;
    const model_call *call;
    bool anew;      // the present shape lacks turns: not from there
    bool unstable;  // as of the last correction
    double last;    // its size
    // What a formulation brings; `e` is the first member of its own struct.
    void (*begin)(struct equilibrium *e);               // the rest shape
    void (*hold)(struct equilibrium *e, double share);  // from now on under this share of the loads
    // One correction, shortened to `longest` (rad, or lengths); its whole size; not finite: none.
    double (*correct)(struct equilibrium *e, double longest);
    void (*keep)(struct equilibrium *e);  // remembers the shape, for
    void (*put_back)(struct equilibrium *e);
    // Nodes and efforts of the shape that was found; does it fit the coordinates?
    td_status (*settle)(struct equilibrium *e);
} equilibrium;

td_status find_equilibrium(equilibrium *e);
