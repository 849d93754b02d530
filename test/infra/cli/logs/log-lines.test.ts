import { expect, test } from 'vitest';
import {
  formatFunctionLine,
  formatMetric,
  formatRequest,
  formatStack,
  type LogLine,
  parseLogLine,
} from '../../../../infra/cli/logs/log-lines.ts';
import { formatAccessLogLine } from '../../../../infra/local/gateway/access-log.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';

function aLine<K extends LogLine['kind']>(text: string, kind: K): Extract<LogLine, { kind: K }> {
  const line = parseLogLine(text);
  if (line.kind !== kind) throw new Error(`Not a line of a ${kind}: ${text}`);
  return line as Extract<LogLine, { kind: K }>;
}

const AT = new Date(2026, 4, 31, 10, 0, 7);
const accessLine = (entry: Parameters<typeof formatAccessLogLine>[0], status: number | 'aborted', path = '/api/v2/x') =>
  formatAccessLogLine(entry, { at: AT, milliseconds: 12.4, method: 'POST', path, status });

test.each([
  [
    { requestId: 'abc=', operation: 'funnel/submit' },
    200,
    '10:00:07  200          12 ms  funnel/submit             abc=',
  ],
  [{ requestId: 'abc=' }, 404, '10:00:07  404          12 ms  POST /api/v2/x            abc='],
  [
    { requestId: 'abc=', operation: 'funnel/submit', warning: 'late' },
    'aborted',
    '10:00:07  aborted      12 ms  funnel/submit             abc=  x-warning: late',
  ],
] as const)('the gateway’s line of a request %j with the status %s is printed in columns', (entry, status, printed) => {
  expect(formatRequest(aLine(accessLine(entry, status), 'request'))).toBe(printed);
});

test('an escape character in the path of a request is not printed', () => {
  const printed = formatRequest(aLine(accessLine({ requestId: 'abc=' }, 404, '/\u001b[31m'), 'request'));
  expect(printed).not.toContain('\u001b');
});

function logged(write: (log: ReturnType<typeof createJsonLogger>) => void): string {
  const lines: string[] = [];
  write(createJsonLogger({ function: 'funnel/submit', requestId: 'abc=' }, (line) => lines.push(line)));
  return lines.join('\n');
}

test('a line of a function is printed with its fields, and its error with the lines of the stack trace', () => {
  const text = logged((log) => log.error('The request failed.', new Error('No table'), { status: 500 }));
  const line = aLine(text, 'function');
  expect(line.requestId).toBe('abc=');
  expect(formatFunctionLine(line)).toBe('  error  funnel/submit: The request failed.  Error: No table  status=500');
  expect(formatStack(line)[0]).toMatch(/^ {6}at .*log-lines\.test\.ts/);
});

test('a metric of a function is printed with its name and value', () => {
  const line = aLine(
    logged((log) => log.recordMetric('AiTokens', 7)),
    'metric',
  );
  expect([line.requestId, formatMetric(line)]).toEqual(['abc=', '  metric funnel/submit: AiTokens=7']);
});

test.each(['', '    at new Promise (<anonymous>)', '{', '{"level":1}', 'null', '2026-05-31T10:00:00.000Z 200 POST'])(
  'the log line %j is parsed as text, not as a request, a message of a function or a metric',
  (text) => {
    expect(parseLogLine(text)).toEqual({ kind: 'text', text });
  },
);
