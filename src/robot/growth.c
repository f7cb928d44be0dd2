// robot/growth.c - see growth.h.
#include "robot/growth.h"

double fed_place(fed_stretch g, double s, double fed) {
    const double rest = g.to - g.from;
    if (s >= g.to) return s + fed;
    return s > g.from ? g.from + (s - g.from) * ((rest + fed) / rest) : s;
}

double place_before_feeding(fed_stretch g, double s, double fed) {
    const double rest = g.to - g.from;
    if (s >= g.to + fed) return s - fed;
    return s > g.from ? g.from + (s - g.from) * (rest / (rest + fed)) : s;
}

double point_along(fed_stretch g, double length, int i, int n) {
    const double between = g.to < length ? g.to : g.from;
    const int first = (n - 1) / 2;  // intervals up to there
    if (i == n - 1) return length;
    if (!(between > 0.0 && between < length) || !first) return length * i / (n - 1);
    if (i <= first) return i == first ? between : between * i / first;
    return between + (length - between) * (i - first) / (n - 1 - first);
}
