import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { duckdbWithin, text, type WithConnection } from './duckdb.ts';
import type { Fact } from './fact.ts';
import { sha256 } from './fact-cache.ts';
import { FACT_COLUMNS, FACT_PROPERTIES } from './fact-columns.ts';
import { type FactFile, type FactObjectWriter, type FactWriter, factObjectKey } from './fact-files.ts';
import { type Column, fillTable } from './fact-rows.ts';

/** Of 2 048 each, DuckDB's vectors. Small groups of rows let a range of days skip most of a file. */
const ROW_GROUP_ROWS = 15 * 2_048;
/** The longest that a function runs: an older draft is one that a crash left. */
const DRAFT_MS_MAX = 15 * 60_000;

/** Writes fact files as Parquet by DuckDB: first a draft in a folder of /tmp, then the object. */
export function duckdbFactWriter(
  objects: FactObjectWriter,
  { folder = join(tmpdir(), 'fact-drafts') } = {},
): FactWriter {
  const withConnection = duckdbWithin(folder);
  return {
    write: async (funnelId, facts) => {
      await tidy(folder);
      const name = ulid();
      const draft = join(folder, name);
      try {
        await writeParquet(withConnection, facts, draft);
        const bytes = await readFile(draft);
        const file = describe(`${funnelId}/${name}`, facts, bytes);
        await objects.put(factObjectKey(file), bytes);
        return file;
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

/** Removes the drafts that crashes left. */
async function tidy(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > DRAFT_MS_MAX) await rm(path, { recursive: true });
  }
}

const COLUMNS = FACT_PROPERTIES.map((property): Column<Fact> => {
  const { name, type } = FACT_COLUMNS[property];
  return {
    name,
    type,
    value: (fact) => {
      const value = fact[property];
      return typeof value === 'number' ? BigInt(value) : value;
    },
  };
});

const writeParquet = (withConnection: WithConnection, facts: readonly Fact[], path: string): Promise<void> =>
  withConnection(async (connection) => {
    await fillTable(connection, 'facts', COLUMNS, facts);
    await connection.run(
      `COPY (SELECT * FROM temp.facts ORDER BY first_time_ms, session_key) TO ${text(path)}
       (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`,
    );
  });

function describe(name: string, facts: readonly Fact[], bytes: Uint8Array): FactFile {
  const [first] = facts;
  if (first === undefined) throw new Error('A fact file needs at least one fact.');
  const file = { minTimeMs: first.timeMs, maxTimeMs: first.timeMs, minKey: first.sessionKey, maxKey: first.sessionKey };
  for (const { timeMs, sessionKey } of facts) {
    file.minTimeMs = Math.min(file.minTimeMs, timeMs);
    file.maxTimeMs = Math.max(file.maxTimeMs, timeMs);
    if (sessionKey < file.minKey) file.minKey = sessionKey;
    if (sessionKey > file.maxKey) file.maxKey = sessionKey;
  }
  return { name, sessions: facts.length, ...file, bytes: bytes.length, sha256: sha256(bytes) };
}
