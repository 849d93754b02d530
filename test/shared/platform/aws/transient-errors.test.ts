import { DynamoDBClient, GetItemCommand, ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { isTransientAwsError } from '../../../../shared/platform/aws/transient-errors.ts';

const named = (name: string, properties: object = {}) => Object.assign(new Error(name), { name, ...properties });

test('throttling, service errors and timeouts are transient', () => {
  expect(isTransientAwsError(new ProvisionedThroughputExceededException({ $metadata: {}, message: '' }))).toBe(true);
  expect(isTransientAwsError(named('ThrottlingException', { $metadata: { httpStatusCode: 400 } }))).toBe(true);
  expect(isTransientAwsError(named('InternalServerError', { $metadata: { httpStatusCode: 500 } }))).toBe(true);
  expect(isTransientAwsError(named('TimeoutError'))).toBe(true);
});

test('a refused connection is transient', async () => {
  const client = new DynamoDBClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  const failure = await client.send(new GetItemCommand({ TableName: 't', Key: {} })).catch((error: unknown) => error);
  expect(isTransientAwsError(failure)).toBe(true);
});

test('errors of invalid or forbidden requests, and errors that are not from AWS, are not transient', () => {
  expect(isTransientAwsError(named('ValidationException', { $metadata: { httpStatusCode: 400 } }))).toBe(false);
  expect(isTransientAwsError(named('AccessDeniedException', { $metadata: { httpStatusCode: 400 } }))).toBe(false);
  expect(isTransientAwsError(new TypeError('x'))).toBe(false);
  expect(isTransientAwsError('x')).toBe(false);
});
