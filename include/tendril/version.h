// tendril/version.h
#pragma once

#include "tendril/status.h"

#define TD_VERSION_MAJOR 0
#define TD_VERSION_MINOR 1
#define TD_VERSION_PATCH 0
#define TD_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
TD_API const char *td_version(void);  // of the library that is linked
#ifdef __cplusplus
}
#endif
