// cli/reading.h - results that a verb reads, and what is to be said of them.
#pragma once

#include "io/result.h"

// NULL: the reason was printed. Of a run that did not come to its end a note says so.
result *open_result(const char *path);
