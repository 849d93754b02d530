import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { voiceWebhookOperation } from '../../../../functions/training/voice-webhook/operation.ts';
import { useGateway } from '../../../support/local/gateway.ts';

let calls = 0;
const declared = { ...voiceWebhookOperation, limits: { ...voiceWebhookOperation.limits, wafPerMinutePerIp: 2 } };
const handler = async () => {
  calls++;
  return { statusCode: 200, body: '{"received":true}' };
};
const origin = useGateway([{ declared, handler }]);
// The gateway counts in windows of a minute. The time stands still, so that no new window begins during the test.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

test('429: limits requests per minute and client address, except requests whose body is too large', async () => {
  const post = (bytes: number) => fetch(`${origin()}${declared.path}`, { method: 'POST', body: 'x'.repeat(bytes) });
  expect((await post(2)).status).toBe(200);
  expect((await post(declared.limits.bodyBytesMax)).status).toBe(200);
  const limited = await post(declared.limits.bodyBytesMax);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(calls).toBe(2);
  expect((await post(declared.limits.bodyBytesMax + 1)).status).toBe(200);
  expect(calls).toBe(3);
});
