/** A logger for tests that do not check metrics. */
export const ignoredMetrics = { recordMetric: () => undefined };
