import { DynamoDBClient, GetItemCommand, ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { isUnavailable } from '../../../shared/platform/aws-failure.ts';

const named = (name: string, said: object = {}) => Object.assign(new Error(name), { name, ...said });

test('throttling, faults of the service and lost connections pass', () => {
  expect(isUnavailable(new ProvisionedThroughputExceededException({ $metadata: {}, message: '' }))).toBe(true);
  expect(isUnavailable(named('ThrottlingException', { $metadata: { httpStatusCode: 400 } }))).toBe(true);
  expect(isUnavailable(named('InternalServerError', { $metadata: { httpStatusCode: 500 } }))).toBe(true);
  expect(isUnavailable(named('TimeoutError'))).toBe(true);
});

test('a database that is not there is unavailable', async () => {
  const client = new DynamoDBClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  const failure = await client.send(new GetItemCommand({ TableName: 't', Key: {} })).catch((error: unknown) => error);
  expect(isUnavailable(failure)).toBe(true);
});

test('a request of ours that is wrong does not pass by waiting', () => {
  expect(isUnavailable(named('ValidationException', { $metadata: { httpStatusCode: 400 } }))).toBe(false);
  expect(isUnavailable(named('AccessDeniedException', { $metadata: { httpStatusCode: 400 } }))).toBe(false);
  expect(isUnavailable(new TypeError('x'))).toBe(false);
  expect(isUnavailable('x')).toBe(false);
});
