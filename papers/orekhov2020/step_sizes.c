// Tables I and II: two formulas.
#include <math.h>

#include "orekhov2020.h"
#include "rod.h"
#include "math/pi.h"

#define NONE ((double)NAN)

void orekhov2020_table1(paper_report *r) {
    static const double printed[] = {25.65, 51.29, 76.92, 102.54};  // mm
    for (int i = 0; i < 4; i++) {
        double beta = 0.05 / (1e-3 * (i + 1));
        char name[64];
        snprintf(name, sizeof name, "largest step, radius %d mm", i + 1);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "mm",
                                        .printed = printed[i],
                                        .ours = 1e3 * PI / sqrt(6.0 * beta * beta + 1.0),
                                        .note = i == 0 ? "strain 5 %, not 6 % as in the caption"
                                                       : "cut off in print, not rounded"});
    }
    report_compare(r, &(comparison){.quantity = "enough is pi/|u|: |u| = 50/m",
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * PI / 50.0,
                                    .note = "a sharper bound that knows no units: see errata.md"});
}

// Between the zeros of a Chebyshev polynomial, and from them to the ends.
static double largest_step(int n) {
    double largest = 0.0, last = -1.0;
    for (int k = 0; k <= n + 1; k++) {
        double x = k <= n ? -cos((2 * k + 1) * PI / (2 * n + 2)) : 1.0;
        largest = fmax(largest, x - last);
        last = x;
    }
    return 0.5 * ROD_LENGTH * largest;
}

void orekhov2020_table2(paper_report *r) {
    static const double printed[] = {86.60, 58.78, 43.38, 34.20, 28.17};  // mm
    for (int i = 0; i < 5; i++) {
        int n = 2 * (i + 1);
        char name[64];
        snprintf(name, sizeof name, "largest step, n = %d", n);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "mm",
                                        .printed = printed[i],
                                        .ours = 1e3 * largest_step(n),
                                        .note = i == 0   ? "n is the degree: n + 1 nodes"
                                                : i == 2 ? "cut off in print, not rounded"
                                                         : NULL});
    }
}
