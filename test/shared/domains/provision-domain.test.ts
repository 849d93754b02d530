import { expect, test } from 'vitest';
import { CdnError } from '../../../shared/domains/cdn-provider.ts';
import { toDomainIds } from '../../../shared/domains/domain.ts';
import { blockAt, FAULTS, injector, leftOf, settle } from '../../support/domains/domain-runs.ts';
import { aServedDomain, domainWorld } from '../../support/domains/domain-world.ts';
import { isoAt, NOON } from '../../support/domains/domains.ts';

const verifiedAndDue = (dueAtMs = NOON) => ({
  status: 'verified' as const,
  dueAt: isoAt(dueAtMs),
  provisioning: { since: isoAt(NOON), attempts: 0, failureReason: null },
});

test('a verified domain gets a tenant with a certificate, and becomes active when the CDN serves its hostname', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world, verifiedAndDue());
  await world.processOf().sweep();
  expect(await world.domains.find(toDomainIds(domain))).toMatchObject({
    status: 'verified',
    tenantId: expect.any(String),
    target: expect.stringContaining('edge.example'),
    provisioning: { since: isoAt(NOON), attempts: 0, failureReason: expect.stringContaining('CNAME') },
    dueAt: isoAt(NOON + 5_000),
    removalHoldUntil: null,
  });
  await settle(world, toDomainIds(domain));
  const [[tenantId, tenant] = []] = [...world.atEdge.tenants];
  expect(tenant).toMatchObject({ domainId: domain.id, hostname: domain.hostname });
  expect(await world.domains.find(toDomainIds(domain))).toMatchObject({
    status: 'active',
    tenantId,
    certificateArn: tenant?.certificateArn,
    provisioning: null,
    dueAt: null,
    activatedAt: isoAt(world.clock.ms),
    removalHoldUntil: null,
  });
});

test('in a stage without a CDN, a verified domain becomes active immediately, without a tenant', async () => {
  const world = domainWorld({ hasEdge: false });
  const domain = await aServedDomain(world, verifiedAndDue());
  expect([...(await world.processOf().sweep())]).toEqual([['active', 1]]);
  expect(await world.domains.find(toDomainIds(domain))).toMatchObject({
    status: 'active',
    tenantId: null,
    dueAt: null,
    activatedAt: isoAt(NOON),
  });
});

test.each(FAULTS)(
  'after the fault "%s" at any call of a port, a provisioned domain becomes active with one tenant',
  async (fault) => {
    const run = async (at: number) => {
      const world = domainWorld();
      const domain = await aServedDomain(world, verifiedAndDue());
      const { process, seen } = injector(world, (each) => (each === at ? fault : undefined));
      await settle(world, toDomainIds(domain), process);
      return { world, seen, domain: await world.domains.find(toDomainIds(domain)) };
    };
    const { seen } = await run(-1);
    expect(seen).toContain('edge.create');
    for (const at of seen.keys()) {
      const { world, domain } = await run(at);
      expect({ at, status: domain?.status, tenants: [...world.atEdge.tenants.keys()] }).toEqual({
        at,
        status: 'active',
        tenants: [domain?.tenantId],
      });
    }
  },
);

test.each(FAULTS)(
  'if a removal is requested during a provisioning with the fault "%s", nothing of the domain is left',
  async (fault) => {
    const steps = 12;
    for (let at = 0; at < steps; at++) {
      const world = domainWorld();
      const domain = await aServedDomain(world, verifiedAndDue());
      const { process } = injector(world, (each) => (each === at ? fault : undefined));
      const asking = process();
      let effects = 0;
      const around = async <T>(effect: string, work: () => Promise<T>): Promise<T> => {
        if (effects++ === at) await world.processOf().request(toDomainIds(domain));
        return asking(effect, work);
      };
      await world
        .processOf(around)
        .sweep()
        .catch(() => undefined);
      if (effects <= at) await world.processOf().request(toDomainIds(domain));
      await settle(world, toDomainIds(domain));
      expect({ at, left: await leftOf(world, domain) }).toEqual({ at, left: [] });
    }
  },
);

