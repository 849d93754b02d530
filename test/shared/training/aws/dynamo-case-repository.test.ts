import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createDynamoCaseRepository } from '../../../../shared/training/aws/dynamo-case-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const trainingCase = {
  id: '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59',
  name: 'Price objection',
  description: 'Too expensive',
  situation: 'Second call',
  objective: 'Keep the price',
  successCriteria: 'A date is agreed',
  difficulty: 'medium' as const,
  dos: [{ id: 'next', label: 'Names the next step' }],
  archivedAt: null,
};

test('a case is stored in the partition of its organization, and a repeated write changes nothing', async () => {
  const cases = createDynamoCaseRepository({ now: () => Date.UTC(2026, 2, 1) });
  await cases.add('an-organization', trainingCase);
  await cases.add('an-organization', trainingCase);
  const Key = { pk: 'org#an-organization', sk: `case#${trainingCase.id}` };
  const { Item } = await dynamoDocumentClient().send(new GetCommand({ TableName: 'training', Key }));
  expect(Item).toEqual({ ...Key, ...trainingCase, createdAt: '2026-03-01T00:00:00.000Z' });
});

test('storing a case throws UnavailableError while the table is throttled', async () => {
  const name = 'throttled';
  const throttled = () => Promise.reject(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));
  dynamoDocumentClient().middlewareStack.add(() => throttled, { step: 'initialize', name });
  onTestFinished(() => void dynamoDocumentClient().middlewareStack.remove(name));
  const added = createDynamoCaseRepository().add('an-organization', trainingCase);
  await expect(added).rejects.toMatchObject({ name: 'UnavailableError', retryAfterSeconds: 1 });
});
