import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addMember,
  type Member,
  type MemberKey,
  type MembershipAdminRepository,
  updateMember,
} from '../../../../infra/cli/members/membership-admin.ts';
import type { Role } from '../../../../shared/organizations/membership.ts';

const ORG = 'org';
const at = (userId: string): MemberKey => ({ orgId: ORG, userId });

type Stored = { role: Role; addedAt: string | null; leaving?: string };

/**
 * Memberships in memory.
 *
 * @param step awaited before each read of a record and each write; may throw to simulate a crash
 */
function createMemoryMemberships(owners: readonly string[], step: () => Promise<unknown> = async () => undefined) {
  const stored = new Map<string, Stored>(owners.map((userId) => [userId, { role: 'owner', addedAt: null }]));
  const seen = (userId: string): Member | undefined => {
    const found = stored.get(userId);
    return found && { userId, role: found.role, addedAt: found.addedAt, isBeingRemoved: found.leaving !== undefined };
  };
  const when = async (userId: string, holds: (found: Stored) => boolean, then: (found: Stored) => unknown) => {
    await step();
    const found = stored.get(userId);
    if (found === undefined || !holds(found)) return false;
    then(found);
    return true;
  };
  const memberships: MembershipAdminRepository = {
    list: async function* () {
      // A query may read each record at a different time, so writes can happen between the reads.
      for (const userId of [...stored.keys()]) {
        await step();
        const member = seen(userId);
        if (member !== undefined) yield member;
      }
    },
    find: async ({ userId }) => {
      await step();
      return seen(userId);
    },
    add: async ({ userId }, member) => {
      await step();
      if (stored.has(userId)) return false;
      stored.set(userId, member);
      return true;
    },
    markForRemoval: ({ userId }, mark) =>
      when(
        userId,
        ({ role }) => role === 'owner',
        (found) => Object.assign(found, { leaving: mark }),
      ),
    clearRemovalMark: ({ userId }, mark) =>
      when(
        userId,
        ({ leaving }) => leaving === mark,
        (found) => delete found.leaving,
      ),
    write: ({ userId }, to, from) =>
      when(
        userId,
        ({ role, leaving }) => role === from.role && (from.mark === undefined || leaving === from.mark),
        ({ addedAt }) => (to === null ? stored.delete(userId) : stored.set(userId, { role: to, addedAt })),
      ),
  };
  const ownersLeft = () => [...stored.values()].filter(({ role }) => role === 'owner').length;
  return { memberships, stored, ownersLeft };
}

let marks = 0;
const portsOf = (memberships: MembershipAdminRepository) => ({ memberships, newId: () => `mark-${++marks}` });

const command = fc.record({
  user: fc.nat({ max: 2 }),
  to: fc.constantFrom<(Role | null)[]>('owner', 'admin', null),
});

test('without `force`, at least one owner remains after concurrent commands in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 3 }),
      fc.array(command, { minLength: 2, maxLength: 5 }),
      async (scheduler, count, commands) => {
        const users = Array.from({ length: count }, (_, index) => `user-${index}`);
        const { memberships, ownersLeft } = createMemoryMemberships(users, () => scheduler.schedule(Promise.resolve()));
        const run = Promise.allSettled(
          commands.map(({ user, to }) => updateMember(portsOf(memberships), at(users[user % count] ?? ''), to, false)),
        );
        await scheduler.waitFor(run);
        expect(ownersLeft()).toBeGreaterThan(0);
      },
    ),
    { numRuns: 500 },
  );
});

test('if a command without `force` is killed at any step, an owner remains; repeating the command completes it', async () => {
  for (let lives = 0; lives < 12; lives++) {
    let left = lives;
    let isCrashing = true;
    const { memberships, stored, ownersLeft } = createMemoryMemberships(['a', 'b'], async () => {
      if (isCrashing && left-- === 0) throw new Error('killed');
    });
    await updateMember(portsOf(memberships), at('a'), null, false).catch(() => undefined);
    isCrashing = false;
    await updateMember(portsOf(memberships), at('b'), null, false).catch(() => undefined);
    expect(ownersLeft()).toBeGreaterThan(0);
    if (stored.has('a') && stored.has('b'))
      expect(await updateMember(portsOf(memberships), at('a'), null, false)).toBe(true);
    expect(ownersLeft()).toBe(1);
    expect([...stored.values()].some(({ leaving }) => leaving !== undefined)).toBe(false);
  }
});

test('without `force`, the last owner can be neither removed nor demoted', async () => {
  const { memberships, stored } = createMemoryMemberships(['a']);
  stored.set('b', { role: 'admin', addedAt: null });
  for (const to of [null, 'admin', 'member'] as const) {
    await expect(updateMember(portsOf(memberships), at('a'), to, false)).rejects.toThrow(
      /^This is the last owner: .*--force/,
    );
  }
  expect(stored.get('a')).toEqual({ role: 'owner', addedAt: null });
  expect(await updateMember(portsOf(memberships), at('a'), null, true)).toBe(true);
  expect([...stored.keys()]).toEqual(['b']);
});

test('if an owner has the removal mark of a killed command, `updateMember` with the role owner clears the mark', async () => {
  const { memberships, stored } = createMemoryMemberships(['a', 'b']);
  await memberships.markForRemoval(at('a'), 'of a killed command');
  await expect(updateMember(portsOf(memberships), at('b'), 'member', false)).rejects.toThrow(
    /^Every other owner is being removed/,
  );
  expect(await updateMember(portsOf(memberships), at('a'), 'owner', false)).toBe(true);
  expect(await updateMember(portsOf(memberships), at('b'), 'member', false)).toBe(true);
  expect(stored.get('a')).toEqual({ role: 'owner', addedAt: null });
});

test('if a write was stored but its retry reports a failed condition, the change succeeds', async () => {
  const { memberships, ownersLeft } = createMemoryMemberships(['a', 'b']);
  const write: MembershipAdminRepository['write'] = async (...args) => {
    await memberships.write(...args);
    return false;
  };
  expect(await updateMember(portsOf({ ...memberships, write }), at('a'), 'member', false)).toBe(true);
  expect(await updateMember(portsOf({ ...memberships, write }), at('a'), null, false)).toBe(true);
  expect(ownersLeft()).toBe(1);
});

test('if two commands concurrently add the same user with different roles, one of the commands fails', async () => {
  const { memberships, stored } = createMemoryMemberships(['a']);
  const ports = { memberships, nowMs: () => 0 };
  const both = await Promise.allSettled([addMember(ports, at('b'), 'admin'), addMember(ports, at('b'), 'member')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(stored.get('b')).toEqual({ role: 'admin', addedAt: '1970-01-01T00:00:00.000Z' });
});
