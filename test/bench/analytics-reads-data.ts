import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createSandboxedDuckDb } from '../../shared/analytics/facts/duckdb/duckdb.ts';
import { createDuckDbFactReader } from '../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { writeFactParquet } from '../../shared/analytics/facts/duckdb/write-fact-parquet.ts';
import type { Fact } from '../../shared/analytics/facts/fact.ts';
import { decodeFacts, encodeFacts } from '../../shared/analytics/facts/fact-codec.ts';
import type { FactFile } from '../../shared/analytics/facts/fact-files.ts';
import { EMPTY_MANIFEST, type ListedFile } from '../../shared/analytics/facts/manifest.ts';
import type { FactFileStore } from '../../shared/analytics/facts/ports.ts';
import type { SnapshotPorts } from '../../shared/analytics/queries/snapshot.ts';
import { asNewProcess } from '../support/analytics/analytics.ts';
import { ignoredMetrics } from '../support/platform/ignored-metrics.ts';

// Funnels of generated sessions. The code of the product writes their files.

export const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';
const END_MS = Date.UTC(2026, 5, 1);
const DAYS = 90;
export const DAY_MS = 86_400_000;
export const RANGE = { since: END_MS - DAYS * DAY_MS, untilMs: END_MS, timeZone: 'Europe/Berlin' };
const FILE_SESSIONS_MAX = 500_000;
const FRESH_ITEM_FACTS = 50;

/** `dirty` is the number of dirty sessions. Every fifth dirty session is not in the base. */
export type Size = { sessions: number; dirty: number };

/** Macros that a connection needs to run the SQL below. */
export const MACROS = `
  CREATE OR REPLACE TEMP MACRO chance(i, salt) AS (hash(i, salt) % 1000003) / 1000003.0;
  CREATE OR REPLACE TEMP MACRO pick(i, salt, n) AS (chance(i, salt) * chance(i, salt + 1) * n)::BIGINT;`;

/**
 * Returns SQL that generates the sessions with the numbers from `from` to `to - 1`. Their keys are in range number
 * `part` of `parts` equal ranges of keys.
 */
function sessionsSql({ from, to, part, parts }: { from: number; to: number; part: number; parts: number }): string {
  const width = 2n ** 64n / BigInt(parts);
  return `SELECT i,
      ((hash(i) % ${width}::HUGEINT) + ${width * BigInt(part)}::HUGEINT - 9223372036854775808::HUGEINT)::BIGINT
        AS session_key,
      ${END_MS} - 1 - (chance(i, 1) * ${DAYS * DAY_MS - 2})::BIGINT AS first_time_ms,
      first_time_ms - (chance(i, 2) * 3)::BIGINT AS client_time_ms,
      CASE WHEN chance(i, 3) < 0.7 THEN 0 END::BIGINT AS step_index,
      CASE WHEN chance(i, 4) < 0.6 THEN 'direct' ELSE 'site-' || pick(i, 5, 300) || '.example' END AS referrer,
      ['', 'search', 'newsletter', 'social'][1 + pick(i, 7, 3)] AS utm_source,
      ['', 'cpc', 'mail'][1 + pick(i, 9, 2)] AS utm_medium,
      CASE WHEN utm_source = '' THEN '' ELSE 'campaign ' || pick(i, 11, 60) END AS utm_campaign,
      CASE WHEN utm_source = 'search' THEN 'term ' || pick(i, 13, 300) ELSE '' END AS utm_term,
      CASE WHEN utm_source = 'social' THEN 'advert ' || pick(i, 15, 20) ELSE '' END AS utm_content,
      ['mobile', 'desktop', 'tablet'][1 + pick(i, 17, 2)] AS device_type,
      ['chrome', 'safari', 'firefox', 'edge'][1 + pick(i, 19, 3)] AS browser,
      ['ios', 'android', 'windows', 'macos'][1 + pick(i, 21, 3)] AS os,
      chance(i, 23) < 0.6 AS started, chance(i, 23) < 0.15 AS completed
    FROM range(${from}, ${to}) numbers(i)`;
}

/** Returns SQL that generates the merged facts of all sessions, with the number `i` of each session. */
export function allSessionsSql(sessions: number): string {
  return stretches(sessions).map(sessionsSql).join(' UNION ALL ');
}

