import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CdnError } from '../../../shared/domains/cdn-provider.ts';
import { type CustomDomain, REMOVAL_STEPS, type RemovalStep, toDomainIds } from '../../../shared/domains/domain.ts';
import { FAULTS, type Fault, injector, leftOf, settle } from '../../support/domains/domain-runs.ts';
import { aServedDomain, type DomainWorld, domainWorld, STORES } from '../../support/domains/domain-world.ts';
import { isoAt, NOON } from '../../support/domains/domains.ts';
import { useDynamo } from '../../support/dynamo.ts';

useDynamo();

type FaultAt = (effect: number, name: string) => Fault | undefined;

/** Requests the removal of a domain, with up to two retries, and then runs the functions until no work is left. */
async function removal(world: DomainWorld, faultAt: FaultAt = () => undefined, overrides: Partial<CustomDomain> = {}) {
  const domain = await aServedDomain(world, overrides);
  const { process, seen } = injector(world, faultAt);
  const responses: unknown[] = [];
  const request = () => world.processOf(process()).request(toDomainIds(domain));
  for (let time = 0; time < 3 && responses.at(-1) !== 200; time++) {
    responses.push(
      await request()
        .then(() => 200)
        .catch((error: { status?: number }) => error.status),
    );
  }
  await settle(world, toDomainIds(domain), process);
  return { domain, seen, responses };
}

describe.each(Object.entries(STORES))('%s', (where, stores) => {
  // With DynamoDB, each step completes in its first sweep. Further sweeps would only slow the test.
  const polls = where === 'in memory' ? 2 : 0;
  const newWorld = () => domainWorld({ stores: stores(), polls });

  test('a removal unbinds pages, then deletes tenant, certificate, hostname reservation and domain, in this order', async () => {
    const world = newWorld();
    const { domain, seen } = await removal(world);
    expect(await leftOf(world, domain)).toEqual([]);
    const removalEffects = new Set(
      seen.filter((effect) => /unbind|disable|edge\.delete|release|domains\.delete/.test(effect)),
    );
    expect([...removalEffects]).toEqual([
      ...['pages.unbind', 'edge.disable', 'edge.delete', 'edge.deleteCertificate'],
      ...['hostnames.release', 'domains.delete'],
    ]);
    expect(seen.filter((effect) => effect === 'pages.unbind')).toHaveLength(2);
  });

  test.each(where === 'in memory' ? FAULTS : (['crash after', 'repeated'] as const))(
    'after a removal with the fault "%s" at any call of a port, nothing of the domain is left',
    async (fault) => {
      const { seen } = await removal(newWorld());
      expect(seen.length).toBeGreaterThan(where === 'in memory' ? 25 : 15);
      for (const [at, effect] of seen.entries()) {
        const world = newWorld();
        const { domain } = await removal(world, (each) => (each === at ? fault : undefined));
        expect({ effect, fault, left: await leftOf(world, domain) }).toEqual({ effect, fault, left: [] });
      }
    },
  );

  test('a page that is bound to another domain before the removal stays bound to that domain', async () => {
    const world = newWorld();
    const domain = await aServedDomain(world);
    const [pageId = ''] = domain.pageIds;
    const other = { orgId: domain.orgId, domainId: randomUUID() };
    await world.pages.add(domain.orgId, pageId, other.domainId);
    await world.processOf().request(toDomainIds(domain));
    await settle(world, toDomainIds(domain));
    expect(await leftOf(world, domain)).toEqual([]);
    expect(await world.pages.listPageIds(other)).toEqual([pageId]);
  });

  test('a removal does not release a hostname that another domain has reserved', async () => {
    const world = newWorld();
    const domain = await aServedDomain(world);
    const theirs = { orgId: randomUUID(), domainId: randomUUID(), reservedAt: isoAt(NOON) };
    await world.hostnames.release(domain.hostname, domain.id);
    world.faults.length = 0;
    await world.hostnames.reserve(domain.hostname, theirs);
    await world.processOf().request(toDomainIds(domain));
    await settle(world, toDomainIds(domain));
    expect(await leftOf(world, domain)).toEqual([]);
    expect(await world.hostnames.findReservation(domain.hostname)).toEqual(theirs);
  });
});

const FAILING: Record<RemovalStep, string> = {
  unbind_pages: 'pages.unbind',
  disable_edge: 'edge.disable',
  delete_edge: 'edge.delete',
  delete_certificate: 'edge.deleteCertificate',
  release_hostname: 'hostnames.release',
};

