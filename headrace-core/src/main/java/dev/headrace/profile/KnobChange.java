package dev.headrace.profile;

/** One decision of the engine about a number it may turn. */
public record KnobChange(
    long atNs, String operator, String knob, int before, int after, String why) {}
