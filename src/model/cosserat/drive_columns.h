// model/cosserat/drive_columns.h - motors and valves in the derivative of a step: their numbers q and the rates of these,
// column by column, through the formulas of the step. With the histories h = q* and v* at a stage
//
//     (c0^2 M + c0 D + K) dq = (c0^2 M + c0 D) dq* + c0 M dv* + b du - t dT
//
// (actuation/engine.h): what does not come from the effort T loads the equation of T, whose own slope has the rest in it.
#pragma once

#include "model/cosserat/stage_slopes.h"

int drive_numbers(const cosserat *c);  // of all motors and valves, as the last coordinates
// Numbers beyond these and their rates that formulas of several steps remember: of past levels, and the last acceleration.
int drive_memory(const cosserat *c, int n_levels);
size_t drive_columns_doubles(const cosserat *c, int m);
void drive_columns_place(const cosserat *c, double *at, step_columns *s);
// Before the step: numbers of the state, and with a past, from column `own` on, those of drive_memory; else the past is the
// present.
void drive_columns_begin(const cosserat *c, step_columns *s, int own, int n_levels, bool past);
// R += what a stage brings without the efforts, where the slopes J of the assembly are; then, with X, the numbers.
void drive_columns_load(const assembly_problem *p, step_columns *s, const substep *sub);
void drive_columns_take(const assembly_problem *p, step_columns *s, const substep *sub);
// All assemblies have been taken; two parts of a step have.
void drive_columns_accept(step_columns *s);
void drive_columns_join(step_columns *s);
// Rows of the answer, in the order of the state.
void drive_columns_end(const cosserat *c, const step_columns *s, int own, int n_levels);
// While inputs are changed, motors and valves stay where the stage left them.
void drive_columns_fix(const step_columns *s, bool fixed);
