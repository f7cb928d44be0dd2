// robot/units.h - "207 GPa", "1e-6 N m^2 s", "2 kg/(m s)": quantities as people write them.
#pragma once

#include <stdbool.h>

// Exponents of the base units. The angle has no dimension in mechanics; it is kept so that 60 rpm
// is not taken for 6.28 Hz (see dimension_fits).
typedef struct dimension {
    signed char m, kg, s, K, mol, A, rad;
} dimension;

typedef struct quantity {
    double value;   // SI
    dimension dim;  // of the unit; all 0 for a plain number
    bool has_unit;
} quantity;

#define UNITS_TEXT 160  // room for a message or a dimension in words

// Decimal numbers only: no nan, inf or hexadecimal. Needs the "C" numeric locale. On failure `why`
// holds the reason with the part that is at fault, and *out is untouched.
bool quantity_parse(const char *text, quantity *out, char why[UNITS_TEXT]);

// The number alone; the end of what was read comes back in *rest. NULL as `rest`: all of it must be
// a number.
bool has_other_minus(const char *text);  // does it begin with a minus sign of print?
bool number_parse(const char *text, double *value, const char **rest, char why[UNITS_TEXT]);

// The dimension of a unit that is known to be good ("N m^2").
dimension unit_dimension(const char *unit);

// Can a quantity of dimension `found` stand where `expected` is wanted? Angles come and go freely
// (N m/rad, deg/m), except between rad/s and Hz.
bool dimension_fits(dimension found, dimension expected);
bool dimension_is_none(dimension d);
// a b^power; false: its exponents are too large.
bool dimension_product(dimension a, dimension b, int power, dimension *out);

// "pressure (Pa)"; the base units for a dimension without a name.
const char *dimension_name(dimension d, char text[UNITS_TEXT]);
// The unit alone: "Pa"; "" of a plain number.
const char *dimension_unit(dimension d, char text[UNITS_TEXT]);
