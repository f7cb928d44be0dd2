// io/state_file.h - states inside HDF5 files. Included only by src/io.
#pragma once

#include "io/h5.h"
#include "io/result.h"

// The data set /state: bytes of one kind of machine, with a checksum of their own.
td_status h5_put_state(hid_t file, const char *path, const td_system *system, const td_state *state,
                       td_error *err);
