// papers/rone2014/spectrum.h - frequencies of a motion that was looked at in equal steps.
#pragma once

// Amplitudes of the discrete transform of x (n), its mean taken off, in the first bins.
void spectrum_of(const double *x, int n, double *out, int bins);
// Where between two frequencies, Hz, the transform through Hann's window is highest: between the
// bins too. By golden section, so there must be one peak.
double peak_between(const double *x, int n, double dt, double low, double high);
