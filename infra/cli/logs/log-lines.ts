import { styleText } from 'node:util';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { printableLine } from '../terminal/printable.ts';

/** A line of the gateway about a request (`formatAccessLogLine`). */
export type RequestLine = {
  kind: 'request';
  at: Date;
  /** The HTTP status, or `aborted`. */
  status: string;
  method: string;
  path: string;
  duration: string;
  /** Id of the operation; `-` if the request matches no operation. */
  operation: string;
  requestId: string;
  /** The rest of the line, for example `x-warning: …`; may be empty. */
  rest: string;
};

export type FunctionLine = {
  kind: 'function';
  level: string;
  message: string;
  function: string;
  requestId: string | undefined;
  error: z.infer<typeof LoggedError> | undefined;
  /** All other fields. */
  fields: Readonly<Record<string, unknown>>;
};

/** A metric that a function has recorded, in CloudWatch's embedded metric format. */
export type MetricLine = {
  kind: 'metric';
  function: string;
  requestId: string | undefined;
  values: Readonly<Record<string, unknown>>;
};

/** Any other line, for example one that a function has printed with `console.log`, or a line of a stack trace. */
export type TextLine = { kind: 'text'; text: string; requestId?: undefined };

export type LogLine = RequestLine | FunctionLine | MetricLine | TextLine;

const REQUEST = /^(\d{4}-\S+Z) (\d{3}|aborted) (\S+) (\S+) (\d+ ms) (\S+) (\S+)(?: (.*))?$/;

const LoggedError = z.object({ name: z.string(), message: z.string(), stack: z.optional(z.string()) });
const LoggedLine = z.looseObject({
  level: z.string(),
  message: z.string(),
  function: z.optional(z.string()),
  requestId: z.optional(z.string()),
  error: z.optional(z.union([LoggedError, z.string()])),
});
const LoggedMetric = z.looseObject({
  function: z.optional(z.string()),
  requestId: z.optional(z.string()),
  _aws: z.object({
    CloudWatchMetrics: z.array(z.object({ Metrics: z.array(z.object({ Name: z.string() })) })),
  }),
});

export const parseLogLine = (line: string): LogLine => parseKnownLine(line) ?? { kind: 'text', text: line };

function parseKnownLine(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return parseRequest(line);
  const parsed = tryParseJson(line);
  const logged = LoggedLine.safeParse(parsed);
  if (logged.success) {
    const { level, message, function: id = '-', requestId, error, ...fields } = logged.data;
    const known = typeof error === 'string' ? { name: error, message: '' } : error;
    return { kind: 'function', level, message, function: id, requestId, error: known, fields };
  }
  const metric = LoggedMetric.safeParse(parsed);
  if (!metric.success) return undefined;
  const names = metric.data._aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
  const values = Object.fromEntries(names.map((name) => [name, metric.data[name]]));
  return { kind: 'metric', function: metric.data.function ?? '-', requestId: metric.data.requestId, values };
}

function parseRequest(line: string): RequestLine | undefined {
  const [, at = '', status = '', method = '', path = '', duration = '', operation = '', requestId = '', rest = ''] =
    REQUEST.exec(line) ?? [];
  if (at === '') return undefined;
  return { kind: 'request', at: new Date(at), status, method, path, duration, operation, requestId, rest };
}

const OPERATION_WIDTH = 24;

export function formatRequest({ at, status, method, path, duration, operation, requestId, rest }: RequestLine): string {
  const time = at.toLocaleTimeString('en-GB');
  const what = printableLine(operation === '-' ? `${method} ${path}` : operation);
  const parts = [time, colored(status.padEnd(7)), duration.padStart(9), what.padEnd(OPERATION_WIDTH), requestId, rest];
  return parts.join('  ').trimEnd();
}

/** If stdout is a terminal, colours a 5xx status red and a 4xx status yellow. */
function colored(status: string): string {
  if (status.startsWith('5')) return styleText('red', status);
  return status.startsWith('4') ? styleText('yellow', status) : status;
}

export function formatFunctionLine({ level, message, function: id, error, fields }: FunctionLine): string {
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const cause = error === undefined ? [] : [`${error.name}: ${error.message}`];
  return printableLine(`  ${level.padEnd(6)} ${id}: ${[message, ...cause, ...shown].join('  ')}`);
}

export const formatMetric = ({ function: id, values }: MetricLine): string =>
  printableLine(
    `  metric ${id}: ${Object.entries(values)
      .map(([name, value]) => `${name}=${textOf(value)}`)
      .join('  ')}`,
  );

export const formatText = ({ text }: TextLine): string => printableLine(`  ${text}`);

/** Formats the stack trace of a logged error, without its first lines, which repeat the message. */
export const formatStack = ({ error }: FunctionLine): string[] =>
  (error?.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => printableLine(`  ${line}`));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
