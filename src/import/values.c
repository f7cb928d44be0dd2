// import/values.c - numbers and names in attributes.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/imported.h"

#define LARGEST 1e30  // of any number, SI

td_status some_numbers_of(importer *r, const xml_node *n, const char *name, const char *text,
                          int most, double *out, int *found) {
    const char *at = text;
    for (*found = 0;; (*found)++) {
        while (isspace((unsigned char)*at)) at++;
        if (!*at) return TD_OK;
        char *end;
        const double x = strtod(at, &end);
        if (end == at || (*end && !isspace((unsigned char)*end)))
            return REFUSE(r, n, "%s: '%.40s' is not a number", name, at);
        if (!(fabs(x) <= LARGEST))
            return REFUSE(r, n, "%s: '%.40s' must be finite and below %g", name, at, LARGEST);
        if (*found < most) out[*found] = x;
        at = end;
    }
}

td_status numbers_of(importer *r, const xml_node *n, const char *name, const char *text, int count,
                     double *out) {
    int found;
    if (some_numbers_of(r, n, name, text, count, out, &found)) return TD_ERR_PARSE;
    if (found == count) return TD_OK;
    return REFUSE(r, n, "%s: %d numbers, where %d are expected", name, found, count);
}

td_status optional_numbers(importer *r, const xml_node *n, const char *name, int count,
                           double *out) {
    const char *text = text_of(n, name);
    return text ? numbers_of(r, n, name, text, count, out) : TD_OK;
}

td_status required_numbers(importer *r, const xml_node *n, const char *name, int count,
                           double *out) {
    if (!text_of(n, name)) return REFUSE(r, n, "<%.40s> has no %s", n->name, name);
    return optional_numbers(r, n, name, count, out);
}

const char *text_of(const xml_node *n, const char *name) {
    const xml_attribute *a = xml_attribute_of(n, name);
    return a ? a->value : NULL;
}

td_status required_text(importer *r, const xml_node *n, const char *name, const char **out) {
    *out = text_of(n, name);
    if (*out && **out) return TD_OK;
    return REFUSE(r, n, "<%.40s> has no %s", n->name, name);
}

quat from_angles(double roll, double pitch, double yaw) {
    const quat x = quat_exp(vec3_make(roll, 0.0, 0.0)), y = quat_exp(vec3_make(0.0, pitch, 0.0));
    const quat z = quat_exp(vec3_make(0.0, 0.0, yaw)), yx = quat_mul(y, x);
    return quat_mul(z, yx);
}
