import type { Logger } from '../../../shared/platform/logger.ts';

const ignore = () => undefined;

/** Creates a logger for errors only. Commands report everything else themselves. */
export const createErrorLogger = (error: Logger['error']): Logger => ({
  info: ignore,
  warn: ignore,
  recordMetric: ignore,
  error,
});
