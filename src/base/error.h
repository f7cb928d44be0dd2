// base/error.h - filling a td_error.
#pragma once

#include "tendril/status.h"

// Fills err (may be NULL) and returns status, so that a refusal is one line:
//     return error_set(err, TD_ERR_VALUE, "rods.arm.length", "%g m must be positive", length);
// `where` may be NULL. Text that does not fit is cut.
td_status error_set(td_error *err, td_status status, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// In words, where nobody said more: "it did not converge".
const char *status_words(td_status status);

// A model refuses a part of a robot: TD_ERR_UNSUPPORTED at "kind.name.key".
td_status refuse_part(const char *kind, const char *name, const char *key, const char *text,
                      td_error *err);
