// math/student.h - Student's distribution, for intervals of numbers found from few data.
#pragma once

// The t with P(T < t) = p, 0 < p < 1.
double student_quantile(double p, double freedom);
