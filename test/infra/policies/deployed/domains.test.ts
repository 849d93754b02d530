import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { tableName } from '../../../../infra/local/runtime/environment.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { domainKey } from '../../../../shared/domains/aws/keys.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';

const functions = useDeployedFunctions('domains/delete', 'background/remove-domain', 'background/sweep-domains');

const MINUTE_MS = 60_000;

async function statusOf(id: string): Promise<unknown> {
  const Key = domainKey(functions.demo().organizations.a.id, id);
  const { Item } = await dynamoDocumentClient().send(new GetCommand({ TableName: tableName('directory'), Key }));
  return Item?.status;
}

async function remove(assetId: string): Promise<void> {
  const { organizations, tokens } = functions.demo();
  const request = { path: { orgId: organizations.a.id, assetId }, headers: functions.bearer(tokens.adminA) };
  expect(await functions.call('domains/delete', request)).toMatchObject({ status: 200 });
}

test('sweep-domains activates a domain; remove-domain and sweep-domains can each remove a deleted domain', async () => {
  const { domainAssetIds, organizations } = functions.demo();
  const [bound = '', other = ''] = domainAssetIds;
  for (let round = 0; (await statusOf(other)) !== 'active'; round++) {
    if (round === 10) throw new Error(`The status is still ${await statusOf(other)}.`);
    await functions.run('background/sweep-domains');
    functions.later(MINUTE_MS);
  }
  await remove(bound);
  expect(functions.invoked).toHaveLength(1);
  await functions.run('background/remove-domain', { orgId: organizations.a.id, domainId: bound });
  expect(await statusOf(bound)).toBeUndefined();

  const lane = {
    subject: { kind: 'domain' as const, orgId: organizations.a.id, domainId: other },
    endpointId: randomUUID(),
  };
  await createDynamoLaneRepository().raise(lane, { orgId: organizations.a.id, seq: 1, atMs: Date.now() });
  await remove(other);
  functions.later(5 * MINUTE_MS);
  await functions.run('background/sweep-domains');
  expect(await statusOf(other)).toBeUndefined();
  // The removal gives the lane a new version. A dispatcher with the old version cannot store a message.
  expect(await createDynamoLaneRepository().find(lane)).toMatchObject({ version: expect.any(String) });
});