function stretches(sessions: number) {
  const parts = Math.ceil(sessions / FILE_SESSIONS_MAX);
  const each = Math.ceil(sessions / parts);
  return Array.from({ length: parts }, (_, part) => {
    return { from: part * each, to: Math.min(sessions, (part + 1) * each), part, parts };
  });
}

export const folderObjects = (folder: string): Pick<FactFileStore, 'get' | 'put'> => ({
  get: (name) => readFile(join(folder, name)),
  put: async (name, bytes) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  },
});

/** A generated funnel. `saveFunnel` stores it as JSON for another process. */
export type Funnel = { folder: string; files: readonly ListedFile[]; fresh: readonly { ref: string; bytes: string }[] };

/**
 * Generates a funnel with base files. Half of the dirty sessions have facts in a level 1 file. The other half have
 * fresh facts.
 */
export async function makeFunnel(folder: string, { sessions, dirty }: Size): Promise<Funnel> {
  const every = sessions / dirty;
  const fileStore = folderObjects(join(folder, 'objects'));
  const drafts = join(folder, 'drafts');
  const store = (connection: DuckDBConnection, rows: string) =>
    writeFactParquet({ fileStore, folder: drafts }, connection, { funnelId: FUNNEL, rows, completeUntilMs: 0 });
  return createSandboxedDuckDb(drafts)(async (connection) => {
    await connection.run(MACROS);
    const files: ListedFile[] = [];
    for (const stretch of stretches(sessions)) {
      const settled = `i % ${every} <> 0`;
      const rows = `SELECT * EXCLUDE (i) REPLACE (started AND ${settled} AS started, completed AND ${settled} AS completed)
                    FROM (${sessionsSql(stretch)}) WHERE i % ${5 * every} <> 0`;
      files.push({ ...(await store(connection, rows)), level: 'base' });
    }
    const half = (rest: number) =>
      `SELECT * EXCLUDE (i) FROM (${allSessionsSql(sessions)}) WHERE i % ${every} = 0 AND (i // ${every}) % 2 = ${rest}`;
    files.push({ ...(await store(connection, half(0))), level: '1' });
    const fresh = await createDuckDbFactReader(fileStore, ignoredMetrics, { folder: drafts }).read([
      await store(connection, half(1)),
    ]);
    return { folder, files, fresh: freshItems(fresh) };
  });
}

function freshItems(facts: readonly Fact[]): Funnel['fresh'] {
  const items = [];
  for (let at = 0; at < facts.length; at += FRESH_ITEM_FACTS) {
    const bytes = Buffer.from(encodeFacts(facts.slice(at, at + FRESH_ITEM_FACTS))).toString('base64');
    items.push({ ref: `fresh#${at}`, bytes });
  }
  return items;
}

/** Writes all sessions of the funnel to one merged base file, and returns its path. */
export async function makeMergedFile({ folder }: Funnel, sessions: number): Promise<string> {
  const path = join(folder, 'merged');
  let merged: FactFile | undefined;
  await createSandboxedDuckDb(path)(async (connection) => {
    await connection.run(MACROS);
    const rows = `SELECT * EXCLUDE (i) FROM (${allSessionsSql(sessions)})`;
    merged = await writeFactParquet({ fileStore: folderObjects(path), folder: path }, connection, {
      funnelId: FUNNEL,
      rows,
      completeUntilMs: 0,
    });
  });
  if (merged === undefined) throw new Error('There are no sessions to merge.');
  return join(path, merged.name);
}

export async function saveFunnel(funnel: Funnel): Promise<string> {
  const path = join(funnel.folder, 'funnel.json');
  await writeFile(
    path,
    JSON.stringify(funnel, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
  return path;
}

export const loadFunnel = (path: string): Funnel =>
  JSON.parse(readFileSync(path, 'utf8'), (_, value) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );

/**
 * Creates ports as in a new process: no results are cached, but local copies of files from earlier reads still exist.
 */
export function portsOf({ folder, files, fresh }: Funnel): SnapshotPorts {
  const items = fresh.map(({ ref, bytes }) => ({
    ref,
    get facts() {
      return decodeFacts(Buffer.from(bytes, 'base64'));
    },
  }));
  const manifest = { ...EMPTY_MANIFEST, version: 1, files };
  return asNewProcess({
    fresh: { read: async () => items },
    manifests: { read: async () => manifest },
    factReader: createDuckDbFactReader(folderObjects(join(folder, 'objects')), ignoredMetrics, {
      folder: join(folder, 'copies'),
    }),
  });
}
