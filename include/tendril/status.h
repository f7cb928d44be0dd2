// tendril/status.h - how every call reports: status codes and error context.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(TENDRIL_BUILDING) && defined(__GNUC__)
#define TD_API __attribute__((visibility("default")))
#else
#define TD_API
#endif

// 0: fine. Positive: there is an answer, read td_message() and td_get_stats().
// Negative: there is no answer, and the state is exactly as it was before the call.
typedef enum td_status {
    TD_OK = 0,
    TD_LOOSE = 1,             // converged, but round-off stopped it above the tolerance
    TD_BIFURCATION = 2,       // an equilibrium, but load continuation crossed a bifurcation
    TD_ERR_ARGUMENT = -1,     // a call with an impossible argument
    TD_ERR_MEMORY = -2,       // out of memory, or the caller's buffer is too small
    TD_ERR_FILE = -3,         // a file cannot be read or written
    TD_ERR_PARSE = -4,        // a file is not well formed
    TD_ERR_VALUE = -5,        // a value breaks a rule
    TD_ERR_UNSUPPORTED = -6,  // this model cannot represent that
    TD_ERR_NOT_CONVERGED = -7,
    TD_ERR_SINGULAR = -8,    // the equations lost rank: a fold, a bifurcation, a mechanism
    TD_ERR_NOT_FINITE = -9,  // a number overflowed on the way
    TD_ERR_STOPPED = -10     // td_set_stop: it was asked to end
} td_status;

// Filled by the functions that load and create; caller-owned, may be NULL.
typedef struct td_error {
    td_status status;
    int line, column;   // 1-based position in the file; 0 when there is none
    char where[192];    // "arm.yaml:14:13: rods.backbone.length"; "" when there is no place
    char message[512];  // what was found and what was expected
} td_error;

TD_API const char *td_status_name(td_status status);  // "TD_ERR_SINGULAR"

// Debug builds of the library check what must hold inside it whatever a caller does. Where something does
// not, the hook is called, of the whole program; with NULL, as at first, the program ends there. False:
// this build checks nothing. Set it before any other call.
typedef void td_assertion_hook(const char *what, const char *file, int line);
TD_API bool td_set_assertion_hook(td_assertion_hook *hook);

#ifdef __cplusplus
}
#endif
