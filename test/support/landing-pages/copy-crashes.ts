import { expect } from 'vitest';
import { HttpError } from '../../../shared/http/errors.ts';
import { createAwsPageDeleter } from '../../../shared/landing-pages/aws/aws-page-deleter.ts';
import { createDynamoAssetReferenceRepository } from '../../../shared/landing-pages/aws/dynamo-asset-reference-repository.ts';
import { createDynamoPageWriteIntentRepository } from '../../../shared/landing-pages/aws/dynamo-page-write-intent-repository.ts';
import {
  createDynamoPageTombstoneRepository,
  createDynamoPageWriter,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import type { CopyPagePorts } from '../../../shared/landing-pages/copy-page.ts';
import { type PageWriteSweepPorts, sweepPageWrites } from '../../../shared/landing-pages/sweep-page-writes.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { aBlock, aPage, itemsOf, pagesOf, setUpCopy, storedPage } from './pages.ts';

export type CopyWorld = Awaited<ReturnType<typeof aWorld>>;

/** Stores a page with two blocks, which refer to each other, and three assets with their files. */
export async function aWorld() {
  const world = await setUpCopy();
  const { home, files } = world;
  const source = await storedPage(
    aPage(home.orgId, {
      assets: 3,
      blocks: ({ assets }) => {
        const [one, two] = [aBlock({}, 0), aBlock({}, 1)];
        return [
          { ...one, body: JSON.stringify({ next: two.id, image: `/assets/${assets[0]?.key}` }) },
          { ...two, body: JSON.stringify({ next: one.id }) },
        ];
      },
    }),
  );
  for (const { key } of source.assets) files.objects.set(key, 'bytes');
  return { ...world, source };
}

export function sweepPortsOf({ files, clock }: Pick<CopyWorld, 'files' | 'clock'>): PageWriteSweepPorts {
  return {
    intents: createDynamoPageWriteIntentRepository(),
    writes: createDynamoPageWriter(),
    tombstones: createDynamoPageTombstoneRepository(),
    assetReferences: createDynamoAssetReferenceRepository(),
    deleter: {
      ...createAwsPageDeleter(),
      deletePageAssets: async ({ orgId, pageId }, kept) => {
        for (const key of [...files.objects.keys()])
          if (key.startsWith(`${orgId}/${pageId}/`) && !kept.has(key)) files.objects.delete(key);
      },
      deleteAsset: async (key) => void files.objects.delete(key),
    },
    clock,
    log: createJsonLogger({}),
  };
}

/** A fault of an effect (one call of a port): the process is killed, or the call fails. */
export const FAULTS = ['killed before', 'killed after', 'rejected', 'response lost'] as const;
export type Fault = (typeof FAULTS)[number];

type Effect = (...given: never[]) => Promise<unknown>;

/** Wraps ports. Calls `happens` instead of the effect with the index `at`. `state.effects` counts the effects. */
export function faulty(
  ports: CopyPagePorts,
  at: number,
  happens: (perform: () => Promise<unknown>) => Promise<unknown>,
) {
  const state = { effects: 0, isDead: false };
  const failAfterCrash =
    <F extends Effect>(call: F) =>
    (...given: Parameters<F>): ReturnType<F> => {
      const perform = () => call(...given);
      const work = async () => {
        if (state.isDead) throw new Error('killed');
        return state.effects++ === at ? happens(perform) : perform();
      };
      return work() as ReturnType<F>;
    };
  const { writes, idempotencyRecords: records, tombstones, files } = ports;
  const wrapped: CopyPagePorts = {
    ...ports,
    writes: {
      putIntent: failAfterCrash(writes.putIntent),
      putParts: failAfterCrash(writes.putParts),
      commit: failAfterCrash(writes.commit),
      deleteIntent: failAfterCrash(writes.deleteIntent),
    },
    idempotencyRecords: {
      find: records.find,
      put: failAfterCrash(records.put),
      complete: failAfterCrash(records.complete),
    },
    tombstones: { getRecordState: tombstones.getRecordState, putTombstone: failAfterCrash(tombstones.putTombstone) },
    files: { copy: failAfterCrash(files.copy) },
  };
  return { ports: wrapped, state };
}

export function withFault(ports: CopyPagePorts, at: number, fault: Fault) {
  const made = faulty(ports, at, async (perform) => {
    if (fault !== 'killed before' && fault !== 'rejected') await perform();
    made.state.isDead = fault.startsWith('killed');
    throw made.state.isDead ? new Error('killed') : new HttpError(503, 'The table cannot be reached.');
  });
  return made;
}

/** Expects every committed page of the target organization to be complete. @returns the ids of these pages */
export async function expectCompletePages({ away, files }: CopyWorld): Promise<string[]> {
  const pages = await pagesOf(away.orgId);
  const ids = pages.filter((record) => !('tombstone' in record)).map(({ id }) => String(id));
  for (const id of ids) {
    const items = await itemsOf({ id, orgId: away.orgId });
    const assets = items.filter(({ sk }) => String(sk).startsWith('asset#'));
    expect(items.filter(({ sk }) => String(sk).startsWith('block#'))).toHaveLength(2);
    expect(assets).toHaveLength(3);
    for (const { key } of assets) expect(files.objects.has(String(key))).toBe(true);
  }
  return ids;
}

/** Sweeps 20 minutes later, and expects that only complete pages and tombstones are left. */
export async function expectNoLeftovers(world: CopyWorld): Promise<void> {
  world.clock.ms += 20 * 60_000;
  await sweepPageWrites(sweepPortsOf(world));
  const ids = await expectCompletePages(world);
  const records = await pagesOf(world.away.orgId);
  for (const { sk } of records) {
    const id = String(sk).slice('page#'.length);
    const items = await itemsOf({ id, orgId: world.away.orgId });
    expect(items).toHaveLength(ids.includes(id) ? 6 : 1);
    expect([...world.files.objects.keys()].filter((key) => key.includes(id))).toHaveLength(ids.includes(id) ? 3 : 0);
  }
  expect(world.files.objects.size).toBe(3 + 3 * ids.length);
}
