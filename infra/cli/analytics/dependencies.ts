import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
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
import { type InTurn, inTurnBy, UNHEARD_MS_MAX } from '../../../shared/analytics/upkeep/turns.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { once } from '../../../shared/platform/once.ts';
import { UserError } from '../../local/friendly-error.ts';
import { withCleanUp } from '../terminal/interrupts.ts';
import type { Terminal } from '../terminal/terminal.ts';

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
  if ((await createDynamoFunnelRepository().find(funnelId)) === undefined)
    throw new UserError(`There is no funnel ${funnelId}.`);
}

export const setAsideStore = () => bucket('setAsideBucket');
export const redriveStores = (): RedrivePorts => ({ objects: bucket('setAsideBucket'), stream: kinesisEventStream() });

export const statusStores = (): StatusPorts => ({
  ...{ fresh: dynamoFreshFacts(), manifests: dynamoManifests(), erasures: dynamoErasures() },
  ...{ facts: bucket('factsBucket'), setAside: bucket('setAsideBucket'), lake: bucket('lakeBucket') },
});

export type Upkeep = RebuildPorts & ErasePorts;

/** An erasure of all files takes minutes. */
const TURN_WAIT_MS = 10 * 60_000;

/** Acquires the lease of what may not run beside an erasure. The first wait is announced; an interrupt releases it. */
export function turnsOf(command: string, { note, onInterrupt }: Pick<Terminal, 'note' | 'onInterrupt'>): InTurn {
  let isAnnounced = false;
  const onWait = (owner: string | undefined) => {
    if (!isAnnounced) note(waitText(owner, clock.now() + UNHEARD_MS_MAX));
    isAnnounced = true;
  };
  const owner = `${command} on ${hostname()}, process ${process.pid}, since ${new Date(clock.now()).toISOString()}`;
  return inTurnBy(systemTurns(), { waitMs: TURN_WAIT_MS, onWait, owner, onInterrupt });
}

function waitText(owner = 'another command', expiresAtMs: number): string {
  const expiresAt = new Date(expiresAtMs).toISOString().slice(11, 19);
  return [
    `Waiting: ${owner}, rewrites events, and only one command may do that at a time.`,
    `This one goes on when that one ends, or at ${expiresAt} UTC if it was killed; it waits for 10 minutes at most.`,
  ].join('\n');
}

/**
 * Gives the work its stores, and a folder for copies of files that is removed afterwards: they may hold erased data.
 *
 * @param command shown to other commands that wait for the same lease
 */
export async function withUpkeep<T>(
  command: string,
  terminal: Terminal,
  work: (ports: Upkeep) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-upkeep-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const ports = { ...upkeepIn(folder), inTurn: turnsOf(command, terminal) };
    return await withCleanUp(terminal.onInterrupt, removeFolder, () => work(ports));
  } finally {
    await removeFolder();
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
    files: duckdbFactReader(reader, { folder: join(folder, 'facts'), log: { recordMetric: () => undefined } }),
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
