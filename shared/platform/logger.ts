import { Metrics } from '@aws-lambda-powertools/metrics';
import { $ZodError, type $ZodIssue } from 'zod/v4/core';
import './zod-english-messages.ts';

/** Structured logs, one JSON object per line. Never log personal data: no bodies, addresses, tokens or query values. */
export type Logger = {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, cause: unknown, fields?: Record<string, unknown>): void;
  /**
   * Adds a value to a CloudWatch metric of the service and of this function. The value is written immediately, because
   * metrics that are written at the end of an invocation are lost when the function crashes or is frozen.
   */
  recordMetric(metric: string, value?: number, unit?: 'Count' | 'Seconds'): void;
};

/** Creates the logger of a request; the request id is on every line. */
export type LoggerForRequest = (requestId: string) => Logger;

type WriteLine = (line: string) => void;

const writeToStdout: WriteLine = (line) => process.stdout.write(`${line}\n`);

/** @param context fields of every line: `function`, which is also a dimension of the metrics, and the request id */
export function createJsonLogger(context: Record<string, unknown>, write: WriteLine = writeToStdout): Logger {
  const line = (level: string, message: string, fields: Record<string, unknown> = {}) =>
    write(JSON.stringify({ level, message, ...context, ...fields }));
  return {
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, cause, fields) => line('error', message, { ...fields, error: describe(cause) }),
    recordMetric: (metric, value = 1, unit = 'Count') => {
      const { _aws, ...fields } = createMetrics(context).addMetric(metric, unit, value).serializeMetrics();
      // From a line with `_aws`, CloudWatch creates a metric and bills it. A line without `_aws` is only a log line.
      write(JSON.stringify({ ...context, ...(!areMetricsDisabled() && { _aws }), ...fields }));
    },
  };
}

/**
 * Powertools reads this variable when Powertools writes a line. Here the logger writes the lines, so the logger must
 * read the variable.
 */
const areMetricsDisabled = (): boolean => process.env.POWERTOOLS_METRICS_DISABLED === 'true';

/**
 * Creates a `Metrics` instance for one line, so that a line has only one metric. The service name comes from the
 * environment.
 */
const createMetrics = ({ function: id }: Record<string, unknown>) =>
  // Two dimension sets: an empty one for the whole service, which alarms watch, and one with the function.
  new Metrics({ namespace: 'Tributary' }).addDimensions({}).addDimensions({ function: `${id}` });

function describe(cause: unknown, depth = 0): unknown {
  if (!(cause instanceof Error)) return typeof cause;
  const { name, stack } = cause;
  const message = redactMessage(cause);
  return {
    name,
    message,
    stack: stack?.replace(cause.message, () => message),
    cause: cause.cause && depth < 4 ? describe(cause.cause, depth + 1) : undefined,
  };
}

/** Errors of the JavaScript engine. Their messages quote invalid JSON, header values and arguments. */
const ENGINE_ERRORS: ReadonlySet<string> = new Set(['SyntaxError', 'TypeError', 'RangeError']);

/**
 * Removes values from the messages of Zod errors and of `ENGINE_ERRORS`, because the values can be personal data. Other
 * messages stay unchanged.
 */
function redactMessage(cause: Error): string {
  if (cause instanceof $ZodError) return cause.issues.map(redactIssue).join('; ');
  if (!ENGINE_ERRORS.has(cause.name)) return cause.message;
  return cause.message.replace(/".*"/s, '"…"').replace(/(?<=Received ).*|(?<=convert ).*(?= to a BigInt)/s, '…');
}

const redactIssue = ({ path, code, message }: $ZodIssue): string =>
  `${path.join('.')}: ${code === 'unrecognized_keys' ? 'has unknown properties' : message}`;
