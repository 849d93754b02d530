import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../functions/declarations.ts';
import type { DemoTokens } from '../../infra/local/seed/people.ts';
import { deployedCallers, startDeployedEnvironment } from '../support/deployed/environment.ts';
import { exampleRequest } from '../support/example-request.ts';

// Sends the example of each organization route to its handler, which is wired as in a deployment.

const organizationOperations = operations.filter(({ auth }) => auth !== 'public');

let world: Awaited<ReturnType<typeof startDeployedEnvironment>>;
let callers: Awaited<ReturnType<typeof deployedCallers>>;
beforeAll(async () => {
  world = await startDeployedEnvironment();
  callers = await deployedCallers(organizationOperations.map(({ id }) => id));
}, 120_000);
afterAll(() => world?.end(), 30_000);

describe.each(organizationOperations)('$id', (declared) => {
  const statusWith = async (token?: string) => {
    const { headers, ...request } = exampleRequest(declared);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await callers.call(declared.id, { ...request, headers: { ...headers, ...authorization } })).status;
  };

  test('401: rejects a missing token, an expired token and a token with a changed signature', async () => {
    const { adminAB, expired } = world.demo.tokens;
    const [header, payload, signature = ''] = adminAB.split('.');
    const forged = [header, payload, signature.split('').toReversed().join('')].join('.');
    for (const token of [undefined, expired, forged]) expect(await statusWith(token)).toBe(401);
  });

  test('403: rejects users who are not members of the organization', async () => {
    const { outsider, adminB } = world.demo.tokens;
    for (const token of [outsider, adminB]) expect(await statusWith(token)).toBe(403);
  });

  const lowest = declared.auth === 'public' ? undefined : declared.auth.role;
  const tooLow: Record<string, (keyof DemoTokens)[]> = { member: [], admin: ['memberA'], owner: ['memberA', 'adminA'] };
  test.each(tooLow[lowest ?? ''] ?? [])(
    `403: rejects %s, because the operation needs the role ${lowest}`,
    async (who) => {
      expect(await statusWith(world.demo.tokens[who])).toBe(403);
    },
  );

  test('a user with a sufficient role gets neither 401 nor 403', async () => {
    expect([401, 403]).not.toContain(await statusWith(world.demo.tokens[lowest === 'owner' ? 'ownerA' : 'adminAB']));
  });
});
