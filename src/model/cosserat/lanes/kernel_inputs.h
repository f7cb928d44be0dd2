// model/cosserat/lanes/kernel_inputs.h - what inputs give actuators, by numbers of the plan: actuator_given where
// nothing else is driven. Included after gpu.h, and where lanes.h has LANE_FUNCTION.

// given: number i at i * stride. What is not finite, or less than there can be, becomes NaN, and its robot misses its
// step.
LANE_FUNCTION void give_actuators(const lane_plan *plan, const gpu_number *numbers,
                                  const double *inputs, int n_inputs, double *given,
                                  size_t stride) {
    double odd = 0.0;  // or NaN
    for (int i = 0; i < n_inputs; i++) odd += 0.0 * inputs[i];
    for (int i = 0; i < plan->n_actuators; i++) {
        const plan_actuator *a = &plan->actuators[i];
        const gpu_number *law = numbers + a->law;
        const double asked =
            law[LAW_OFFSET] + (a->input >= 0 ? law[LAW_GAIN] * inputs[a->input] : 0.0);
        const double value = asked < law[LAW_LEAST] ? sqrt(-1.0) : asked;
        given[(size_t)plan->own[GIVEN_EFFORTS + i] * stride] =
            (value < law[LAW_LOW] ? law[LAW_LOW] : value) + odd;
    }
}
