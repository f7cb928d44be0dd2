// cli/token.h - the secret of a server: given by --token, or drawn.
#pragma once

#include "cli/args.h"

enum { TOKEN_SIZE = 72 };

// Returns an exit code, after printing what is wrong with the one that was given.
int choose_token(const args *a, char token[TOKEN_SIZE]);