test.each(REMOVAL_STEPS)(
  'if the step %s fails five times, the removal stores the reason, retries with increasing delays, and completes',
  async (step) => {
    const world = domainWorld();
    let failures = 5;
    const domain = await aServedDomain(world);
    const failing =
      () =>
      async <T>(effect: string, work: () => Promise<T>) => {
        if (effect !== FAILING[step] || failures === 0) return work();
        failures -= 1;
        throw new CdnError('CloudFront does not respond.');
      };
    await world.processOf().request(toDomainIds(domain));
    world.queue.length = 0;
    const pauses: number[] = [];
    for (let round = 0; round < 40 && failures > 0; round++) {
      const before = failures;
      world.clock.ms = Math.max(
        world.clock.ms,
        Date.parse((await world.domains.find(toDomainIds(domain)))?.dueAt ?? ''),
      );
      await world.processOf(failing()).sweep();
      const found = await world.domains.find(toDomainIds(domain));
      if (failures === before) continue;
      pauses.push(Date.parse(found?.dueAt ?? '') - world.clock.ms);
      expect(found?.removal).toMatchObject({
        step,
        attempts: 5 - failures,
        failureReason: 'CloudFront does not respond.',
      });
      expect((await world.hostnames.findReservation(domain.hostname))?.domainId).toBe(domain.id);
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000, 160_000]);
    expect(world.counts.get('DomainRemovalStepsFailed')).toBe(5);
    await settle(world, toDomainIds(domain));
    expect(await leftOf(world, domain)).toEqual([]);
  },
);

test('a removal step that keeps failing is retried at least every hour; details of an unexpected error are not stored', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world);
  await world.processOf().request(toDomainIds(domain));
  const broken = async <T>(effect: string, work: () => Promise<T>) => {
    if (effect.startsWith('edge.')) throw new TypeError('arn:aws:secret is undefined');
    return work();
  };
  const pauses: number[] = [];
  for (let round = 0; round < 60; round++) {
    const { dueAt } = (await world.domains.find(toDomainIds(domain))) ?? {};
    pauses.push(Date.parse(dueAt ?? '') - world.clock.ms);
    world.clock.ms = Date.parse(dueAt ?? '');
    await world.processOf(broken).sweep();
  }
  expect(Math.max(...pauses)).toBe(3_600_000);
  const { removal } = (await world.domains.find(toDomainIds(domain))) ?? {};
  expect(removal).toMatchObject({
    step: 'disable_edge',
    attempts: 60,
    failureReason: expect.stringMatching(/^Unexpected error/),
  });
  expect(removal?.failureReason).not.toContain('arn');
});

test('a slow removal step is polled after 5 seconds, and then with increasing pauses of up to 15 minutes', async () => {
  const world = domainWorld({ polls: 60 });
  const domain = await aServedDomain(world);
  await world.processOf().request(toDomainIds(domain));
  const pauses: number[] = [];
  for (let round = 0; round < 50; round++) {
    await world.processOf().remove(toDomainIds(domain));
    const found = await world.domains.find(toDomainIds(domain));
    pauses.push(Date.parse(found?.dueAt ?? '') - world.clock.ms);
    expect(found?.removal).toMatchObject({
      step: 'disable_edge',
      attempts: 0,
      failureReason: null,
      since: isoAt(NOON),
    });
    world.clock.ms = Date.parse(found?.dueAt ?? '');
  }
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect([pauses[0], pauses.at(-1)]).toEqual([5_000, 900_000]);
});

test('if a domain does not store the id of its tenant, a removal still deletes the tenant and its certificate', async () => {
  const world = domainWorld();
  const { domain } = await removal(world, undefined, {});
  const lost = await aServedDomain(world, { status: 'verified', orgId: domain.orgId });
  world.atEdge.serve(lost.id, lost.hostname);
  await world.processOf().request(toDomainIds(lost));
  await settle(world, toDomainIds(lost));
  expect(await leftOf(world, lost)).toEqual([]);
});

test('a removal deletes a certificate even if the CDN reports it only after the tenant was disabled', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world, { status: 'verified' });
  const [{ tenantId, certificateArn }] = [world.atEdge.serve(domain.id, domain.hostname)];
  const tenant = world.atEdge.tenants.get(tenantId);
  delete tenant?.certificateArn;
  await world.processOf().request(toDomainIds(domain));
  await world.processOf().remove(toDomainIds(domain));
  expect(tenant?.isEnabled).toBe(false);
  Object.assign(tenant ?? {}, { certificateArn });
  await settle(world, toDomainIds(domain));
  expect(await leftOf(world, domain)).toEqual([]);
});

test('in a stage without a CDN, only domains without a tenant can be removed', async () => {
  const world = domainWorld({ hasEdge: false });
  const pending = await aServedDomain(world, { status: 'pending' });
  await world.processOf().request(toDomainIds(pending));
  await settle(world, toDomainIds(pending));
  expect(await leftOf(world, pending)).toEqual([]);
  const served = await aServedDomain(world);
  await world.processOf().request(toDomainIds(served));
  expect(await world.processOf().remove(toDomainIds(served))).toBe('failed');
  const { removal } = (await world.domains.find(toDomainIds(served))) ?? {};
  expect(removal).toMatchObject({ step: 'disable_edge', failureReason: expect.stringContaining('has no edge') });
});

test('a domain whose removal was not requested stays unchanged', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world);
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('conflict');
  expect(await world.processOf().remove({ orgId: domain.orgId, domainId: randomUUID() })).toBe('conflict');
  expect(await world.domains.find(toDomainIds(domain))).toEqual(domain);
});
