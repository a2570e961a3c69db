package dev.headrace.runtime;

/** What a stage has counted so far. */
record StageCounters(
    String kind,
    int buffered,
    int highestBuffered,
    int capacity,
    int workers,
    int targetWorkers,
    long workElements,
    long workNs,
    double cpuShare,
    long waits,
    long waitNs,
    long handedOver) {}
