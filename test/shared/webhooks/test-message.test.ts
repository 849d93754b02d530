import { expect, test } from 'vitest';
import { createTestMessage } from '../../../shared/webhooks/test-message.ts';

const options = { orgId: 'organization-1', endpointId: 'endpoint-1', nowMs: Date.UTC(2026, 10, 23, 18, 0, 0, 5) };

test('a test message has its type, its time, and the ids of the endpoint and the organization', () => {
  const { id, type, body } = createTestMessage(options);
  expect(id).toMatch(/^msg_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  expect(type).toBe('endpoint.test');
  expect(JSON.parse(body)).toEqual({
    type: 'endpoint.test',
    timestamp: '2026-11-23T18:00:00.005Z',
    data: { endpointId: 'endpoint-1', orgId: 'organization-1' },
  });
});

test('each test message has a different id', () => {
  expect(createTestMessage(options).id).not.toBe(createTestMessage(options).id);
});
