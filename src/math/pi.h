// math/pi.h - one pi for all.
#pragma once

#define PI 3.14159265358979323846
#define DEGREES (180.0 / PI)  // in a radian
