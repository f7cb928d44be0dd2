// math/student.h - Student's distribution, for intervals of numbers found from few data.
#pragma once

// P(T < t) with `freedom` > 0 degrees of freedom.
double student_below(double t, double freedom);
// The t with P(T < t) = p, 0 < p < 1.
double student_quantile(double p, double freedom);
