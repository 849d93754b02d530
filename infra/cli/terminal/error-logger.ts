import type { Logger } from '../../../shared/platform/logger.ts';

const ignore = () => undefined;

/** A logger that passes on errors only: a command reports everything else itself. */
export const createErrorLogger = (error: Logger['error']): Logger => ({
  info: ignore,
  warn: ignore,
  recordMetric: ignore,
  error,
});
