// Table 1: what a disc, 30 mm of core and the rods around it weigh and resist, from the prototype of
// section 6.6.
#include <math.h>

#include "robot.h"
#include "rone2014.h"
#include "math/pi.h"

#define STEEL 7850.0  // kg/m^3
#define ABS 1040.0    // kg/m^3, not printed: the usual one
#define WIRE 0.52e-3  // m, radius of core and rods
#define HOLE 0.0125   // m, of a rod from the axis
#define DISC 0.015    // m, radius
#define THICK 0.002   // m

typedef struct lump {
    double mass, radial, axial;  // kg, kg m^2
    double slip;                 // radial, with m r/2 in place of m r^2/2
} lump;

static lump lump_of(int rods) {
    const double disc = ABS * PI * DISC * DISC * THICK;
    const double wire = STEEL * PI * WIRE * WIRE * SPACING;
    const double across = disc * (3.0 * DISC * DISC + THICK * THICK) / 12.0 +
                          (rods + 1) * wire * (3.0 * WIRE * WIRE + SPACING * SPACING) / 12.0;
    return (lump){.mass = disc + (rods + 1) * wire,
                  .radial = across + 0.5 * rods * wire * HOLE * HOLE,
                  .axial = 0.5 * disc * DISC * DISC + 0.5 * (rods + 1) * wire * WIRE * WIRE +
                           rods * wire * HOLE * HOLE,
                  .slip = across + 0.5 * rods * wire * HOLE};
}

typedef struct printed_lump {
    const char *name;
    int rods;
    double mass, radial, axial;
} printed_lump;

static const printed_lump printed[2] = {{"proximal", 6, 2.869e-3, 7.690e-6, 3.531e-7},
                                        {"distal", 3, 2.269e-3, 3.894e-6, 2.593e-7}};

static void say(paper_report *r, const char *what, const char *part, const char *unit,
                double in_print, double ours, const char *note) {
    char name[80];
    snprintf(name, sizeof name, "%s, %s", what, part);
    report_compare(
        r, &(comparison){
               .quantity = name, .unit = unit, .printed = in_print, .ours = ours, .note = note});
}

void rone2014_properties(paper_report *r) {
    for (int i = 0; i < 2; i++) {
        const printed_lump *p = &printed[i];
        const lump l = lump_of(p->rods);
        say(r, "mass", p->name, "g", 1e3 * p->mass, 1e3 * l.mass,
            "ABS of 1040 kg/m^3, which is not printed");
        say(r, "radial moment of inertia", p->name, "kgm2", p->radial, l.radial,
            "too large in print: see the next line");
        say(r, "the same, m r/2 for m r^2/2", p->name, "kgm2", p->radial, l.slip, NULL);
        say(r, "axial moment of inertia", p->name, "kgm2", p->axial, l.axial, NULL);
    }
    const double area = PI * pow(WIRE, 4.0) / 4.0;
    char note[80];
    snprintf(note, sizeof note, "EJ = %.5g N m^2; the swing of Figure 8 confirms it", 210e9 * area);
    report_compare(r, &(comparison){.quantity = "second moment of area, core and rods",
                                    .unit = "m4",
                                    .printed = (double)NAN,
                                    .printed_text = "blank",
                                    .ours = area,
                                    .note = note});
    report_remark(r, "The rods' parallel-axis term lost a square in print. What follows uses the "
                     "printed moments, as the paper did, unless it says otherwise.");
}
