// io/option_names.h - options in the words of the robot file.
#pragma once

#include "tendril/tendril.h"

const char *theory_name(td_theory theory);
const char *space_name(td_space space);
const char *integrator_name(td_integrator integrator);
const char *history_name(td_history history);
const char *scheme_name(td_scheme scheme);
const char *startup_name(td_startup startup);
const char *solver_name(td_solver solver);
const char *start_name(td_start start);
// How the model steps in time: its own method, or the scheme.
const char *stepping_name(const td_options *options);
// Do theory and scheme along the rod matter to it?
bool has_space_scheme(const td_options *options);
