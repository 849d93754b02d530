/** Structured logs: one JSON line each, without personal data (no bodies, addresses, tokens or query values). */
export type Log = {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, cause: unknown, fields?: Record<string, unknown>): void;
  /** Adds to a CloudWatch metric of the service (embedded metric format). */
  count(metric: string, value?: number): void;
};

type Sink = (line: string) => void;

const toStdout: Sink = (line) => process.stdout.write(`${line}\n`);

/** @param context fields that stand on every line, for example the operation and the request id */
export function jsonLog(context: Record<string, unknown>, write: Sink = toStdout): Log {
  const line = (level: string, message: string, fields: Record<string, unknown> = {}) =>
    write(JSON.stringify({ level, message, ...context, ...fields }));
  return {
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, cause, fields) => line('error', message, { ...fields, error: describe(cause) }),
    count: (metric, value = 1) =>
      write(
        JSON.stringify({
          _aws: {
            Timestamp: Date.now(),
            CloudWatchMetrics: [
              { Namespace: 'Tributary', Dimensions: [[]], Metrics: [{ Name: metric, Unit: 'Count' }] },
            ],
          },
          [metric]: value,
          ...context,
        }),
      ),
  };
}

function describe(cause: unknown, depth = 0): unknown {
  if (!(cause instanceof Error)) return typeof cause;
  const inner = cause.cause === undefined || depth >= 4 ? {} : { cause: describe(cause.cause, depth + 1) };
  return { name: cause.name, message: cause.message, stack: cause.stack, ...inner };
}
