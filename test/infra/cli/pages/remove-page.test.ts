import { expect, test } from 'vitest';
import { createDynamoPageAdminRepository } from '../../../../infra/cli/pages/dynamo-page-admin-repository.ts';
import { type RemovePagePorts, removePage } from '../../../../infra/cli/pages/remove-page.ts';
import type { LandingPage } from '../../../../shared/landing-pages/landing-page.ts';
import { sweepPageWrites } from '../../../../shared/landing-pages/sweep-page-writes.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aWorld, sweepPortsOf } from '../../../support/landing-pages/copy-crashes.ts';
import { copied, itemsOf } from '../../../support/landing-pages/pages.ts';

useDynamo();

/** A page with three files, and functions that copy the page within its organization and remove pages. */
async function shared() {
  const world = await aWorld();
  const { home, files, copy, ports } = world;
  const copyOf = async ({ id }: LandingPage, by = ports) => {
    const answer = await copy({ targetOrganizationId: home.orgId }, { pageId: id, with: by });
    return (await copied(home.orgId, answer)).page;
  };
  const removal = (): RemovePagePorts => ({
    ...sweepPortsOf(world),
    writes: ports.writes,
    deleteRecord: createDynamoPageAdminRepository(dynamoDocumentClient()).deleteRecord,
    unbind: async () => undefined,
  });
  const remove = (page: LandingPage, by = removal()) => removePage(by, page);
  return { ...world, copyOf, remove, removal, keys: () => [...files.objects.keys()].sort() };
}

test('if a page is removed before its copies, its files stay until the last copy is removed', async () => {
  const { source, copyOf, remove, keys, home } = await shared();
  const all = keys();
  const first = await copyOf(source.page);
  const second = await copyOf(first);
  await remove(source.page);
  expect(keys()).toEqual(all);
  await remove(first);
  expect(keys()).toEqual(all);
  await remove(second);
  expect(keys()).toEqual([]);
  for (const { id } of [source.page, first, second]) {
    expect(await itemsOf({ id, orgId: home.orgId })).toEqual([expect.objectContaining({ tombstone: true })]);
  }
});

test('removing a copy keeps the files of the source; removing the source deletes the files that no copy shows', async () => {
  const { source, copyOf, remove, keys, files, home } = await shared();
  const all = keys();
  const unlisted = `${home.orgId}/${source.page.id}/unlisted.png`;
  files.objects.set(unlisted, 'bytes');
  const [first, second] = [await copyOf(source.page), await copyOf(source.page)];
  await remove(first);
  expect(keys()).toEqual([...all, unlisted].sort());
  await remove(source.page);
  expect(keys()).toEqual(all);
  await remove(second);
  expect(keys()).toEqual([]);
});

test('if a source and its copies are removed concurrently, all their files are deleted', async () => {
  const { source, copyOf, remove, keys } = await shared();
  const pages = [source.page, await copyOf(source.page), await copyOf(source.page)];
  await Promise.all(pages.map((page) => remove(page)));
  expect(keys()).toEqual([]);
});

test('if the removal of a source or its copy crashes, a second removal completes it; files stay until both are removed', async () => {
  for (const goesFirst of ['source', 'copy'] as const) {
    for (let at = 0, effects = 1; at < effects; at++) {
      const { source, copyOf, remove, removal, keys, clock, files } = await shared();
      const all = keys();
      const page = await copyOf(source.page);
      const [one, other] = goesFirst === 'source' ? [source.page, page] : [page, source.page];
      const { ports, count } = crashing(removal(), at);
      await remove(one, ports).catch(() => undefined);
      clock.ms += 20 * 60_000;
      await sweepPageWrites(sweepPortsOf({ files, clock }));
      expect(keys()).toEqual(all);
      await remove(one);
      expect(keys()).toEqual(all);
      await remove(other, crashing(removal(), at).ports).catch(() => undefined);
      clock.ms += 20 * 60_000;
      await sweepPageWrites(sweepPortsOf({ files, clock }));
      await remove(other);
      expect(keys()).toEqual([]);
      effects = Math.max(effects, count());
    }
  }
});

/** Returns ports of a removal that crashes: the first `at` effects succeed, and every later effect throws. */
function crashing(ports: RemovePagePorts, at: number) {
  let effects = 0;
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (of, name) => {
        const call: unknown = Reflect.get(of, name);
        if (typeof call !== 'function') return call;
        return async (...given: unknown[]) => {
          if (effects++ >= at) throw new Error('killed');
          return Reflect.apply(call, of, given);
        };
      },
    });
  const { writes, tombstones, deleter, assetReferences } = ports;
  const parts = { writes, tombstones, deleter, assetReferences };
  const wrapped = Object.fromEntries(Object.entries(parts).map(([name, port]) => [name, wrap(port)]));
  return { ports: { ...ports, ...wrapped } as RemovePagePorts, count: () => effects + 1 };
}

test('if the source is removed during a copy, the copy either fails or keeps all files', async () => {
  for (const when of ['before its parts', 'after its parts'] as const) {
    const { source, copyOf, remove, keys, ports, home } = await shared();
    const all = keys();
    const { putParts, commit } = ports.writes;
    const writes = {
      ...ports.writes,
      putParts: async (...given: Parameters<typeof putParts>) => {
        if (when === 'before its parts') await remove(source.page);
        await putParts(...given);
      },
      commit: async (page: LandingPage) => {
        if (when === 'after its parts') await remove(source.page);
        return commit(page);
      },
    };
    const outcome = await copyOf(source.page, { ...ports, writes }).catch(() => undefined);
    expect(outcome === undefined).toBe(when === 'before its parts');
    expect(keys()).toEqual(when === 'before its parts' ? [] : all);
    if (outcome !== undefined) expect(outcome.orgId).toBe(home.orgId);
  }
});
