import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  archiveFunnel,
  getDefinition,
  restoreFunnel,
  unpublishFunnel,
} from '../../../../infra/cli/funnels/funnel-lifecycle.ts';
import {
  applyPublication,
  getPreviousVersionId,
  planDefinition,
  planStoredVersion,
} from '../../../../infra/cli/funnels/publication.ts';
import { demoVersion } from '../../../../infra/local/seed/demo-funnel.ts';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { demoUploadBlock } from '../../../../infra/local/seed/seed-pages.ts';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { Funnel, FunnelVersion } from '../../../../shared/funnels/funnel.ts';
import { aFunnelDefinition, issuesIn } from '../../../support/cli/funnel-definition.ts';
import { aFunnelRepository } from '../../../support/cli/funnel-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const world = aFunnelRepository();
const { funnels, ports } = world;
const named = (name: string, said = {}) => aFunnelDefinition({ name, ...said });
const FILES = [named('One'), named('Two'), named('Three')] as const;

const published = async (funnelId: string) => (await funnels.find(funnelId))?.publishedVersionId;
const publishVersion = async (funnelId: string, versionId: string) =>
  applyPublication(ports, await planStoredVersion(funnels, funnelId, versionId));

test('a published version stays unchanged if another version is stored with the same id', async () => {
  const { id, versionIds } = await world.aFunnel(...FILES);
  const [first = ''] = versionIds;
  const version = await funnels.version(id, first);
  await funnels.addVersion(
    { ...FunnelVersion.parse(version), fields: [] },
    { file: named('Other'), blocks: [] },
    { at: 'x', previous: null },
  );
  expect(await funnels.version(id, first)).toEqual(version);
  expect(await getDefinition(funnels, id, first)).toEqual(FILES[0]);
});

test('a version has the steps of its file in their order, with their titles', async () => {
  const steps = [{ id: 'b', title: 'Begin' }, { id: 'a' }];
  const { id, versionIds } = await world.aFunnel(named('One', { steps }));
  expect(await funnels.version(id, versionIds[0] ?? '')).toMatchObject({ steps });
});

test('publishing the same file twice creates one version', async () => {
  const { id, versionIds } = await world.aFunnel(FILES[0], FILES[0], FILES[0]);
  expect(new Set(versionIds).size).toBe(1);
  expect(await funnels.versions(id)).toHaveLength(1);
});

