// cli/description.h - the parts of a robot as JSON, for `tendril check`.
#pragma once

#include "io/json.h"
#include "tendril/tendril.h"

void description_put(json *j, const td_robot *robot);
