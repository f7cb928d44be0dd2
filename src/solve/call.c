// solve/call.c - see call.h.
#include "solve/call.h"

#include <stdarg.h>
#include <stdio.h>

td_status tell(char *message, td_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(message, MODEL_MESSAGE_SIZE, format, args);
    va_end(args);
    return status;
}