test('of two concurrent publications of different files, one fails and changes neither the funnel nor its upload blocks', async () => {
  const block = (maxBytes: number) => ({ uploadBlocks: [{ name: 'P', maxBytes }] });
  const { id, orgId } = await world.aFunnel(named('One', block(100)));
  const plans = await Promise.all(
    [named('A', block(200)), named('B', block(300))].map((file) => planDefinition(funnels, id, file)),
  );
  const outcomes = await Promise.allSettled(plans.map((plan) => applyPublication(ports, plan)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const lost = outcomes.find((outcome) => outcome.status === 'rejected');
  expect(String(lost?.reason)).toMatch(/Another command changed the funnel at the same time: nothing was published/);
  const won = outcomes[0]?.status === 'fulfilled' ? plans[0] : plans[1];
  expect(await funnels.find(id)).toMatchObject({ publishedVersionId: won?.version.id, name: won?.settings.name });
  expect(await funnels.block(orgId, won?.blocks[0]?.id ?? '')).toEqual(won?.blocks[0]);
});

/** Whether the public routes accept the version id in a request of a page. */
const isAccepted = async (funnelId: string, versionId: string, publicFunnels = createDynamoFunnelRepository()) => {
  const funnel = await publicFunnels.find(funnelId);
  return funnel !== undefined && (await publicFunnels.findVersion(funnel, versionId)) !== undefined;
};

test('public routes reject a version whose publication failed, until the version is published', async () => {
  const { id, versionIds } = await world.aFunnel(FILES[0]);
  const [won, lost] = [await planDefinition(funnels, id, FILES[1]), await planDefinition(funnels, id, FILES[2])];
  const publicFunnels = createDynamoFunnelRepository();
  await applyPublication(ports, won);
  await expect(applyPublication(ports, lost)).rejects.toThrow('nothing was published');
  expect(await funnels.version(id, lost.version.id)).toEqual(lost.version);
  expect(await isAccepted(id, lost.version.id, publicFunnels)).toBe(false);
  await publishVersion(id, lost.version.id);
  await publishVersion(id, won.version.id);
  for (const versionId of [...versionIds, won.version.id, lost.version.id]) {
    expect(await isAccepted(id, versionId)).toBe(true);
  }
  // The version is accepted, although this repository has cached an earlier state of the funnel.
  expect(await isAccepted(id, lost.version.id, publicFunnels)).toBe(true);
});

test('two operators who publish the same file concurrently create one version, and both succeed', async () => {
  const { id } = await world.aFunnel(FILES[0]);
  const plans = await Promise.all([1, 2].map(() => planDefinition(funnels, id, FILES[1])));
  await Promise.all(plans.map((plan) => applyPublication(ports, plan)));
  expect(await published(id)).toBe(plans[0]?.version.id);
  expect(await funnels.versions(id)).toHaveLength(2);
});

test.each([
  ['unpublished', unpublishFunnel],
  ['archived', archiveFunnel],
])('a publication fails if another operator has %s the funnel after the plan was made', async (_, move) => {
  const { id, versionIds } = await world.aFunnel(FILES[0]);
  const plan = await planDefinition(funnels, id, FILES[1]);
  await move(ports, id);
  await expect(applyPublication(ports, plan)).rejects.toThrow(/Another command/);
  expect(await published(id)).toBe(versionIds[0]);
});

test('a new version records the published version as its previous version', async () => {
  const { id, versionIds } = await world.aFunnel(FILES[0], FILES[1]);
  expect(await getPreviousVersionId(funnels, id)).toBe(versionIds[0]);
  await publishVersion(id, versionIds[0] ?? '');
  const { version } = await world.publish(id, FILES[2]);
  // The second version was published before the third version, but a rollback replaced the second version.
  expect(await getPreviousVersionId(funnels, id)).toBe(versionIds[0]);
  await publishVersion(id, versionIds[1] ?? '');
  await publishVersion(id, version.id);
  expect(await published(id)).toBe(version.id);
  await publishVersion(id, versionIds[0] ?? '');
  await expect(getPreviousVersionId(funnels, id)).rejects.toThrow(
    'The version before the current version is not known',
  );
});

test('a rollback restores the settings and upload blocks of the earlier file', async () => {
  const settings = {
    allowedOrigins: ['https://a.example'],
    leadRetentionDays: 10,
    limits: { aiTokensPerDay: 5 },
    uploadBlocks: [{ name: 'P', maxBytes: 7 }],
  };
  const { id, orgId, versionIds } = await world.aFunnel(
    named('One', settings),
    named('Two', { uploadBlocks: [{ name: 'P' }] }),
  );
  const before = await funnels.find(id);
  expect(before).toMatchObject({ name: 'Two', allowedOrigins: [], limits: {} });
  expect(before).not.toHaveProperty('leadRetentionDays');
  await publishVersion(id, versionIds[0] ?? '');
  const { uploadBlocks, ...own } = settings;
  expect(await funnels.find(id)).toMatchObject({ name: 'One', ...own });
  const [block] = (await funnels.source(id, versionIds[0] ?? ''))?.blocks ?? [];
  expect(await funnels.block(orgId, block?.id ?? '')).toMatchObject({ bytesMax: 7 });
});

test('a publication that lengthens the retention period records the earlier period; no length is recorded twice', async () => {
  const kept = (leadRetentionDays?: number) =>
    named('One', leadRetentionDays === undefined ? {} : { leadRetentionDays });
  const { id } = await world.aFunnel(kept(30));
  const earlier = async () => (await funnels.find(id))?.earlierLeadRetention;
  const endOf = async () => (await funnels.find(id))?.publishedAt;
  await world.publish(id, kept(7));
  expect(await earlier()).toEqual([]);
  await world.publish(id, kept(30));
  expect(await earlier()).toEqual([{ days: 7, until: await endOf() }]);
  const seven = await earlier();
  await world.publish(id, kept());
  expect(await earlier()).toEqual([...(seven ?? []), { days: 30, until: await endOf() }]);
  await world.publish(id, kept(7));
  await world.publish(id, kept(30));
  expect((await earlier())?.map(({ days }) => days)).toEqual([30, 7]);
});

test('an upload block with the same id or name in the next file keeps its id; an omitted block is not deleted', async () => {
  const [name, other] = ['Photo', 'Picture'];
  const { id, orgId } = await world.aFunnel(named('1', { uploadBlocks: [{ name }] }));
  const blocksOf = async (...uploadBlocks: { id?: string; name: string }[]) =>
    (await world.publish(id, named('2', { uploadBlocks }))).blocks.map((block) => block.id);
  const [first = ''] = await blocksOf({ name });
  expect(await blocksOf({ name }, { name: other })).toEqual([first, expect.not.stringMatching(first)]);
  expect(await blocksOf({ id: first, name: 'Renamed' })).toEqual([first]);
  expect(await blocksOf({ name: 'Renamed' })).toEqual([first]);
  const [again] = await blocksOf({ name }, { name: 'Renamed' });
  expect(again).not.toBe(first);
  expect(await blocksOf()).toEqual([]);
  expect(await funnels.block(orgId, first)).toMatchObject({ id: first, funnelId: id, name: 'Renamed' });
});

test('the id of another funnel’s upload block is rejected before anything is written', async () => {
  const { orgId, id: other } = await world.aFunnel(FILES[0]);
  const [mine, page] = [randomUUID(), randomUUID()];
  await createDirectoryWriter().putUploadBlock(orgId, { id: mine, kind: 'upload', funnelId: other, bytesMax: 5 });
  const funnel = Funnel.parse({ id: randomUUID(), orgId, publishedVersionId: null });
  await funnels.add(funnel, FILES[0]);
  const plan = (blockId: string) =>
    planDefinition(funnels, funnel.id, named('X', { uploadBlocks: [{ id: blockId, name: 'P' }] }));
  await expect(plan(mine)).rejects.toThrow('uploadBlocks[0].id belongs to another funnel');
  const { version } = await plan(page);
  expect(await funnels.version(funnel.id, version.id)).toBeUndefined();
  expect(await funnels.block(orgId, mine)).toMatchObject({ funnelId: other });
});

test('the AI block has the same id in all versions, even if a version between them has no AI block', async () => {
  const ai = (systemPrompt: string) => named('1', { ai: { systemPrompt } });
  const { id, versionIds } = await world.aFunnel(ai('one'), FILES[0], ai('two'));
  const ids = await Promise.all(versionIds.map(async (versionId) => (await funnels.version(id, versionId))?.ai?.id));
  expect([ids[0], ids[1]]).toEqual([ids[2], undefined]);
});

test('if a version was created without a file, publishing its exported file creates an equal version', async () => {
  const version = { ...demoVersion(), id: randomUUID(), funnelId: randomUUID() };
  const funnel = Funnel.parse({ id: version.funnelId, orgId: randomUUID(), publishedVersionId: version.id });
  await createDirectoryWriter().publishFunnel(funnel, version);
  const block = { ...demoUploadBlock(), funnelId: funnel.id };
  await createDirectoryWriter().putUploadBlock(funnel.orgId, block);
  const file = await getDefinition(funnels, funnel.id);
  expect(issuesIn(file)).toEqual([]);
  expect(file.uploadBlocks).toMatchObject([{ id: block.id, name: block.name }]);
  const again = await world.publish(funnel.id, { ...file, name: 'Solar' });
  expect(again.version).toEqual({ ...version, id: again.version.id });
  expect(again.changes).toMatchObject({ added: [], removed: [], changed: [], parts: ['name'] });
  expect(await getPreviousVersionId(funnels, funnel.id)).toBe(version.id);
});

test('limits that no file has set are exported; the plan of a publication names the limits that it would remove', async () => {
  const { id } = await world.aFunnel(FILES[0]);
  const found = await funnels.find(id);
  await createDirectoryWriter().publishFunnel(
    { ...Funnel.parse(found), limits: { aiTokensPerDay: 9, submitsPerMinuteAndLead: 8 } },
    FunnelVersion.parse(await funnels.version(id, found?.publishedVersionId ?? '')),
  );
  const file = await getDefinition(funnels, id);
  expect(file.limits).toEqual({ aiTokensPerDay: 9, submitsPerMinuteAndLead: 8 });
  expect((await planDefinition(funnels, id, file)).isAlreadyPublished).toBe(false);
  for (const [limits, removedLimits] of [
    [{ aiTokensPerDay: 9 }, ['submitsPerMinuteAndLead']],
    [undefined, ['aiTokensPerDay', 'submitsPerMinuteAndLead']],
  ] as const) {
    const { changes } = await planDefinition(funnels, id, { ...FILES[0], limits });
    expect(changes.parts).toEqual(['limits']);
    expect(changes.removedLimits.toSorted()).toEqual(removedLimits);
  }
});

test('a status change succeeds even if the response to its write was lost', async () => {
  const { id } = await world.aFunnel(FILES[0]);
  const withLostResponses = {
    ...funnels,
    updateStatus: async (...change: Parameters<typeof funnels.updateStatus>) =>
      !(await funnels.updateStatus(...change)),
  };
  for (const change of [unpublishFunnel, archiveFunnel, restoreFunnel]) {
    expect(await change({ ...ports, funnels: withLostResponses }, id)).toBe('done');
  }
});

test('unpublishing fails and changes nothing if the funnel is archived concurrently', async () => {
  const { id } = await world.aFunnel(FILES[0]);
  const { find } = funnels;
  const overtaken = {
    ...funnels,
    find: async (funnelId: string) => {
      const funnel = await find(funnelId);
      if (funnel?.archivedAt === null) await archiveFunnel(ports, funnelId);
      return funnel;
    },
  };
  await expect(unpublishFunnel({ ...ports, funnels: overtaken }, id)).rejects.toThrow(
    'Another command changed the funnel',
  );
  expect(await funnels.find(id)).toMatchObject({ unpublishedAt: null, archivedAt: expect.any(String) });
});

test('an unpublished funnel can be published again; an archived funnel must be restored first', async () => {
  const { id, versionIds } = await world.aFunnel(FILES[0]);
  expect(await unpublishFunnel(ports, id)).toBe('done');
  expect(await unpublishFunnel(ports, id)).toBe('already');
  await expect(getPreviousVersionId(funnels, id)).rejects.toThrow('The funnel is not published');
  expect((await world.publish(id, FILES[0])).version.id).toBe(versionIds[0]);
  expect(await funnels.find(id)).toMatchObject({ unpublishedAt: null });
  expect([await archiveFunnel(ports, id), await archiveFunnel(ports, id)]).toEqual(['done', 'already']);
  await expect(planDefinition(funnels, id, FILES[1])).rejects.toThrow('The funnel is archived: restore it first');
  expect([await restoreFunnel(ports, id), await restoreFunnel(ports, id)]).toEqual(['done', 'already']);
});
