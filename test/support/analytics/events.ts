import { randomUUID } from 'node:crypto';
import type { KinesisStreamEvent } from 'aws-lambda';
import { createHandler } from '../../../functions/funnel/ingest-analytics/handler.ts';
import { ingestAnalyticsOperation } from '../../../functions/funnel/ingest-analytics/operation.ts';
import type { EventStreamWriter } from '../../../shared/analytics/ingest/ports.ts';
import { createPartitionKey, type ReceivedRecord } from '../../../shared/analytics/ingest/stream-records.ts';
import { Funnel } from '../../../shared/funnels/funnel.ts';
import { caller } from '../http.ts';

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');

export const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
export const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** An event as a page sends it. */
export const anEvent = (said: Record<string, unknown> = {}): Record<string, unknown> => ({
  eventId: randomUUID(),
  sessionId: 'session-1',
  timestamp: new Date(NOW).toISOString(),
  payload: { type: 'view' },
  ...said,
});

/** Sets up a published funnel and the operation that ingests its events. `records` are the records on the stream. */
export function setUpIngest(said: { funnel?: Partial<Funnel>; stream?: EventStreamWriter } = {}) {
  const funnel = Funnel.parse({
    id: randomUUID(),
    orgId: randomUUID(),
    publishedVersionId: randomUUID(),
    ...said.funnel,
  });
  const records: Uint8Array[] = [];
  const clock = { ms: NOW, now: () => clock.ms };
  const handler = createHandler({
    funnels: { find: async (id) => (id === funnel.id ? funnel : undefined), findVersion: async () => undefined },
    stream: said.stream ?? { append: async (record) => void records.push(record) },
    clock,
  });
  const call = caller(ingestAnalyticsOperation, handler);
  const post = (body: unknown, headers: Record<string, string> = { 'user-agent': PHONE }) =>
    call({ path: { id: funnel.id }, body, headers });
  const send = (...events: unknown[]) => post({ events });
  return { funnel, records, clock, call, post, send, rows: () => rowsOf(records) };
}

export const linesOf = (records: readonly Uint8Array[]): string[] =>
  records.flatMap((record) => Buffer.from(record).toString().split('\n').slice(0, -1));

const rowsOf = (records: readonly Uint8Array[]): Record<string, unknown>[] =>
  linesOf(records).map((line) => JSON.parse(line));

export const aRecord = (data: Uint8Array | string, number: number): ReceivedRecord => ({
  shard: 'shardId-000000000000',
  sequenceNumber: String(number).padStart(20, '0'),
  data: Buffer.from(data),
});

/** The event with which Kinesis invokes a Lambda function. */
export const aStreamEvent = (records: readonly ReceivedRecord[]): KinesisStreamEvent => ({
  Records: records.map(({ shard, sequenceNumber, data }) => ({
    awsRegion: 'eu-central-1',
    eventID: `${shard}:${sequenceNumber}`,
    eventName: 'aws:kinesis:record',
    eventSource: 'aws:kinesis',
    eventSourceARN: 'arn:aws:kinesis:eu-central-1:000000000000:stream/events',
    eventVersion: '1.0',
    invokeIdentityArn: 'arn:aws:iam::000000000000:role/test',
    kinesis: {
      approximateArrivalTimestamp: NOW / 1000,
      data: Buffer.from(data).toString('base64'),
      kinesisSchemaVersion: '1.0',
      partitionKey: createPartitionKey('any'),
      sequenceNumber,
    },
  })),
});

export const DAY_MS = 86_400_000;
export const at = (ms: number) => new Date(ms).toISOString();
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const nested = (depth: number): unknown => (depth <= 1 ? {} : { a: nested(depth - 1) });
/** A payload of exactly this many bytes of JSON. */
export const payloadOf = (bytes: number) => ({ type: 'view', x: 'x'.repeat(bytes - '{"type":"view","x":""}'.length) });
