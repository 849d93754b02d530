import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { createRewriteLeasePorts } from '../../../shared/analytics/erasure/aws/rewrite-lease.ts';
import { createDynamoFreshFactRepository } from '../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestRepository } from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createDynamoTombstoneRepository } from '../../../shared/analytics/facts/aws/dynamo-tombstones.ts';
import { createDuckDbFactReader } from '../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { factObjectKey, PARQUET_TYPE } from '../../../shared/analytics/facts/fact-files.ts';
import { createKinesisEventStreamWriter } from '../../../shared/analytics/ingest/aws/kinesis-event-stream.ts';
import { createDuckDbRawEventStore } from '../../../shared/analytics/raw-events/duckdb/duckdb-raw-events.ts';
import {
  containsAnySession,
  createParquetDownloader,
} from '../../../shared/analytics/raw-events/duckdb/parquet-downloader.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createS3NoncurrentVersions } from '../../../shared/platform/aws/s3-noncurrent-versions.ts';
import { createS3ObjectStore } from '../../../shared/platform/aws/s3-object-store.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { createWithLease, LEASE_TTL_MS, type WithLease } from '../../../shared/platform/lease.ts';
import { once } from '../../../shared/platform/once.ts';
import { UserError } from '../../common/user-error.ts';
import { withCleanUp } from '../terminal/interrupts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { RedrivePorts } from './dead-letters/redrive-dead-letters.ts';
import type { EraseSessionsPorts } from './erasure/erase-sessions.ts';
import type { AnalyticsStatusPorts } from './read-analytics-status.ts';
import { createDuckDbFactStaging } from './rebuild/duckdb-fact-staging.ts';
import { UnreadableFileError } from './rebuild/fact-staging.ts';
import type { RebuildPorts } from './rebuild/rebuild-facts.ts';

/** An S3 client whose timeouts are long enough for files of 128 MB over a slow connection. */
const patientS3 = once(
  () =>
    new S3Client({
      maxAttempts: 5,
      requestHandler: {
        connectionTimeout: 3_000,
        requestTimeout: 300_000,
        throwOnRequestTimeout: true,
        // `requestTimeout` covers only the time until the response headers. `socketTimeout` aborts a body that stalls.
        socketTimeout: 60_000,
      },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
);

/**
 * Limits of the DuckDB instances that write fact files and stage facts. The limits are low, because a rebuild also
 * needs memory for the DuckDB instance that reads raw events, and for the facts of one file.
 */
const SIZE = { threads: 1, memoryMb: 128 };

const bucket = (name: Parameters<typeof createS3ObjectStore>[0]) => createS3ObjectStore(name, patientS3);

/** @throws UserError if there is no such funnel */
export async function requireFunnel(funnelId: string): Promise<void> {
  if ((await createDynamoFunnelRepository().find(funnelId)) === undefined)
    throw new UserError(`There is no funnel ${funnelId}: see "funnels list".`);
}

export const deadLetterStore = () => bucket('deadLettersBucket');
export const redriveStores = (): RedrivePorts => ({
  objects: bucket('deadLettersBucket'),
  stream: createKinesisEventStreamWriter(),
});

export const statusStores = (): AnalyticsStatusPorts => ({
  fresh: createDynamoFreshFactRepository(),
  manifests: createDynamoManifestRepository(),
  tombstones: createDynamoTombstoneRepository(),
  facts: bucket('factsBucket'),
  deadLetters: bucket('deadLettersBucket'),
  lake: bucket('lakeBucket'),
});

export type MaintenancePorts = RebuildPorts & EraseSessionsPorts;

/** Maximum wait for the lease. A command that rewrites files can hold the lease for minutes. */
const LEASE_WAIT_MS = 10 * 60_000;

/**
 * Creates a `WithLease` for the lease that every erasure needs. While a command holds the lease, no erasure runs. The
 * `WithLease` prints a note before its first wait, and releases the lease if the user interrupts the command.
 */
export function createLeaseFor(
  command: string,
  { note, onInterrupt }: Pick<Terminal, 'note' | 'onInterrupt'>,
): WithLease {
  let isAnnounced = false;
  const onWait = (owner: string | undefined) => {
    if (!isAnnounced) note(waitText(owner, clock.now() + LEASE_TTL_MS));
    isAnnounced = true;
  };
  const owner = `${command} on ${hostname()}, process ${process.pid}, since ${new Date(clock.now()).toISOString()}`;
  return createWithLease(createRewriteLeasePorts(), { waitMs: LEASE_WAIT_MS, onWait, owner, onInterrupt });
}

function waitText(owner = 'another command', expiresAtMs: number): string {
  const expiresAt = new Date(expiresAtMs).toISOString().slice(11, 19);
  return [
    `Waiting for ${owner}: only one process at a time can change events or read all events.`,
    `This command continues when that process ends, or at ${expiresAt} UTC if that process was killed.`,
    'After 10 minutes of waiting, this command fails.',
  ].join('\n');
}

/**
 * Runs `work` with the ports of erasures and rebuilds. Stores copies of files in a temporary folder. Removes the folder
 * at the end, also after an error or an interrupt, because the copies may hold erased data.
 *
 * @param command the name of this command, which other commands show while they wait for the lease
 */
export async function withMaintenancePorts<T>(
  command: string,
  terminal: Terminal,
  work: (ports: MaintenancePorts) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-upkeep-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const ports = { ...createMaintenancePorts(folder), withLease: createLeaseFor(command, terminal) };
    return await withCleanUp(terminal.onInterrupt, removeFolder, () => work(ports));
  } finally {
    await removeFolder();
  }
}

function createMaintenancePorts(folder: string): Omit<MaintenancePorts, 'withLease'> {
  const [objects, lake] = [bucket('factsBucket'), bucket('lakeBucket')];
  const fileStore = {
    get: async (name: string) => (await objects.get(factObjectKey({ name }))) ?? missing(name),
    put: (name: string, bytes: Uint8Array) => objects.put(factObjectKey({ name }), bytes, PARQUET_TYPE),
  };
  const copies = createParquetDownloader(objects, join(folder, 'unlisted'));
  const stores = {
    manifests: createDynamoManifestRepository(),
    tombstones: createDynamoTombstoneRepository(),
    fresh: createDynamoFreshFactRepository(),
    objects,
    clock,
    oldVersions: createS3NoncurrentVersions('factsBucket', patientS3),
    // Records no metric, because the command reports failures itself.
    factReader: createDuckDbFactReader(fileStore, { recordMetric: () => undefined }, { folder: join(folder, 'facts') }),
    writer: createDuckDbFactWriter(fileStore, { folder: join(folder, 'drafts'), size: SIZE }),
    containsAnySession: (key: string, keys: readonly bigint[]) => containsAnySession(copies, key, keys),
  };
  const raw = createDuckDbRawEventStore(lake, join(folder, 'raw'));
  return {
    ...stores,
    facts: stores,
    raw,
    lake,
    deadLetters: bucket('deadLettersBucket'),
    staging: createDuckDbFactStaging(fileStore, folder, SIZE),
  };
}

const missing = (name: string): never => {
  throw new UnreadableFileError(`The fact file ${name} is missing: restore an old version of it in the facts bucket.`);
};
