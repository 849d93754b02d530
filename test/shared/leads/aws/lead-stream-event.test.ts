import { expect, test } from 'vitest';
import { leadItemKey } from '../../../../shared/leads/aws/lead-item.ts';
import { dueLeadsIn } from '../../../../shared/leads/aws/lead-stream-event.ts';
import { isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

const FUNNEL_ID = '0f2b0c52-58bb-4b54-a6a5-0e1f8f6e2a01';
const ADA = { funnelId: FUNNEL_ID, leadId: '5605f1b8-1344-4d52-a453-f9827ca2230f' };
const BOB = { funnelId: FUNNEL_ID, leadId: 'b64ce30e-2f43-4b7c-9a0c-6f2f9e6f1c11' };

const record = (key: typeof ADA, dueAtMs: number) => {
  const { pk, sk } = leadItemKey(key);
  const keys = { pk: { S: pk }, sk: { S: sk } };
  return {
    eventName: 'MODIFY',
    dynamodb: { Keys: keys, NewImage: { ...keys, dueShard: { S: 'outbox#1' }, dueAt: { S: isoAt(dueAtMs) } } },
  };
};

test('dueLeadsIn returns each due lead once, and no lead that is due later', () => {
  const event = { Records: [record(ADA, NOON), record(BOB, NOON + 1), record(ADA, NOON - 1_000)] };
  expect(dueLeadsIn(event, NOON)).toEqual([ADA]);
  expect(dueLeadsIn(event, NOON + 1)).toEqual([ADA, BOB]);
  expect(dueLeadsIn(event, NOON - 2_000)).toEqual([]);
});

test('dueLeadsIn returns undefined for another event or none, and throws for malformed records', () => {
  expect(dueLeadsIn({ source: 'aws.events', 'detail-type': 'Scheduled Event' }, NOON)).toBeUndefined();
  expect(dueLeadsIn(undefined, NOON)).toBeUndefined();
  expect(() => dueLeadsIn({ Records: [{ dynamodb: { Keys: {} } }] }, NOON)).toThrow();
});
