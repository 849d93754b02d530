import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { afterAll, expect, test } from 'vitest';
import { DUCKDB } from '../../../infra/lake-views/sql-dialect.ts';
import { createSandboxedDuckDb } from '../../../shared/analytics/facts/duckdb/duckdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'local-time-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HOUR_MS = 3_600_000;
/** A time on every fifth day of 2026 and 2027, at changing hours. */
const TIMES = Array.from({ length: 146 }, (_, at) => Date.UTC(2026, 0) + at * 5 * 24 * HOUR_MS + (at % 24) * HOUR_MS);

test('in every time zone, local times in SQL equal the local times that Luxon computes', async () => {
  await createSandboxedDuckDb(folder)(async (connection) => {
    await connection.run(`CREATE TEMP TABLE times AS SELECT epoch_ms(unnest([${TIMES.join(', ')}])) AS utc`);
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const sql = `SELECT epoch_ms(${DUCKDB.local('utc', timeZone)})::DOUBLE FROM temp.times`;
      const [shown] = (await connection.runAndReadAll(sql)).getColumns();
      const expected = TIMES.map((ms) => ms + 60_000 * DateTime.fromMillis(ms, { zone: timeZone }).offset);
      expect(shown, timeZone).toEqual(expected);
    }
  });
}, 120_000);
