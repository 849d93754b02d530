import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import {
  createSandboxedDuckDb,
  type DuckDbLimits,
  sqlString,
} from '../../../../shared/analytics/facts/duckdb/duckdb.ts';
import { sha256 } from '../../../../shared/analytics/facts/duckdb/fact-file-cache.ts';
import {
  createTempTable,
  decodeFactRows,
  FACT_COLUMN_LIST,
  FACT_SELECT,
  FACT_TABLE_COLUMNS,
} from '../../../../shared/analytics/facts/duckdb/fact-rows.ts';
import type { FactFileStore } from '../../../../shared/analytics/facts/ports.ts';
import { type FactStaging, type Side, type StagedFact, UnreadableFileError, type WithStaging } from './fact-staging.ts';

/** Number of tables, each for a range of session keys. Keys are hashes, so the tables get about equally many facts. */
const TABLES = 32;
const KEYS_PER_TABLE = 2n ** 64n / BigInt(TABLES);
const FIRST_KEY = -(2n ** 63n);
/**
 * `add` collects this many facts before it distributes them to the tables. Without this batching, adding facts would
 * take 3 times as long.
 */
const PENDING_MAX = 30_000;
/**
 * Approximate maximum number of facts to sort at a time. DuckDB spills only a part of the facts that it sorts. If the
 * other part does not fit into memory, DuckDB fails.
 */
const SORTED_MAX = 15_000;

/**
 * Stages facts in tables of a DuckDB instance that spills to a temporary folder.
 *
 * @param parent the folder in which the temporary folder is created
 * @param size limits of the DuckDB instance
 */
export function createDuckDbFactStaging(
  fileStore: Pick<FactFileStore, 'get'>,
  parent = tmpdir(),
  size?: DuckDbLimits,
): WithStaging {
  return async (work) => {
    const folder = await mkdtemp(join(parent, 'rebuild-'));
    try {
      const withConnection = createSandboxedDuckDb(folder, { ...size, spill: join(folder, 'spilled') });
      return await withConnection(async (connection) => {
        const columns = FACT_TABLE_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ');
        for (const table of ['pending', ...keyTables().map((one) => one.table)])
          await connection.run(`CREATE TEMP TABLE ${table} (side VARCHAR, ${columns})`);
        return work(staging(connection, folder, fileStore));
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

type KeyTable = { table: string; from: bigint };

const keyTables = (): KeyTable[] =>
  Array.from({ length: TABLES }, (_, at) => ({ table: `staged_${at}`, from: FIRST_KEY + BigInt(at) * KEYS_PER_TABLE }));

/**
 * The bounds are strings, because DuckDB cannot parse the number -2^63, the smallest key. It parses the digits without
 * the sign, and 2^63 exceeds BIGINT.
 */
const within = (from: bigint, keys: bigint): string =>
  `session_key BETWEEN '${from}'::BIGINT AND '${from + keys - 1n}'::BIGINT`;

const staging = (connection: DuckDBConnection, folder: string, fileStore: Pick<FactFileStore, 'get'>): FactStaging => {
  const insert = async (rows: string) => {
    for (const { table, from } of keyTables())
      await connection.run(`INSERT INTO temp.${table} FROM ${rows} WHERE ${within(from, KEYS_PER_TABLE)}`);
  };
  let pending = 0;
  const flush = async () => {
    pending = 0;
    await insert('temp.pending');
    await connection.run('TRUNCATE temp.pending');
  };
  const sideRows = (side: Side, from: string) =>
    `(SELECT ${sqlString(side)} AS side, ${FACT_COLUMN_LIST} FROM ${from})`;
  return {
    add: async (side, facts) => {
      await createTempTable(connection, 'added', FACT_TABLE_COLUMNS, facts);
      await connection.run(`INSERT INTO temp.pending FROM ${sideRows(side, 'temp.added')}; DROP TABLE temp.added`);
      pending += facts.length;
      if (pending >= PENDING_MAX) await flush();
    },
    addFile: async (side, file) => {
      const bytes = await fileStore.get(file.name);
      if (sha256(bytes) !== file.sha256)
        throw new UnreadableFileError(
          `The fact file ${file.name} is damaged: restore an old version of it in the facts bucket.`,
        );
      const path = join(folder, 'file.parquet');
      await writeFile(path, bytes);
      await insert(sideRows(side, `read_parquet(${sqlString(path)})`));
      await rm(path);
    },
    sessions: async function* () {
      await flush();
      for (const keyTable of keyTables()) yield* sessionsOf(connection, keyTable);
    },
  };
};

/** Yields the sessions of a table in the order of their keys. Reads and sorts one part of the key range at a time. */
async function* sessionsOf(connection: DuckDBConnection, { table, from }: KeyTable): AsyncGenerator<StagedFact[]> {
  const [[count] = []] = (await connection.runAndReadAll(`SELECT count(*) FROM temp.${table}`)).getRows();
  const parts = BigInt(Math.max(1, Math.ceil(Number(count) / SORTED_MAX)));
  const keys = KEYS_PER_TABLE / parts;
  for (let part = 0n; part < parts; part++) {
    const first = from + part * keys;
    const isLast = part === parts - 1n;
    yield* sortedSessions(connection, `${table} WHERE ${within(first, isLast ? from + KEYS_PER_TABLE - first : keys)}`);
  }
}

async function* sortedSessions(connection: DuckDBConnection, from: string): AsyncGenerator<StagedFact[]> {
  const rows = await connection.stream(`SELECT side, ${FACT_SELECT} FROM temp.${from} ORDER BY session_key`);
  let session: StagedFact[] = [];
  for (let chunk = await rows.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await rows.fetchChunk()) {
    const [sides = [], ...columns] = chunk.getColumns();
    for (const [at, fact] of decodeFactRows(columns).entries()) {
      if (session[0] !== undefined && session[0].fact.sessionKey !== fact.sessionKey) {
        yield session;
        session = [];
      }
      session.push({ side: sides[at] as Side, fact });
    }
  }
  if (session.length > 0) yield session;
}
