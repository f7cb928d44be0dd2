// cli/help.h - help texts, made from the verbs themselves.
#pragma once

#include <stdio.h>

#include "cli/args.h"

void print_program_help(FILE *out, const verb *const *verbs, int n);
void print_verb_help(FILE *out, const verb *v);
