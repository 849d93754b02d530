import { randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { changePeriods } from '../../../../infra/cli/retention/change-periods.ts';
import { BUCKETS, tableName } from '../../../../infra/local/runtime/environment.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { callPrefixes } from '../../../../shared/training/object-keys.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';
import { aForm } from '../../../support/uploads/upload-api.ts';

const functions = useDeployedFunctions(
  'funnel/submit',
  'funnel/upload',
  'background/enforce-retention',
  'background/dispatch-messages',
);

const DAY_MS = 86_400_000;

/** Submits a lead with a file. @returns the lead's id */
async function aLead(): Promise<string> {
  const { funnel, organizations } = functions.demo();
  const form = aForm({
    fields: { organizationId: organizations.a.id, blockId: funnel.uploadBlockId },
    file: { name: 'plan.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7\n%%EOF\n') },
  });
  const { body: file } = await functions.call('funnel/upload', { form });
  const { uuid } = (file as { data: { uuid: string } }).data;
  const request = { path: { id: funnel.id }, body: { data: { name: 'Ada', roof_photo: uuid } } };
  const { body } = await functions.call('funnel/submit', request);
  return (body as { data: { id: string } }).data.id;
}

const readAttributeNames = async (id: string): Promise<string[]> => {
  const Key = { pk: `lead#${functions.demo().funnel.id}#${id}`, sk: 'lead' };
  const { Item = {} } = await dynamoDocumentClient().send(new GetCommand({ TableName: tableName('leads'), Key }));
  return Object.keys(Item).sort();
};

test('enforce-retention removes a recording, a call and the data of a lead when their retention periods have ended', async () => {
  const { organizations, readyCallId } = functions.demo();
  const ids = { orgId: organizations.a.id, callId: readyCallId };
  const lead = await aLead();
  expect(await readAttributeNames(lead)).toContain('d.name');
  const subject = { kind: 'lead' as const, funnelId: functions.demo().funnel.id, leadId: lead };
  const lane = { subject, endpointId: randomUUID() };
  await createDynamoLaneRepository().raise(lane, { orgId: ids.orgId, seq: 1, atMs: Date.now() });
  const Key = `${callPrefixes(ids).transcripts}a.json.gz`;
  await s3Client().send(new PutObjectCommand({ Bucket: BUCKETS.training, Key, Body: 'a' }));
  await changePeriods(ids.orgId, { recordingDays: 7, callDays: 60, leadDays: 60 });

  functions.later(30 * DAY_MS);
  await functions.run('background/enforce-retention');
  expect((await createDynamoCallRepository().find(ids))?.recordingKey).toBeNull();
  functions.later(60 * DAY_MS);
  await functions.run('background/enforce-retention');
  expect(await createDynamoCallRepository().find(ids)).toBeUndefined();
  expect(await createDynamoLaneRepository().find(lane)).toMatchObject({ version: expect.any(String) });
  await functions.run('background/dispatch-messages');
  expect(await readAttributeNames(lead)).toEqual(['erasedAt', 'expiresAt', 'pk', 'seq', 'sk']);
});
