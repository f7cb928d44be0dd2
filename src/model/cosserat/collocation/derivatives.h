// model/cosserat/collocation/derivatives.h
#pragma once

#include "model/cosserat/collocation/collocation.h"

extern const scheme_derivatives collocation_derivatives;
