import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { duckdbWithin, text } from '../facts/duckdb.ts';
import { sha256 } from '../facts/fact-cache.ts';
import { type FactObjectReader, factObjectKey } from '../facts/fact-files.ts';
import { FACT_COLUMN_LIST, FACT_SELECT, FACT_TABLE_COLUMNS, factsOf, fillTable } from '../facts/fact-rows.ts';
import type { FactStaging, Side, StagedFact, WithStaging } from './fact-staging.ts';

/** A table of DuckDB, which moves to a folder of /tmp what memory does not hold. */
export function duckdbFactStaging(objects: FactObjectReader, parent = tmpdir()): WithStaging {
  return async (work) => {
    const folder = await mkdtemp(join(parent, 'rebuild-'));
    try {
      return await duckdbWithin(folder)(async (connection) => {
        const columns = FACT_TABLE_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ');
        await connection.run(`CREATE TEMP TABLE staged (side VARCHAR, ${columns})`);
        return work(staging(connection, folder, objects));
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

const staging = (connection: DuckDBConnection, folder: string, objects: FactObjectReader): FactStaging => {
  const insert = (side: Side, from: string) =>
    connection.run(`INSERT INTO temp.staged SELECT ${text(side)}, ${FACT_COLUMN_LIST} FROM ${from}`);
  return {
    add: async (side, facts) => {
      await fillTable(connection, 'added', FACT_TABLE_COLUMNS, facts);
      await insert(side, 'temp.added');
      await connection.run('DROP TABLE temp.added');
    },
    addFile: async (side, file) => {
      const bytes = await objects.get(factObjectKey(file));
      if (sha256(bytes) !== file.sha256) throw new Error(`The fact file ${file.name} is damaged.`);
      const path = join(folder, 'file.parquet');
      await writeFile(path, bytes);
      await insert(side, `read_parquet(${text(path)})`);
      await rm(path);
    },
    sessions: () => sessions(connection),
  };
};

async function* sessions(connection: DuckDBConnection): AsyncGenerator<StagedFact[]> {
  const rows = await connection.stream(`SELECT side, ${FACT_SELECT} FROM temp.staged ORDER BY session_key`);
  let session: StagedFact[] = [];
  for (let chunk = await rows.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await rows.fetchChunk()) {
    const [sides = [], ...columns] = chunk.getColumns();
    for (const [at, fact] of factsOf(columns).entries()) {
      if (session[0] !== undefined && session[0].fact.sessionKey !== fact.sessionKey) {
        yield session;
        session = [];
      }
      session.push({ side: sides[at] as Side, fact });
    }
  }
  if (session.length > 0) yield session;
}
