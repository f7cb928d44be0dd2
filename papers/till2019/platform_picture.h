// papers/till2019/platform_picture.h - the platform as lines, for gnuplot.
#pragma once

#include <stdio.h>

#include "robots.h"

enum { LEG_POINTS = 31 };
typedef float picture[LEGS][LEG_POINTS][3];  // m, of the legs from base to plate

void take_picture(const simulation *s, picture out);
// Data blocks $NAME_legs, one index for each leg, $NAME_plate and $NAME_base, in mm.
void put_picture(FILE *script, const char *name, const picture legs);
