import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { kinesisEventStream } from '../../../shared/analytics/events/kinesis-event-stream.ts';
import { duckdbFactReader } from '../../../shared/analytics/facts/duckdb-fact-reader.ts';
import { duckdbFactWriter } from '../../../shared/analytics/facts/duckdb-fact-writer.ts';
import { dynamoErasures } from '../../../shared/analytics/facts/dynamo-erasures.ts';
import { dynamoFreshFacts } from '../../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { PARQUET_TYPE } from '../../../shared/analytics/facts/fact-files.ts';
import { duckdbFactStaging } from '../../../shared/analytics/upkeep/duckdb-fact-staging.ts';
import { duckdbRawEvents } from '../../../shared/analytics/upkeep/duckdb-raw-events.ts';
import type { ErasePorts } from '../../../shared/analytics/upkeep/erase.ts';
import { holdsAny, parquetCopies } from '../../../shared/analytics/upkeep/parquet-copies.ts';
import type { RebuildPorts } from '../../../shared/analytics/upkeep/rebuild.ts';
import type { RedrivePorts } from '../../../shared/analytics/upkeep/redrive.ts';
import { s3OldVersions } from '../../../shared/analytics/upkeep/s3-old-versions.ts';
import { s3StoredObjects } from '../../../shared/analytics/upkeep/s3-stored-objects.ts';
import type { StatusPorts } from '../../../shared/analytics/upkeep/status.ts';
import { systemTurns } from '../../../shared/analytics/upkeep/system-turns.ts';
import { type InTurn, inTurnBy } from '../../../shared/analytics/upkeep/turns.ts';
import { dynamoFunnels } from '../../../shared/directory/dynamo-funnels.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { once } from '../../../shared/platform/once.ts';
import { FriendlyError } from '../../local/friendly-error.ts';
import type { Terminal } from '../terminal.ts';

/** Time for files of 128 MB over an office's line. */
const patientS3 = once(
  () =>
    new S3Client({
      maxAttempts: 5,
      requestHandler: {
        ...{ connectionTimeout: 3_000, requestTimeout: 300_000, throwOnRequestTimeout: true },
        // The request's time ends with the head of the answer, an object's bytes come after it.
        socketTimeout: 60_000,
      },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
);

/** Of each DuckDB: a rebuild runs three, beside a file's facts in JavaScript. What one can not hold it moves to a folder. */
const SIZE = { threads: 1, memoryMb: 128 };

const bucket = (name: Parameters<typeof s3StoredObjects>[0]) => s3StoredObjects(name, patientS3);

/** @throws FriendlyError when there is no such funnel */
export async function knownFunnel(funnelId: string): Promise<void> {
  if ((await dynamoFunnels().find(funnelId)) === undefined) throw new FriendlyError(`There is no funnel ${funnelId}.`);
}

export const setAsideStore = () => bucket('setAsideBucket');
export const redriveStores = (): RedrivePorts => ({ objects: bucket('setAsideBucket'), stream: kinesisEventStream() });

export const statusStores = (): StatusPorts => ({
  ...{ fresh: dynamoFreshFacts(), manifests: dynamoManifests(), erasures: dynamoErasures() },
  ...{ facts: bucket('factsBucket'), setAside: bucket('setAsideBucket'), lake: bucket('lakeBucket') },
});

export type Upkeep = RebuildPorts & ErasePorts;

/** An erasure of all files takes minutes; whoever waits longer looks what is wrong. */
const TURN_WAIT_MS = 10 * 60_000;

/** What may not run beside an erasure runs by itself; the person is told once that it waits. */
export function turnsOf({ note }: Pick<Terminal, 'note'>): InTurn {
  let told = false;
  const onWait = () => {
    if (!told) note('Another erasure, or a command that may not run beside one, is under way: waiting for its end.');
    told = true;
  };
  return inTurnBy(systemTurns(), { waitMs: TURN_WAIT_MS, onWait });
}

/**
 * Gives the work its stores, with a folder for copies of files that is gone afterwards: what they held may be erased.
 *
 * @param terminal where it is told that the work waits for its turn
 */
export async function withUpkeep<T>(terminal: Terminal, work: (ports: Upkeep) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-upkeep-'));
  try {
    return await work({ ...upkeepIn(folder), inTurn: turnsOf(terminal) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function upkeepIn(folder: string): Omit<Upkeep, 'inTurn'> {
  const [objects, lake] = [bucket('factsBucket'), bucket('lakeBucket')];
  const reader = { get: async (key: string) => (await objects.get(key)) ?? missing(key) };
  const storer = { put: (key: string, bytes: Uint8Array) => objects.put(key, bytes, PARQUET_TYPE) };
  const copies = parquetCopies(objects, join(folder, 'unlisted'));
  const stores = {
    ...{ manifests: dynamoManifests(), erasures: dynamoErasures(), fresh: dynamoFreshFacts(), objects, clock },
    oldVersions: s3OldVersions('factsBucket', patientS3),
    // A failure is told by the command itself, not by a metric.
    files: duckdbFactReader(reader, { folder: join(folder, 'facts'), log: { count: () => undefined } }),
    writer: duckdbFactWriter(storer, { folder: join(folder, 'drafts'), size: SIZE }),
    holdsAny: (key: string, keys: readonly bigint[]) => holdsAny(copies, key, keys),
  };
  const raw = duckdbRawEvents(lake, join(folder, 'raw'));
  return {
    ...stores,
    ...{ facts: stores, raw, lake, setAside: bucket('setAsideBucket') },
    staging: duckdbFactStaging(reader, folder, SIZE),
  };
}

const missing = (key: string): never => {
  throw new Error(`The fact file ${key} is missing.`);
};
