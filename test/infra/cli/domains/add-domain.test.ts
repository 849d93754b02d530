import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toDomainIds } from '../../../../shared/domains/domain.ts';
import { claimWorld } from '../../../support/domains/add-domain.ts';
import { blockAt, leftOf, settle } from '../../../support/domains/domain-runs.ts';
import { STORES } from '../../../support/domains/domain-world.ts';
import { isoAt, NOON } from '../../../support/domains/domains.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const DAY_MS = 86_400_000;
/** Crashes before the domain is written, so that only the reservation exists. */
const crashing = async <T>(effect: string, work: () => Promise<T>): Promise<T> => {
  if (effect === 'domains.create') throw new Error('killed');
  return work();
};
const aHostname = () => `${randomUUID()}.example.com`;

describe.each(Object.entries(STORES))('%s', (_, stores) => {
  const newWorld = () => claimWorld(stores());

  test('adding a domain reserves the hostname for 14 days, with a token of 32 bytes', async () => {
    const { add, hostnames, domains } = newWorld();
    const [orgId, hostname] = [randomUUID(), aHostname()];
    const { domain, isNew } = await add(orgId, hostname.toUpperCase());
    expect(isNew).toBe(true);
    expect(domain).toMatchObject({ orgId, hostname, status: 'pending', dueAt: isoAt(NOON + 14 * DAY_MS) });
    expect(Buffer.from(domain.verificationToken, 'base64url')).toHaveLength(32);
    expect(await hostnames.findReservation(hostname)).toMatchObject({ orgId, domainId: domain.id });
    expect(await domains.find(toDomainIds(domain))).toEqual(domain);
  });

  test('if two organizations add a hostname concurrently, one gets it; a retry by the other fails and names the owner', async () => {
    for (let round = 0; round < 10; round++) {
      const { add, hostnames } = newWorld();
      const hostname = aHostname();
      const orgs = [randomUUID(), randomUUID()];
      const claims = await Promise.allSettled(orgs.map((orgId) => add(orgId, hostname)));
      expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = orgs[claims.findIndex(({ status }) => status === 'fulfilled')] ?? '';
      expect((await hostnames.findReservation(hostname))?.orgId).toBe(winner);
      const loser = orgs.find((orgId) => orgId !== winner) ?? '';
      await expect(add(loser, hostname)).rejects.toThrow(winner);
    }
  });

  test('if an organization repeats the command, even twice at the same time, it gets the same domain', async () => {
    const { add } = newWorld();
    const [orgId, hostname] = [randomUUID(), aHostname()];
    const first = await add(orgId, hostname);
    const again = await Promise.all([add(orgId, hostname), add(orgId, hostname)]);
    expect(again).toEqual([1, 2].map(() => ({ domain: first.domain, isNew: false })));
  });

  test('an organization can repeat its crashed command; if it does not, another can add the hostname after 15 minutes', async () => {
    const world = newWorld();
    const [orgId, other] = [randomUUID(), randomUUID()];
    const [mended, orphaned] = [aHostname(), aHostname()];
    for (const hostname of [mended, orphaned]) await expect(world.add(orgId, hostname, crashing)).rejects.toThrow();
    const reserved = await world.hostnames.findReservation(mended);
    expect((await world.add(orgId, mended)).domain.id).toBe(reserved?.domainId);
    await expect(world.add(other, orphaned)).rejects.toThrow('try again in a minute');
    world.clock.ms += 15 * 60_000;
    const claims = await Promise.allSettled([randomUUID(), other].map((org) => world.add(org, orphaned)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('while an organization repeats its crashed command, another organization cannot take over the hostname', async () => {
    const world = newWorld();
    const [orgId, hostname] = [randomUUID(), aHostname()];
    await expect(world.add(orgId, hostname, crashing)).rejects.toThrow();
    world.clock.ms += 15 * 60_000;
    const paused = blockAt('domains.create');
    const repeated = world.add(orgId, hostname, paused.around);
    await paused.reached;
    await expect(world.add(randomUUID(), hostname)).rejects.toThrow('try again in a minute');
    paused.release();
    const { domain } = await repeated;
    expect(await world.hostnames.findReservation(hostname)).toMatchObject({ orgId, domainId: domain.id });
  });

  test('if the hostname is released while the command runs, no domain is created', async () => {
    const world = newWorld();
    const [orgId, hostname] = [randomUUID(), aHostname()];
    const { domain } = await world.add(orgId, hostname);
    await world.processOf().request(toDomainIds(domain));
    const paused = blockAt('domains.find');
    const claim = world.add(orgId, hostname, paused.around);
    await paused.reached;
    await settle(world, toDomainIds(domain));
    paused.release();
    await expect(claim).rejects.toThrow('try again in a minute');
    expect(await leftOf(world, domain)).toEqual([]);
  });

  test('if an organization has its maximum number of domains, a new domain is rejected until a domain is removed', async () => {
    const world = newWorld();
    const [orgId, hostnames] = [randomUUID(), [aHostname(), aHostname(), aHostname()] as const];
    const add = (hostname: string, most = 2) => world.add(orgId, hostname, undefined, { domains: most });
    const { domain } = await add(hostnames[0]);
    await add(hostnames[1]);
    await expect(add(hostnames[2])).rejects.toThrow('may have at most 2 domains');
    await expect(add(hostnames[2], 0)).rejects.toThrow('may have at most 0 domains');
    expect(await world.hostnames.findReservation(hostnames[2])).toBeUndefined();
    expect((await add(hostnames[1])).isNew).toBe(false);
    expect((await world.add(randomUUID(), hostnames[2])).isNew).toBe(true);
    await world.processOf().request(toDomainIds(domain));
    await expect(add(aHostname())).rejects.toThrow('may have at most 2 domains');
    await settle(world, toDomainIds(domain));
    expect((await add(aHostname())).isNew).toBe(true);
  });

  test('if a domain is not verified within 14 days, it is removed and its hostname becomes available', async () => {
    const world = newWorld();
    const [mine, theirs] = [randomUUID(), randomUUID()];
    const { domain } = await world.add(theirs, aHostname());
    world.clock.ms = NOON + 14 * DAY_MS - 1;
    await world.processOf().sweep();
    await expect(world.add(mine, domain.hostname)).rejects.toThrow('but not verified');
    world.clock.ms += 1;
    world.prove(domain);
    await expect(world.verify(domain)).rejects.toThrow('14 days');
    expect((await world.processOf().sweep()).get('removed')).toBeGreaterThanOrEqual(1);
    expect(await leftOf(world, domain)).toEqual([]);
    expect((await world.add(mine, domain.hostname)).isNew).toBe(true);
  });

  test('while a domain is being removed, its hostname cannot be added; afterwards, any organization can add it', async () => {
    const world = newWorld();
    const [mine, theirs] = [randomUUID(), randomUUID()];
    const { domain } = await world.add(theirs, aHostname());
    await world.processOf().request(toDomainIds(domain));
    await expect(world.add(mine, domain.hostname)).rejects.toThrow('being removed');
    await expect(world.add(theirs, domain.hostname)).rejects.toThrow('being removed');
    await expect(world.verify(domain)).rejects.toThrow('being removed');
    await settle(world, toDomainIds(domain));
    expect((await world.add(mine, domain.hostname)).isNew).toBe(true);
  });
});

test('a domain stays unverified until one of the TXT records is "tributary-verify=" followed by its own token', async () => {
  const { add, verify, prove, zone, asked, domains } = claimWorld();
  const [{ domain }, { domain: other }] = [await add(randomUUID(), aHostname()), await add(randomUUID(), aHostname())];
  expect(await verify(domain)).toEqual({ outcome: 'not_found', found: 0 });
  const name = `_tributary.${domain.hostname}`;
  zone.set(name, [`tributary-verify=${other.verificationToken}`, domain.verificationToken, 'tributary-verify=']);
  expect(await verify(domain)).toEqual({ outcome: 'not_found', found: 3 });
  expect(await domains.find(toDomainIds(domain))).toEqual(domain);
  prove(domain);
  expect(await verify(domain)).toMatchObject({
    outcome: 'verified',
    domain: { status: 'verified', dueAt: isoAt(NOON) },
  });
  expect(await verify(domain)).toMatchObject({ outcome: 'already' });
  expect(asked).toEqual([name, name, name]);
});

test('a domain cannot be verified after its hostname was reserved for another domain', async () => {
  const { add, verify, prove, hostnames } = claimWorld();
  const { domain } = await add(randomUUID(), aHostname());
  const reserved = await hostnames.findReservation(domain.hostname);
  const theirs = { orgId: randomUUID(), domainId: randomUUID(), reservedAt: isoAt(NOON) };
  expect(reserved && (await hostnames.replaceReservation(domain.hostname, reserved, theirs))).toBe(true);
  prove(domain);
  await expect(verify(domain)).rejects.toThrow('is no longer reserved for this domain');
});

test('if two concurrent verifications find the token, one reports "verified" and the other "already"', async () => {
  const { add, verify, prove } = claimWorld();
  const { domain } = await add(randomUUID(), aHostname());
  prove(domain);
  const outcomes = (await Promise.all([verify(domain), verify(domain)])).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual(['already', 'verified']);
});
