// base/assertion.h - what must hold inside the library whatever its callers do. Checked in debug
// builds (TENDRIL_ASSERTIONS); see td_set_assertion_hook. Wrong input is no matter of assertions: it
// gets an error.
#pragma once

#ifdef TENDRIL_ASSERTIONS
void assertion_failed(const char *what, const char *file, int line);
#define ASSERT(x) ((x) ? (void)0 : assertion_failed(#x, __FILE__, __LINE__))
#else
#define ASSERT(x) ((void)sizeof((x) ? 1 : 0))  // compiled, not evaluated
#endif
