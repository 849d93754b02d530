import { afterEach, expect, test, vi } from 'vitest';
import { createJsonLogger } from '../../../shared/platform/logger.ts';

afterEach(() => vi.unstubAllEnvs());

function lineOfMetric() {
  const lines: string[] = [];
  createJsonLogger({ function: 'funnel/submit', requestId: 'r-1' }, (line) => lines.push(line)).recordMetric('Sent', 2);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

test('a metric is one line in the embedded metric format, with the context', () => {
  expect(lineOfMetric()).toMatchObject({
    _aws: { CloudWatchMetrics: [{ Namespace: 'Tributary', Metrics: [{ Name: 'Sent', Unit: 'Count' }] }] },
    function: 'funnel/submit',
    requestId: 'r-1',
    Sent: 2,
  });
});

test('if metrics are disabled, the log line contains the value but creates no metric', () => {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'true');
  const line = lineOfMetric();
  expect(line).toMatchObject({ function: 'funnel/submit', requestId: 'r-1', Sent: 2 });
  expect(line).not.toHaveProperty('_aws');
});
