import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { toDomainIds } from '../../../../shared/domains/domain.ts';
import { blockAt, leftOf, settle } from '../../../support/domains/domain-runs.ts';
import { aServedDomain, domainWorld } from '../../../support/domains/domain-world.ts';
import { NOON } from '../../../support/domains/domains.ts';

test('if a bind command writes the binding after the domain was removed, the command undoes the binding and fails', async () => {
  const world = domainWorld({ polls: 0 });
  const domain = await aServedDomain(world);
  const pageId = randomUUID();
  await world.pages.add(domain.orgId, pageId, null);
  const { around, reached, release } = blockAt('pages.bind');
  const binding = world.processOf(around).bind(toDomainIds(domain), pageId);
  await reached;
  await world.processOf().request(toDomainIds(domain));
  world.clock.ms += 30_000;
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('removed');
  release();
  await expect(binding).rejects.toThrow('being removed');
  expect(await leftOf(world, domain)).toEqual([]);
});

test('a removal makes a concurrent bind command fail, and waits up to 30 s until this command has ended', async () => {
  const world = domainWorld({ polls: 0 });
  const domain = await aServedDomain(world);
  const pageId = randomUUID();
  await world.pages.add(domain.orgId, pageId, null);
  const { around, reached, release } = blockAt('pages.bind');
  const binding = world.processOf(around).bind(toDomainIds(domain), pageId);
  await reached;
  await world.processOf().request(toDomainIds(domain));
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('waiting');
  release();
  await expect(binding).rejects.toThrow('being removed');
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('removed');
  expect(world.clock.ms).toBe(NOON);
  await settle(world, toDomainIds(domain));
  expect(await leftOf(world, domain)).toEqual([]);
});

test('if a bind command has not begun to write the binding 15 s after its start, it fails and binds no page', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world);
  const pageId = randomUUID();
  await world.pages.add(domain.orgId, pageId, null);
  const around = async <T>(effect: string, work: () => Promise<T>): Promise<T> => {
    const done = await work();
    if (effect === 'domains.update') world.clock.ms += 16_000;
    return done;
  };
  await expect(world.processOf(around).bind(toDomainIds(domain), pageId)).rejects.toThrow('too slowly');
  expect(await world.pages.listPageIds(toDomainIds(domain))).not.toContain(pageId);
});

test('a removal of a domain does not wait for a bind command that has succeeded', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world);
  const pageId = randomUUID();
  await world.pages.add(domain.orgId, pageId, null);
  const { pageIds } = await world.processOf().bind(toDomainIds(domain), pageId);
  expect(pageIds).toEqual([...domain.pageIds, pageId]);
  expect(await world.pages.listPageIds(toDomainIds(domain))).toContain(pageId);
  expect(await world.domains.find(toDomainIds(domain))).toMatchObject({ pageIds, removalHoldUntil: null });
});

test.each([
  ['unknown to the organization', 'has no page', undefined],
  ['bound to another domain', 'with "pages show", then run "domains unbind"', randomUUID()],
])('a bind command rejects a page that is %s', async (_, sentence, other) => {
  const world = domainWorld();
  const domain = await aServedDomain(world);
  const pageId = randomUUID();
  if (other !== undefined) await world.pages.add(domain.orgId, pageId, other);
  await expect(world.processOf().bind(toDomainIds(domain), pageId)).rejects.toThrow(sentence);
  expect(await world.domains.find(toDomainIds(domain))).toMatchObject({
    pageIds: domain.pageIds,
    removalHoldUntil: null,
  });
  expect(await world.pages.listPageIds(toDomainIds(domain))).not.toContain(pageId);
});