test('a removal that was requested during a provisioning can run as soon as the provisioning has ended', async () => {
  const world = domainWorld({ polls: 0 });
  const domain = await aServedDomain(world, verifiedAndDue());
  const around = async <T>(effect: string, work: () => Promise<T>): Promise<T> => {
    if (effect === 'edge.create') await world.processOf().request(toDomainIds(domain));
    return work();
  };
  await world.processOf(around).sweep();
  expect(world.atEdge.tenants.size).toBe(1);
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('removed');
  expect(world.clock.ms).toBe(NOON);
  expect(await leftOf(world, domain)).toEqual([]);
});

test('a removal waits until the tenant was created, and then deletes the tenant', async () => {
  const world = domainWorld({ polls: 0 });
  const domain = await aServedDomain(world, verifiedAndDue());
  const { around, reached, release } = blockAt('edge.create');
  const sweeping = world.processOf(around).sweep();
  await reached;
  await world.processOf().request(toDomainIds(domain));
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('waiting');
  world.clock.ms += 170_000;
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('waiting');
  expect((await world.hostnames.findReservation(domain.hostname))?.domainId).toBe(domain.id);
  release();
  await sweeping;
  expect(world.atEdge.tenants.size).toBe(1);
  await settle(world, toDomainIds(domain));
  expect(await leftOf(world, domain)).toEqual([]);
});

test('a removal waits until both of two concurrent provisionings have ended', async () => {
  const world = domainWorld({ polls: 0 });
  const domain = await aServedDomain(world, verifiedAndDue());
  const [one, other] = [blockAt('edge.create'), blockAt('edge.create')];
  const first = world.processOf(one.around).sweep();
  await one.reached;
  world.clock.ms += 60_000;
  const second = world.processOf(other.around).sweep();
  await other.reached;
  await world.processOf().request(toDomainIds(domain));
  one.release();
  await first;
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('waiting');
  other.release();
  await second;
  await settle(world, toDomainIds(domain));
  expect(await leftOf(world, domain)).toEqual([]);
});

test('if the CDN rejects a provisioning, the domain stores the error, and retries follow with increasing delays', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world, verifiedAndDue());
  const failing = async <T>(effect: string, work: () => Promise<T>): Promise<T> => {
    if (effect === 'edge.create') throw new CdnError('The hostname is served by another account.');
    return work();
  };
  const pauses: number[] = [];
  for (let time = 1; time <= 4; time++) {
    await world.processOf(failing).sweep();
    const now = await world.domains.find(toDomainIds(domain));
    expect(now?.provisioning).toMatchObject({
      attempts: time,
      failureReason: 'The hostname is served by another account.',
    });
    pauses.push(Date.parse(now?.dueAt ?? '') - world.clock.ms);
    world.clock.ms = Date.parse(now?.dueAt ?? '');
  }
  expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000]);
  expect(world.counts.get('DomainProvisioningFailed')).toBe(4);
  await settle(world, toDomainIds(domain));
  expect(await world.domains.find(toDomainIds(domain))).toMatchObject({ status: 'active' });
});

test('an unreadable domain is postponed and does not block other domains', async () => {
  const world = domainWorld();
  const domain = await aServedDomain(world, verifiedAndDue());
  const broken = await aServedDomain(world, verifiedAndDue(NOON - 1));
  const around = async <T>(effect: string, work: () => Promise<T>): Promise<T> => {
    const found = await work();
    const id = (found as { id?: string } | undefined)?.id;
    if (effect === 'domains.find' && id === broken.id) throw new TypeError('revision is missing');
    return found;
  };
  const counts = await world.processOf(around).sweep();
  expect(Object.fromEntries(counts)).toEqual({ failed: 1, provisioning: 1 });
  expect(await world.domains.find(toDomainIds(broken))).toMatchObject({ dueAt: isoAt(NOON + 300_000) });
  expect(await world.domains.find(toDomainIds(domain))).toMatchObject({ tenantId: expect.any(String) });
});
