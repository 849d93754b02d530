import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { authorizedBodylessEndpoint } from '../../../../shared/http/bodyless-endpoint.ts';
import { createDynamoMembershipRepository } from '../../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { createMembershipAuthorizer } from '../../../../shared/organizations/membership-authorizer.ts';
import { deriveUserId } from '../../../../shared/organizations/user-id.ts';
import { admin } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { memoryLimiter } from '../../../support/memory-limiter.ts';
import { list } from '../../../support/sample-operations.ts';

const { callsOf } = useDynamo();
const ISSUER = 'https://login.example.com/';
const UNKNOWN_USER = '00000000-0000-4000-8000-000000000000';

let orgId: string;
beforeEach(async () => {
  vi.stubEnv('OIDC_ISSUER', ISSUER);
  orgId = await anOrganization();
});

const members = (command: string, ...args: string[]) => admin(['members', command, orgId, ...args]);
const json = async (command: string, ...args: string[]) => {
  const { out, err } = await members(command, ...args, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out);
};
const owner = (subject: string) => json('add', '--subject', subject, '--role', 'owner');
const rolesNow = async () => (await json('list')).members.map(({ role }: { role: string }) => role);

describe('add', () => {
  test('identifies the user by user id, or by token subject and issuer; the default is the issuer of the environment', async () => {
    const kim = deriveUserId(ISSUER, 'kim');
    expect(await json('add', '--subject', 'kim', '--role', 'owner')).toEqual({
      orgId,
      userId: kim,
      role: 'owner',
      changed: true,
    });
    const elsewhere = ['--subject', 'kim', '--issuer', 'https://other.example/'];
    expect((await members('add', ...elsewhere, '--role', 'admin')).out).toBe(
      `The user ${deriveUserId('https://other.example/', 'kim')} is now a member, as admin.\n`,
    );
    await json('add', '--user', UNKNOWN_USER, '--role', 'member');
    expect((await json('list')).members).toEqual([
      { userId: kim, role: 'owner', addedAt: expect.stringMatching(/Z$/), isBeingRemoved: false },
      expect.objectContaining({ role: 'admin' }),
      expect.objectContaining({ userId: UNKNOWN_USER, role: 'member' }),
    ]);
    expect(await createDynamoMembershipRepository().findRole(orgId, kim)).toBe('owner');
  });

  test('0: reports that a member already has the role; 1: fails if the member has another role, and keeps that role', async () => {
    await owner('kim');
    expect(await members('add', '--subject', 'kim', '--role', 'owner')).toMatchObject({
      code: 0,
      out: expect.stringContaining('is already a member, as owner.'),
    });
    expect(await members('add', '--subject', 'kim', '--role', 'member')).toEqual({
      code: 1,
      out: '',
      err: 'The user is already a member, as owner: use "members update" to change the role.\n',
    });
    expect(await rolesNow()).toEqual(['owner']);
  });

  test.each([
    [['--role', 'owner'], 'give --subject <sub> or --user <id>'],
    [['--subject', 'kim'], "required option '--role <role>' not specified"],
    [['--subject', 'kim', '--role', 'boss'], 'Allowed choices are member, admin, owner.'],
    [['--subject', 'kim', '--user', UNKNOWN_USER, '--role', 'owner'], 'cannot be used with'],
    [['--user', UNKNOWN_USER, '--issuer', ISSUER, '--role', 'owner'], 'cannot be used with'],
    [['--user', 'kim', '--role', 'owner'], 'Give the user id, a UUID: see "members list".'],
    [['--subject', '', '--role', 'owner'], 'Give the `sub` claim of the tokens'],
    [['--subject', 'x'.repeat(256), '--role', 'owner'], 'Give the `sub` claim of the tokens'],
    [['--subject', 'kim', '--issuer', 'login', '--role', 'owner'], 'Give the `iss` claim of the tokens'],
  ])('2: the options %j are rejected with a message, and nothing is read or written', async (args, sentence) => {
    const calls = await callsOf(async () => {
      const { code, out, err } = await members('add', ...args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(sentence);
    });
    expect(calls).toEqual([]);
  });

  test('1: requires --issuer for a stage whose outputs do not name the issuer', async () => {
    vi.stubEnv('OIDC_ISSUER', '');
    expect(await members('add', '--subject', 'kim', '--role', 'owner')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/deploy again, or give .*--issuer/),
    });
    expect(await rolesNow()).toEqual([]);
  });
});

