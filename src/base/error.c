// base/error.c - see error.h.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

td_status error_set(td_error *err, td_status status, const char *where, const char *format, ...) {
    if (!err) return status;
    *err = (td_error){.status = status};
    snprintf(err->where, sizeof err->where, "%s", where ? where : "");
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

td_status refuse_part(const char *kind, const char *name, const char *key, const char *text,
                      td_error *err) {
    char where[sizeof err->where];
    snprintf(where, sizeof where, "%s.%s.%s", kind, name, key);
    return error_set(err, TD_ERR_UNSUPPORTED, where, "%s", text);
}

const char *td_status_name(td_status status) {
    switch (status) {
    case TD_OK: return "TD_OK";
    case TD_LOOSE: return "TD_LOOSE";
    case TD_BIFURCATION: return "TD_BIFURCATION";
    case TD_ERR_ARGUMENT: return "TD_ERR_ARGUMENT";
    case TD_ERR_MEMORY: return "TD_ERR_MEMORY";
    case TD_ERR_FILE: return "TD_ERR_FILE";
    case TD_ERR_PARSE: return "TD_ERR_PARSE";
    case TD_ERR_VALUE: return "TD_ERR_VALUE";
    case TD_ERR_UNSUPPORTED: return "TD_ERR_UNSUPPORTED";
    case TD_ERR_NOT_CONVERGED: return "TD_ERR_NOT_CONVERGED";
    case TD_ERR_SINGULAR: return "TD_ERR_SINGULAR";
    case TD_ERR_NOT_FINITE: return "TD_ERR_NOT_FINITE";
    case TD_ERR_STOPPED: return "TD_ERR_STOPPED";
    }
    return "unknown status";
}

const char *status_words(td_status status) {
    switch (status) {
    case TD_OK: return "it succeeded";
    case TD_LOOSE: return "it is less accurate than asked for";
    case TD_BIFURCATION: return "there is more than one equilibrium";
    case TD_ERR_ARGUMENT: return "an argument is wrong";
    case TD_ERR_MEMORY: return "out of memory";
    case TD_ERR_FILE: return "a file cannot be read or written";
    case TD_ERR_PARSE: return "a text cannot be understood";
    case TD_ERR_VALUE: return "a value is not allowed";
    case TD_ERR_UNSUPPORTED: return "this model cannot do that";
    case TD_ERR_NOT_CONVERGED: return "it did not converge";
    case TD_ERR_SINGULAR: return "its equations are singular";
    case TD_ERR_NOT_FINITE: return "a result is not finite";
    case TD_ERR_STOPPED: return "it was stopped";
    }
    return "for a reason that is not known";
}
