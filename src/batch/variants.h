// batch/variants.h - robots of a batch that are built with other numbers: see variants.c.
#pragma once

#include "batch/batch.h"

// A variant that no robot has yet; `owned` NULL, or the system, which is destroyed with it. NULL, and `owned` is as it
// was: the system has another structure.
batch_variant *variant_make(const td_batch *b, const td_system *system, td_system *owned,
                            td_error *err);
void variant_free(const td_batch *b, batch_variant *v);
// given (n): what a robot becomes, which starts anew; NULL: it stays. All or none.
td_status variants_set(td_batch *b, batch_variant *const *given, td_error *err);
