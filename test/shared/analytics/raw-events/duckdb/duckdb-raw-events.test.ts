import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createParquetEventWriter } from '../../../../../infra/local/firehose/write-parquet.ts';
import type { EventRow } from '../../../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../../../shared/analytics/events/session-key.ts';
import { FactInputRow } from '../../../../../shared/analytics/facts/reduce-events-to-facts.ts';
import {
  createDuckDbRawEventStore,
  replacementKey,
} from '../../../../../shared/analytics/raw-events/duckdb/duckdb-raw-events.ts';
import { aStoredEvent, someStoredEvent } from '../../../../support/analytics/lake.ts';
import { FUNNEL } from '../../../../support/analytics/memory-stores.ts';
import { heldLease } from '../../../../support/platform/lease.ts';
import { collect, createMemoryObjectStore } from '../../../../support/platform/memory-object-store.ts';

const root = mkdtempSync(join(tmpdir(), 'raw-events-'));
afterAll(() => rmSync(root, { recursive: true }));

const objects = createMemoryObjectStore();
const writer = createParquetEventWriter(objects, { folder: join(root, 'drafts') });
const raw = createDuckDbRawEventStore(objects, join(root, 'copies'));
const OTHER = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a02';

const write = (events: readonly EventRow[]) => writer.write('2026-05-31', events);
const eventsIn = async (key: string, funnelId: string) =>
  (await raw.open(key, (file) => collect(file.events(funnelId))))?.flat();
const keyOf = (row: EventRow) => sessionKey(row.funnel_id, row.session_id);
const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

test('the raw events of a funnel are read as they were written, and no local copy is left', async () => {
  const rows = fc.array(someStoredEvent, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(rows, async (written) => {
      const key = await write(written);
      const [{ funnel_id: funnel }] = written as [EventRow];
      const expected = written.filter(({ funnel_id }) => funnel_id === funnel).map((row) => FactInputRow.parse(row));
      expect(sorted((await eventsIn(key, funnel)) ?? [])).toEqual(sorted(expected));
    }),
    { numRuns: 30 },
  );
  expect(readdirSync(join(root, 'copies'))).toEqual([]);
});

test('a removal of sessions replaces a raw event file by a new file with the rows of the other sessions', async () => {
  const erased = aStoredEvent({ session_id: 'a' });
  const others = [aStoredEvent({ session_id: 'b' }), aStoredEvent({ session_id: 'a', funnel_id: OTHER })];
  const key = await write([...others, erased, erased]);
  const sessions = new Map([
    [FUNNEL, [keyOf(erased)]],
    [OTHER, [1n]],
  ]);
  expect(await raw.open(key, (file) => file.countRows(sessions))).toBe(2);
  await raw.removeSessions(key, sessions, heldLease);
  expect(objects.stored.has(key)).toBe(false);
  const beside = replacementKey(key);
  expect(beside).toMatch(/^events\/arrival_date=2026-05-31\/[0-9A-HJKMNP-TV-Z]{26}\.parquet$/);
  const timed = 'events/arrival_date=2026-05-31/01ARZ3NDEK'.length;
  expect(beside.slice(0, timed)).toBe(key.slice(0, timed));
  const left = [...((await eventsIn(beside, FUNNEL)) ?? []), ...((await eventsIn(beside, OTHER)) ?? [])];
  expect(left.map(({ session_id }) => session_id)).toEqual(['b', 'a']);
});

test('if a removal crashes before the old file is deleted, repeating the removal leaves no duplicate rows', async () => {
  const [a, b] = [aStoredEvent({ session_id: 'a' }), aStoredEvent({ session_id: 'b' })];
  const key = await write([a, b]);
  const before = objects.stored.size;
  const dies = { ...objects, deleteAllVersions: () => Promise.reject(new Error('killed')) };
  const sessions = new Map([[FUNNEL, [keyOf(a)]]]);
  await expect(
    createDuckDbRawEventStore(dies, join(root, 'copies')).removeSessions(key, sessions, heldLease),
  ).rejects.toThrow('killed');
  await raw.removeSessions(key, sessions, heldLease);
  expect(objects.stored.size).toBe(before);
  expect(await eventsIn(replacementKey(key), FUNNEL)).toHaveLength(1);
});

test('a raw event file without remaining rows is deleted and has no replacement', async () => {
  const a = aStoredEvent({ session_id: 'a' });
  const key = await write([a]);
  await raw.removeSessions(key, new Map([[FUNNEL, [keyOf(a)]]]), heldLease);
  expect(objects.stored.has(key)).toBe(false);
  expect(objects.stored.has(replacementKey(key))).toBe(false);
});

test('findSessionsMentioning searches every free-text column of one funnel for a lead id, in any letter case', async () => {
  const lead = '3f1d7a55-0a7c-4a4e-9c53-6b0c4d3a9e11';
  const naming = [
    aStoredEvent({ session_id: 'payload', payload: `{"lead":{"id":"${lead.toUpperCase()}"}}` }),
    aStoredEvent({ session_id: 'page', page_url: `https://shop.example/?lead_id=${lead}` }),
    aStoredEvent({ session_id: 'referrer', referrer_url: `https://shop.example/?lead_id=${lead}` }),
    aStoredEvent({ session_id: 'step', step_id: lead }),
    aStoredEvent({ session_id: lead }),
  ];
  const others = [aStoredEvent({ session_id: 'other' }), aStoredEvent({ funnel_id: OTHER, payload: `"${lead}"` })];
  const key = await write([...naming, ...others]);
  const found = await raw.open(key, (file) => file.findSessionsMentioning(FUNNEL, [lead]));
  expect(new Set(found)).toEqual(new Set(naming.map(keyOf)));
});

test('reading a missing raw event file returns undefined; reading a file that is damaged or has an invalid row throws', async () => {
  const look = (key: string) => eventsIn(key, FUNNEL);
  expect(await look('events/arrival_date=2026-05-31/none.parquet')).toBeUndefined();
  await raw.removeSessions('events/arrival_date=2026-05-31/none.parquet', new Map(), heldLease);
  objects.stored.set('events/arrival_date=2026-05-31/x.parquet', Buffer.from('PAR1 nothing'));
  await expect(look('events/arrival_date=2026-05-31/x.parquet')).rejects.toThrow();
  const key = await write([aStoredEvent({ device_type: 'toaster' as 'mobile' })]);
  await expect(look(key)).rejects.toThrow(
    `The raw event file ${key} in the lake bucket is damaged: a row has an invalid `,
  );
});

test('a removal of raw events writes and deletes nothing after the lease is lost', async () => {
  const [a, b] = [aStoredEvent({ session_id: 'a' }), aStoredEvent({ session_id: 'b' })];
  const sessions = new Map([[FUNNEL, [keyOf(a)]]]);
  for (const lostAt of [0, 1]) {
    const key = await write([a, b]);
    let checks = 0;
    const confirm = async () => {
      if (checks++ === lostAt) throw new Error('lost');
    };
    await expect(raw.removeSessions(key, sessions, { assertHeld: confirm })).rejects.toThrow('lost');
    expect([lostAt, objects.stored.has(key), objects.stored.has(replacementKey(key))]).toEqual([
      lostAt,
      true,
      lostAt === 1,
    ]);
  }
});
