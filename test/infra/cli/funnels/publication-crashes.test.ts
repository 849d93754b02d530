import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFunnel } from '../../../../infra/cli/funnels/funnel-lifecycle.ts';
import { applyPublication, planDefinition, planStoredVersion } from '../../../../infra/cli/funnels/publication.ts';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoUploadBlockRepository } from '../../../../shared/funnels/aws/dynamo-upload-block-repository.ts';
import { aFunnelDefinition } from '../../../support/cli/funnel-definition.ts';
import { aCrashingFunnelRepository, aFunnelRepository } from '../../../support/cli/funnel-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const photo = { id: 'photo', type: 'file', uploadBlock: 'Photo' } as const;
const FIRST = aFunnelDefinition({ fields: [photo], uploadBlocks: [{ name: 'Photo' }] });
const SECOND = aFunnelDefinition({
  name: 'Cakes and bread',
  fields: [photo, { id: 'plan', type: 'file', uploadBlock: 'Plan' }],
  uploadBlocks: [{ name: 'Photo', maxBytes: 1_000 }, { name: 'Plan' }],
});

/**
 * Reads the funnel as the public routes do. Expects that its published version exists, with all blocks to which the
 * version refers.
 */
async function expectWhole(funnelId: string): Promise<string> {
  const funnels = createDynamoFunnelRepository();
  const funnel = await funnels.find(funnelId);
  const version = funnel && (await funnels.findVersion(funnel));
  for (const { blockId } of version?.fields ?? []) {
    expect(await createDynamoUploadBlockRepository().find(funnel?.orgId ?? '', blockId ?? '')).toMatchObject({
      funnelId,
    });
  }
  expect(version?.id).toBe(funnel?.publishedVersionId);
  return version?.fields.length === 2 ? 'second' : 'first';
}

async function writesOf(
  work: (funnels: ReturnType<typeof aCrashingFunnelRepository>['funnels']) => Promise<unknown>,
): Promise<number> {
  const { funnels, writes } = aCrashingFunnelRepository(Number.POSITIVE_INFINITY, 'before');
  await work(funnels);
  return writes();
}

test.each(['before', 'after'] as const)(
  'if a publication crashes %s one of its writes, the published version is complete, and a retry succeeds',
  async (when) => {
    const world = aFunnelRepository();
    const { id } = await world.aFunnel(FIRST);
    const count = await writesOf(async (funnels) =>
      applyPublication({ funnels, clock: world.clock }, await planDefinition(funnels, id, SECOND)),
    );
    expect(count).toBe(9);
    const outcomes = new Set<string>();
    for (let dieAt = 0; dieAt < count; dieAt++) {
      const funnel = await world.aFunnel(FIRST);
      const { funnels } = aCrashingFunnelRepository(dieAt, when);
      const work = planDefinition(funnels, funnel.id, SECOND).then((plan) =>
        applyPublication({ funnels, clock: world.clock }, plan),
      );
      await expect(work).rejects.toThrow('killed');
      outcomes.add(await expectWhole(funnel.id));
      await world.publish(funnel.id, SECOND);
      expect(await expectWhole(funnel.id)).toBe('second');
      const versions = await world.funnels.versions(funnel.id);
      expect(versions).toHaveLength(2);
      expect(versions.every(({ publishedAt }) => publishedAt !== undefined)).toBe(true);
      const [photoBlock] = (await planDefinition(world.funnels, funnel.id, SECOND)).blocks;
      expect(await world.funnels.block(funnel.orgId, photoBlock?.id ?? '')).toMatchObject({ bytesMax: 1_000 });
    }
    expect(outcomes).toEqual(new Set(['first', 'second']));
  },
);

test.each(['before', 'after'] as const)(
  'if a publication crashes %s one of its writes, the new version is both published and usable, or neither',
  async (when) => {
    const world = aFunnelRepository();
    const outcomes = new Set<boolean>();
    for (let dieAt = 0; dieAt < 9; dieAt++) {
      const { id, versionIds } = await world.aFunnel(FIRST);
      const { funnels } = aCrashingFunnelRepository(dieAt, when);
      const { version, ...plan } = await planDefinition(world.funnels, id, SECOND);
      await expect(applyPublication({ funnels, clock: world.clock }, { version, ...plan })).rejects.toThrow('killed');
      const wasPublished = (await world.funnels.find(id))?.publishedVersionId === version.id;
      await world.publish(id, aFunnelDefinition({ name: 'Third' }));
      const [publicFunnels, funnel] = [createDynamoFunnelRepository(), { id, publishedVersionId: null }];
      expect(await publicFunnels.findVersion(funnel, versionIds[0])).toBeDefined();
      expect((await publicFunnels.findVersion(funnel, version.id)) !== undefined).toBe(wasPublished);
      outcomes.add(wasPublished);
    }
    expect(outcomes).toEqual(new Set([false, true]));
  },
);

test.each(['before', 'after'] as const)(
  'if a rollback crashes %s one of its writes, the published version is complete, and a retry succeeds',
  async (when) => {
    const world = aFunnelRepository();
    for (let dieAt = 0; dieAt < 4; dieAt++) {
      const { id, versionIds } = await world.aFunnel(FIRST, SECOND);
      const { funnels } = aCrashingFunnelRepository(dieAt, when);
      const rollBack = async (by: typeof funnels) =>
        applyPublication({ funnels: by, clock: world.clock }, await planStoredVersion(by, id, versionIds[0] ?? ''));
      await expect(rollBack(funnels)).rejects.toThrow('killed');
      await expectWhole(id);
      await rollBack(world.funnels);
      expect(await expectWhole(id)).toBe('first');
    }
  },
);

test.each(['before', 'after'] as const)(
  'if the creation of a funnel crashes %s one of its writes, the funnel is complete or does not exist',
  async (when) => {
    const world = aFunnelRepository();
    for (let dieAt = 0; dieAt < 3; dieAt++) {
      const { funnels } = aCrashingFunnelRepository(dieAt, when);
      const [orgId, id] = [randomUUID(), randomUUID()];
      const ids = { ...world.ids, uuid: () => id };
      await expect(createFunnel({ funnels, clock: world.clock, ids }, orgId, FIRST)).rejects.toThrow('killed');
      const made = await world.funnels.find(id);
      expect(made?.publishedVersionId ?? null).toBeNull();
      if (made !== undefined) expect(await world.funnels.draft(id)).toEqual(FIRST);
    }
  },
);
