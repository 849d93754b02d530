import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { createDynamoMembershipRepository } from '../../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

test('the role of a member applies to one organization, and a change of the role is visible to the next read', async () => {
  const [orgId, userId] = [randomUUID(), randomUUID()];
  const memberships = createDynamoMembershipRepository();
  await createDirectoryWriter().putMember(orgId, userId, 'admin');
  expect(await memberships.findRole(orgId, userId)).toBe('admin');
  expect(await memberships.findRole(randomUUID(), userId)).toBeUndefined();
  await createDirectoryWriter().putMember(orgId, userId, 'member');
  expect(await memberships.findRole(orgId, userId)).toBe('member');
});
