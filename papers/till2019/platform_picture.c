// papers/till2019/platform_picture.c - see platform_picture.h.
#include "platform_picture.h"

void take_picture(const simulation *s, picture out) {
    for (int i = 0; i < LEGS; i++) {
        double length = td_get_length(s->system, s->state, i);
        for (int k = 0; k < LEG_POINTS; k++) {
            td_pose at = td_get_pose(s->system, s->state, i, length * k / (LEG_POINTS - 1));
            for (int c = 0; c < 3; c++) out[i][k][c] = (float)at.p[c];
        }
    }
}

// One line from end to end of every leg; of the plate and the base one around.
void put_picture(FILE *script, const char *name, const picture legs) {
    fprintf(script, "$%s_legs << EOD\n", name);
    for (int i = 0; i < LEGS; i++) {
        for (int k = 0; k < LEG_POINTS; k++) {
            const float *at = legs[i][k];
            fprintf(script, "%.6g %.6g %.6g\n", 1e3 * (double)at[0], 1e3 * (double)at[1],
                    1e3 * (double)at[2]);
        }
        fputs("\n\n", script);
    }
    fputs("EOD\n", script);
    for (int end = 0; end < 2; end++) {
        fprintf(script, "$%s_%s << EOD\n", name, end ? "plate" : "base");
        for (int i = 0; i <= LEGS; i++) {
            const float *at = legs[i % LEGS][end * (LEG_POINTS - 1)];
            fprintf(script, "%.6g %.6g %.6g\n", 1e3 * (double)at[0], 1e3 * (double)at[1],
                    1e3 * (double)at[2]);
        }
        fputs("EOD\n", script);
    }
}
