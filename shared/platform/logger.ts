import { Metrics } from '@aws-lambda-powertools/metrics';
import { $ZodError, type $ZodIssue } from 'zod/v4/core';
import './zod-english-messages.ts';

/** Structured logs: one JSON line each, without personal data (no bodies, addresses, tokens or query values). */
export type Logger = {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, cause: unknown, fields?: Record<string, unknown>): void;
  /**
   * Adds to a CloudWatch metric of the service and this function. It is written at once, a line a metric: what waited for
   * the end of an invocation would go with a function that dies or is frozen before.
   *
   * @param unit of the value; a count by default
   */
  recordMetric(metric: string, value?: number, unit?: 'Count' | 'Seconds'): void;
};

/** The log of what is done for a request: its id is on every line, whoever does it. */
export type LoggerForRequest = (requestId: string) => Logger;

type Sink = (line: string) => void;

const toStdout: Sink = (line) => process.stdout.write(`${line}\n`);

/** @param context fields that stand on every line: the function, which is a dimension of its metrics, and the request's id */
export function createJsonLogger(context: Record<string, unknown>, write: Sink = toStdout): Logger {
  const line = (level: string, message: string, fields: Record<string, unknown> = {}) =>
    write(JSON.stringify({ level, message, ...context, ...fields }));
  return {
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, cause, fields) => line('error', message, { ...fields, error: describe(cause) }),
    recordMetric: (metric, value = 1, unit = 'Count') =>
      write(JSON.stringify({ ...context, ...metricsOf(context).addMetric(metric, unit, value).serializeMetrics() })),
  };
}

/** Made anew for each, because nothing of one may stand on another's line. The environment names the service. */
const metricsOf = ({ function: id }: Record<string, unknown>) =>
  // Two sets: the service as a whole, which alarms watch, and its functions.
  new Metrics({ namespace: 'Tributary' }).addDimensions({}).addDimensions({ function: `${id}` });

function describe(cause: unknown, depth = 0): unknown {
  if (!(cause instanceof Error)) return typeof cause;
  const { name, stack } = cause;
  const message = withoutValues(cause);
  return {
    name,
    message,
    stack: stack?.replace(cause.message, () => message),
    cause: cause.cause && depth < 4 ? describe(cause.cause, depth + 1) : undefined,
  };
}

/** The engine's own errors, which quote what is no JSON, a header's value, an argument. */
const ENGINE: ReadonlySet<string> = new Set(['SyntaxError', 'TypeError', 'RangeError']);

/** What an error says, without the data that it is about: that may be anybody's. */
function withoutValues(cause: Error): string {
  if (cause instanceof $ZodError) return cause.issues.map(issueText).join('; ');
  if (!ENGINE.has(cause.name)) return cause.message;
  return cause.message.replace(/".*"/s, '"…"').replace(/(?<=Received ).*|(?<=convert ).*(?= to a BigInt)/s, '…');
}

const issueText = ({ path, code, message }: $ZodIssue): string =>
  `${path.join('.')}: ${code === 'unrecognized_keys' ? 'has unknown properties' : message}`;
