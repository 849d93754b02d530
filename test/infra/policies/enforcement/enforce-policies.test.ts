import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { connect as secured } from 'node:tls';
import { DeleteItemCommand, DynamoDBClient, ExecuteStatementCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AwsV4Signer } from 'aws4fetch';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listenLocally } from '../../../../infra/local/common/listen.ts';
import { runAsFunction, runOutsideFunction } from '../../../../infra/policies/enforcement/running-function.ts';
import { takeDenials } from '../../../support/policies/expected-denials.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const Key = { pk: { S: 'a' } };

let received: { request: string; body: string }[];
/** Replaces all AWS services. Records requests and responds 200, or 404 if the URL contains `missing`. */
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  received.push({ request: describeRequest(request), body });
  const isMissing = request.url?.includes('missing');
  response.writeHead(isMissing ? 404 : 200);
  response.end(isMissing ? '<Error><Code>NoSuchKey</Code></Error>' : '{}');
});
const describeRequest = ({ method, url, headers }: IncomingMessage): string =>
  `${method} ${url?.replace(/\?.*/, '')} ${String(headers['x-amz-target'] ?? '').replace(/^.*\./, '')}`.trim();

let endpoint: string;
beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listenLocally(server)}`;
  Object.assign(process.env, { DIRECTORY_TABLE: 'directory', TRAINING_TABLE: 'training', LIMITS_TABLE: 'limits' });
  Object.assign(process.env, {
    TRAINING_BUCKET: 'calls',
    UPLOADS_BUCKET: 'uploads',
    FACTS_BUCKET: 'facts',
    HASH_SECRET_ID: 'hashes',
  });
});
afterAll(() => void server.close());
beforeEach(() => {
  received = [];
});

const options = { region: 'eu-central-1', credentials, maxAttempts: 1 };
const dynamo = () => new DynamoDBClient({ ...options, endpoint });
const s3 = () =>
  new S3Client({ ...options, endpoint, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });

const runAs = <T>(id: string, work: () => Promise<T>): Promise<T> => runAsFunction(id, () => work())();

const aRead = (TableName: string) => new GetItemCommand({ TableName, Key });

describe('a request to DynamoDB', () => {
  test('that the policy allows is sent unchanged', async () => {
    await runAs('training/read-call', () => dynamo().send(aRead('training')));
    expect(received).toEqual([{ request: 'POST / GetItem', body: JSON.stringify({ TableName: 'training', Key }) }]);
    expect(takeDenials()).toEqual([]);
  });

  test.each([
    ['a table', aRead('leads'), 'dynamodb:GetItem', 'table/leads'],
    ['an action', new DeleteItemCommand({ TableName: 'training', Key }), 'dynamodb:DeleteItem', 'table/training'],
  ])('for %s without permission gets the error of AWS and is not sent', async (_, command, action, resource) => {
    const send = runAs('training/read-call', () => dynamo().send(command as GetItemCommand));
    await expect(send).rejects.toMatchObject({ name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } });
    expect(received).toEqual([]);
    const [message, ...more] = takeDenials();
    expect(message).toContain(`The function training/read-call is not allowed ${action} on arn:`);
    expect(message).toContain(resource);
    expect(more).toEqual([]);
  });

  test('for an operation whose permissions are not known is denied', async () => {
    const command = new ExecuteStatementCommand({ Statement: 'SELECT * FROM training' });
    const send = runAs('training/read-call', () => dynamo().send(command));
    await expect(send).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(received).toEqual([]);
    expect(takeDenials()).toEqual([expect.stringContaining("DynamoDB's ExecuteStatement")]);
  });

  test('from code outside a function is sent without an evaluation, even while a function runs', async () => {
    await dynamo().send(aRead('leads'));
    await runAs('training/read-call', () => runOutsideFunction(() => dynamo().send(aRead('leads'))));
    expect(received).toHaveLength(2);
  });

  test('is evaluated by the policy of the function that sends it, even if concurrent functions share a client', async () => {
    const client = dynamo();
    const ids = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'training/read-call' : 'funnel/upload'));
    const sent = await Promise.allSettled(ids.map((id) => runAs(id, () => client.send(aRead('training')))));
    expect(sent.map(({ status }) => status)).toEqual(ids.map((_, at) => (at % 2 === 0 ? 'fulfilled' : 'rejected')));
    expect(received).toHaveLength(20);
    expect(takeDenials()).toHaveLength(20);
  });
});

describe('a request to S3', () => {
  const at = (Key: string) => ({ Bucket: 'calls', Key });

  test('with a key that the policy does not allow is denied before any byte is sent', async () => {
    const put = (key: string) =>
      runAs('training/voice-webhook', () => s3().send(new PutObjectCommand({ ...at(key), Body: 'a' })));
    await put('transcripts/a');
    await expect(put('recordings/a')).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
    expect(received).toEqual([{ request: 'PUT /calls/transcripts/a', body: 'a' }]);
    expect(takeDenials()).toEqual([expect.stringContaining('s3:PutObject on arn:aws:s3:::calls/recordings/a')]);
  });

  test('with HEAD gets 403 if the policy does not allow the request', async () => {
    const head = runAs('training/create-case', () => s3().send(new HeadObjectCommand(at('transcripts/a'))));
    await expect(head).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    expect(takeDenials()).toHaveLength(1);
  });

  test('for a missing object gets 404 if the function may list the bucket, and otherwise 403', async () => {
    const read = (id: string, Bucket: string, Key: string) =>
      runAs(id, () => s3().send(new GetObjectCommand({ Bucket, Key })));
    await expect(read('background/sweep-uploads', 'uploads', `${randomUUID()}/missing`)).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
    expect(takeDenials()).toEqual([]);
    await expect(read('training/read-call', 'calls', 'transcripts/missing')).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
    expect(takeDenials()).toEqual([]);
    const hidden = read('analytics/overview', 'facts', 'facts/missing');
    await expect(hidden).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(takeDenials()).toEqual([expect.stringContaining('may not list the bucket')]);
  });
});

describe('a request by fetch', () => {
  test('that is signed for AWS is evaluated', async () => {
    const invoke = async () => {
      const url = `${endpoint}/2015-03-31/functions/another/invocations`;
      const signer = new AwsV4Signer({
        ...options,
        ...credentials,
        service: 'lambda',
        method: 'POST',
        url,
        body: '{}',
      });
      const { headers } = await signer.sign();
      return fetch(url, { method: 'POST', headers, body: '{}' });
    };
    const response = await runAs('training/voice-webhook', invoke);
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([403, 'AccessDeniedException']);
    expect(takeDenials()).toEqual([expect.stringContaining('lambda:InvokeFunction')]);
    expect(received).toEqual([]);
  });

  test('to the secrets extension is sent only if the function may read the requested secret', async () => {
    const read = (secretId: string) => () =>
      fetch(`${endpoint}/secretsmanager/get?secretId=${secretId}`, {
        headers: { 'X-Aws-Parameters-Secrets-Token': '' },
      });
    expect((await runAs('funnel/mfa-send', read('hashes'))).status).toBe(200);
    expect((await runAs('funnel/mfa-send', read('others'))).status).toBe(400);
    expect(takeDenials()).toEqual([expect.stringContaining('secretsmanager:GetSecretValue')]);
  });

  test('that is not signed is sent', async () => {
    expect((await runAs('training/create-case', () => fetch(endpoint))).status).toBe(200);
  });
});

describe('a request of a function to a presigned URL', () => {
  const presign = (Key: string) => getSignedUrl(s3(), new GetObjectCommand({ Bucket: 'calls', Key }));
  const byHttp = async (url: string) => {
    const [response] = await once(get(url), 'response');
    return response.resume().statusCode;
  };

  test.each([
    ['fetch', async (url: string) => (await fetch(url)).status],
    ['http', byHttp],
  ])('by %s is evaluated', async (_, request) => {
    expect(await runAs('training/read-call', async () => request(await presign('transcripts/a')))).toBe(200);
    expect(await runAs('training/read-call', async () => request(await presign('recordings/a')))).toBe(403);
    expect(takeDenials()).toEqual([expect.stringContaining('s3:GetObject on arn:aws:s3:::calls/recordings/a')]);
    expect(received).toHaveLength(1);
  });
});

test('a request with an unsupported kind of signature is denied', async () => {
  const authorization = 'AWS4-ECDSA-P256-SHA256 Credential=a/20260101/s3/aws4_request, Signature=b';
  const response = await runAs('training/create-case', () => fetch(endpoint, { headers: { authorization } }));
  expect(response.status).toBe(400);
  expect(takeDenials()).toEqual([expect.stringContaining('unknown signature')]);
});

describe('a function', () => {
  const port = () => Number(new URL(endpoint).port);

  test.each<[string, () => unknown, string]>([
    ['uses HTTP/2', () => http2.connect(endpoint), 'uses HTTP/2'],
    ['opens a raw connection', () => connect(port()), 'opens a raw connection'],
    ['opens a raw TLS connection', () => secured({ port: port() }), 'opens a raw connection'],
    [
      'uses a client that opens a raw connection',
      () => once(get(endpoint, { createConnection: () => connect(port()) }), 'response'),
      'opens a raw connection',
    ],
  ])('that %s fails, and the denial is reported', async (_, work, message) => {
    await expect(runAs('training/create-case', async () => work())).rejects.toThrow(message);
    expect(takeDenials()).toEqual([expect.stringContaining(message)]);
    expect(received).toEqual([]);
  });
});