test('1: list, add, update and remove fail for an unknown organization, and no member is stored', async () => {
  orgId = randomUUID();
  for (const [command, ...args] of [['list'], ['add', '--role', 'owner'], ['update', '--role', 'owner'], ['remove']]) {
    const who = command === 'list' ? [] : ['--subject', 'kim'];
    const result = await members(command ?? '', ...who, ...args);
    expect(result).toEqual({ code: 1, out: '', err: `There is no organization ${orgId}: see "organizations list".\n` });
  }
  expect(await createDynamoMembershipRepository().findRole(orgId, deriveUserId(ISSUER, 'kim'))).toBeUndefined();
});

describe('update and remove', () => {
  test('1: the last owner cannot be demoted or removed; 0: --force removes the last owner', async () => {
    await owner('kim');
    await json('add', '--subject', 'ada', '--role', 'admin');
    for (const attempt of [
      ['update', '--role', 'member'],
      ['remove', '--yes'],
    ]) {
      const [command = '', ...args] = attempt;
      const { code, out, err } = await members(command, '--subject', 'kim', ...args);
      expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^This is the last owner: .*--force\.\n$/)]);
    }
    expect((await json('list')).members[0]).toMatchObject({ role: 'owner', isBeingRemoved: false });
    expect((await members('remove', '--subject', 'kim', '--force', '--yes')).code).toBe(0);
    expect(await rolesNow()).toEqual(['admin']);
  });

  test('if concurrent commands remove or demote all three owners, at least one owner remains', async () => {
    for (let round = 0; round < 5; round++) {
      orgId = await anOrganization();
      await Promise.all(['kim', 'ada', 'lee'].map(owner));
      await Promise.all([
        members('remove', '--subject', 'kim', '--yes'),
        members('update', '--subject', 'ada', '--role', 'member'),
        members('remove', '--subject', 'lee', '--yes'),
      ]);
      expect(await rolesNow()).toContain('owner');
    }
  });

  test('update sets another role; in its output, `changed` is false if the member already had the role', async () => {
    await Promise.all(['kim', 'ada'].map(owner));
    expect(await json('update', '--subject', 'ada', '--role', 'member')).toMatchObject({
      role: 'member',
      changed: true,
    });
    expect(await json('update', '--subject', 'ada', '--role', 'member')).toMatchObject({ changed: false });
    expect(await rolesNow()).toEqual(['owner', 'member']);
  });

  const UNKNOWN_MEMBER = /^The organization has no member [0-9a-f-]{36}: see "members list"\.\n$/;

  test('1: update and remove fail for a user who is not a member', async () => {
    for (const [command = '', ...args] of [
      ['update', '--role', 'admin'],
      ['remove', '--yes'],
    ]) {
      const result = await members(command, '--subject', 'unknown', ...args);
      expect(result).toEqual({ code: 1, out: '', err: expect.stringMatching(UNKNOWN_MEMBER) });
    }
  });

  test('1: remove fails without a confirmation, and the member stays', async () => {
    await Promise.all(['kim', 'ada'].map(owner));
    expect(await members('remove', '--subject', 'ada')).toMatchObject({
      code: 1,
      err: expect.stringContaining('give --yes'),
    });
    expect(await rolesNow()).toEqual(['owner', 'owner']);
  });
});

test('list: the table fits into 80 columns', async () => {
  await owner('kim');
  const { out } = await admin(['members', 'list', orgId], { columns: 80 });
  expect(out).toMatch(/^USER +ADDED, UTC +ROLE\n[0-9a-f-]{36} +\d{4}-\d\d-\d\d \d\d:\d\d +owner\n$/);
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('403: after a removal or demotion, the next request of the member lacks the access of the earlier role', async () => {
  const authorization = {
    authenticator: { authenticate: async () => ({ userId: deriveUserId(ISSUER, 'kim') }) },
    authorizer: createMembershipAuthorizer(createDynamoMembershipRepository()),
    rateLimiter: memoryLimiter().limiter,
  };
  const adminsOnly = { ...list, auth: { role: 'admin' } } as const;
  const read = caller(
    adminsOnly,
    authorizedBodylessEndpoint(adminsOnly, authorization, async () => ({ since: null })),
  );
  const status = async () => (await read({ path: { orgId }, headers: { authorization: 'Bearer kim' } })).status;
  expect(await status()).toBe(403);
  await json('add', '--subject', 'kim', '--role', 'admin');
  expect(await status()).toBe(200);
  await json('update', '--subject', 'kim', '--role', 'member');
  expect(await status()).toBe(403);
  await json('update', '--subject', 'kim', '--role', 'owner');
  expect(await status()).toBe(200);
  await json('remove', '--subject', 'kim', '--yes', '--force');
  expect(await status()).toBe(403);
});
