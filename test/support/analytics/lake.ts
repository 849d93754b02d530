import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { LakeFileMissingError, type LakeObjects } from '../../../infra/cli/query/lake-files.ts';
import { runQuery } from '../../../infra/cli/query/program.ts';
import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { EVENTS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../../../shared/platform/device.ts';
import { MAY_31 } from './analytics.ts';
import { createMemoryManifests } from './memory-manifests.ts';

export const aStoredEvent = (overrides: Partial<EventRow> = {}): EventRow => ({
  event_id: randomUUID(),
  organization_id: '0d3c1f52-7a84-4f0e-9a35-1c0d8c6b2f10',
  funnel_id: '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01',
  session_id: 'session-1',
  received_ms: MAY_31 + 500,
  time_ms: MAY_31,
  client_time_ms: overrides.time_ms ?? MAY_31,
  kind: 'view',
  step_id: '',
  step_index: null,
  page_url: 'https://shop.example/',
  referrer_url: '',
  referrer: 'direct',
  language: 'de-DE',
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
  version: null,
  device_type: 'desktop',
  browser: 'chrome',
  os: 'linux',
  bot: false,
  payload: '',
  ...overrides,
});

/** Any text that ingest accepts: whole code points of every kind, including NUL and quotes. */
const someText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', "o'hara", '"; --', '\0', 'a\0b', '😀', '！', 'x'.repeat(2_048), '{"type":"view"}'),
);
const someTime = fc.oneof(fc.integer({ min: 0, max: 253_402_300_799_999 }), fc.constant(MAY_31));
const someInteger = fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));

/** Any event that the stream can contain. */
export const someStoredEvent: fc.Arbitrary<EventRow> = fc.record({
  event_id: fc.uuid(),
  organization_id: fc.uuid(),
  funnel_id: fc.uuid(),
  session_id: someText,
  received_ms: someTime,
  time_ms: someTime,
  client_time_ms: someTime,
  kind: someText,
  step_id: someText,
  step_index: someInteger,
  page_url: someText,
  referrer_url: someText,
  referrer: someText,
  language: someText,
  utm_source: someText,
  utm_medium: someText,
  utm_campaign: someText,
  utm_term: someText,
  utm_content: someText,
  version: someInteger,
  device_type: fc.constantFrom(...DEVICE_TYPES),
  browser: fc.constantFrom(...BROWSERS),
  os: fc.constantFrom(...OPERATING_SYSTEMS),
  bot: fc.boolean(),
  payload: someText,
});

/** An in-memory lake with the ports of the query command. */
export function memoryLake() {
  const stored = new Map<string, Uint8Array>();
  const gets: string[] = [];
  async function* listed(prefix: string) {
    for (const [key, bytes] of stored) if (key.startsWith(prefix)) yield { key, bytes: bytes.length };
  }
  const objects: LakeObjects & { put(key: string, bytes: Uint8Array): Promise<void> } = {
    put: async (key, bytes) => void stored.set(key, bytes),
    events: () => listed(EVENTS_PREFIX),
    get: async (key) => {
      gets.push(key);
      const bytes = stored.get(key);
      if (bytes === undefined) throw new LakeFileMissingError(`The file ${key} is missing.`);
      return bytes;
    },
  };
  const erased: { funnelId: string; sessionKey: bigint; sinceMs: number }[] = [];
  return {
    stored,
    gets,
    objects,
    erased,
    erasures: { listAllSessions: async () => erased },
    manifests: createMemoryManifests(),
  };
}

export type MemoryLake = ReturnType<typeof memoryLake>;

/** Runs `npm run query` in this process, over an in-memory lake. Copies of files are stored in the folder. */
export async function runOn({ objects, manifests, erasures }: MemoryLake, folder: string, ...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    columns: undefined,
    write: async (text: string) => void out.push(text),
    note: (line: string) => void err.push(`${line}\n`),
  };
  const connect = async () => ({ indexDelayMs: 0 });
  const code = await runQuery([...args, '--state', folder], { terminal, connect, objects, manifests, erasures });
  return { code, out: out.join(''), err: err.join(''), writes: out.length };
}

export async function ask(lake: MemoryLake, folder: string, sql: string, timeZone = 'UTC') {
  const result = await runOn(lake, folder, sql, '--json', '--timezone', timeZone);
  if (result.code !== 0) throw new Error(result.err);
  return JSON.parse(result.out) as Record<string, unknown>[];
}
