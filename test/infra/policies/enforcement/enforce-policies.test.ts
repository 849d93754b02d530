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

/** Stands for any service: says yes, or that an object is missing, and keeps what it is sent. */
let arrived: { what: string; body: string }[];
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  arrived.push({ what: whatOf(request), body });
  const missing = request.url?.includes('missing');
  response.writeHead(missing ? 404 : 200);
  response.end(missing ? '<Error><Code>NoSuchKey</Code></Error>' : '{}');
});
const whatOf = ({ method, url, headers }: IncomingMessage): string =>
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
  arrived = [];
});

const options = { region: 'eu-central-1', credentials, maxAttempts: 1 };
const dynamo = () => new DynamoDBClient({ ...options, endpoint });
const s3 = () =>
  new S3Client({ ...options, endpoint, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });

/** Does it as a function. */
const as = <T>(id: string, work: () => Promise<T>): Promise<T> => runAsFunction(id, () => work())();

const aRead = (TableName: string) => new GetItemCommand({ TableName, Key });

describe('a call of DynamoDB', () => {
  test('that the policy allows arrives as it was sent', async () => {
    await as('training/read-call', () => dynamo().send(aRead('training')));
    expect(arrived).toEqual([{ what: 'POST / GetItem', body: JSON.stringify({ TableName: 'training', Key }) }]);
    expect(takeDenials()).toEqual([]);
  });

  test.each([
    ['another table', aRead('leads'), 'dynamodb:GetItem', 'table/leads'],
    ['another action', new DeleteItemCommand({ TableName: 'training', Key }), 'dynamodb:DeleteItem', 'table/training'],
  ])('for %s is refused as AWS refuses it, and never arrives', async (_, command, action, resource) => {
    const send = as('training/read-call', () => dynamo().send(command as GetItemCommand));
    await expect(send).rejects.toMatchObject({ name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } });
    expect(arrived).toEqual([]);
    const [sentence, ...more] = takeDenials();
    expect(sentence).toContain(`The function training/read-call is not allowed ${action} on arn:`);
    expect(sentence).toContain(resource);
    expect(more).toEqual([]);
  });

  test('that nobody has looked up is refused', async () => {
    const command = new ExecuteStatementCommand({ Statement: 'SELECT * FROM training' });
    const send = as('training/read-call', () => dynamo().send(command));
    await expect(send).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(arrived).toEqual([]);
    expect(takeDenials()).toEqual([expect.stringContaining("DynamoDB's ExecuteStatement")]);
  });

  test('from outside of functions passes, also while one runs', async () => {
    await dynamo().send(aRead('leads'));
    await as('training/read-call', () => runOutsideFunction(() => dynamo().send(aRead('leads'))));
    expect(arrived).toHaveLength(2);
  });

  test('is the function’s that it comes from, however many run at once over one connection', async () => {
    const client = dynamo();
    const ids = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'training/read-call' : 'funnel/upload'));
    const sent = await Promise.allSettled(ids.map((id) => as(id, () => client.send(aRead('training')))));
    expect(sent.map(({ status }) => status)).toEqual(ids.map((_, at) => (at % 2 === 0 ? 'fulfilled' : 'rejected')));
    expect(arrived).toHaveLength(20);
    expect(takeDenials()).toHaveLength(20);
  });
});

describe('a call of S3', () => {
  const at = (Key: string) => ({ Bucket: 'calls', Key });

  test('is allowed below a prefix, and refused beside it before a byte of its body is sent', async () => {
    const put = (key: string) =>
      as('training/voice-webhook', () => s3().send(new PutObjectCommand({ ...at(key), Body: 'a' })));
    await put('transcripts/a');
    await expect(put('recordings/a')).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
    expect(arrived).toEqual([{ what: 'PUT /calls/transcripts/a', body: 'a' }]);
    expect(takeDenials()).toEqual([expect.stringContaining('s3:PutObject on arn:aws:s3:::calls/recordings/a')]);
  });

  test('that asks for a head is refused without a body', async () => {
    const head = as('training/create-case', () => s3().send(new HeadObjectCommand(at('transcripts/a'))));
    await expect(head).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    expect(takeDenials()).toHaveLength(1);
  });

  test('hears that an object is missing only where it may list the bucket', async () => {
    const read = (id: string, Bucket: string, Key: string) =>
      as(id, () => s3().send(new GetObjectCommand({ Bucket, Key })));
    await expect(read('background/sweep-uploads', 'uploads', `${randomUUID()}/missing`)).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
    expect(takeDenials()).toEqual([]);
    await expect(read('training/read-call', 'calls', 'transcripts/missing')).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
    expect(takeDenials()).toEqual([]);
    const unheard = read('analytics/overview', 'facts', 'facts/missing');
    await expect(unheard).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(takeDenials()).toEqual([expect.stringContaining('may not hear so')]);
  });
});

describe('a call by fetch', () => {
  test('that is signed is judged', async () => {
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
    const answer = await as('training/voice-webhook', invoke);
    expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([403, 'AccessDeniedException']);
    expect(takeDenials()).toEqual([expect.stringContaining('lambda:InvokeFunction')]);
    expect(arrived).toEqual([]);
  });

  test('of the secrets extension is judged by the secret', async () => {
    const read = (secretId: string) => () =>
      fetch(`${endpoint}/secretsmanager/get?secretId=${secretId}`, {
        headers: { 'X-Aws-Parameters-Secrets-Token': '' },
      });
    expect((await as('funnel/mfa-send', read('hashes'))).status).toBe(200);
    expect((await as('funnel/mfa-send', read('others'))).status).toBe(400);
    expect(takeDenials()).toEqual([expect.stringContaining('secretsmanager:GetSecretValue')]);
  });

  test('of anything else passes', async () => {
    expect((await as('training/create-case', () => fetch(endpoint))).status).toBe(200);
  });
});

describe('a link that a function follows itself is judged as what it is signed for', () => {
  const linked = (Key: string) => getSignedUrl(s3(), new GetObjectCommand({ Bucket: 'calls', Key }));
  const byHttp = async (url: string) => {
    const [answer] = await once(get(url), 'response');
    return answer.resume().statusCode;
  };

  test.each([
    ['fetch', async (url: string) => (await fetch(url)).status],
    ['http', byHttp],
  ])('by %s', async (_, follow) => {
    expect(await as('training/read-call', async () => follow(await linked('transcripts/a')))).toBe(200);
    expect(await as('training/read-call', async () => follow(await linked('recordings/a')))).toBe(403);
    expect(takeDenials()).toEqual([expect.stringContaining('s3:GetObject on arn:aws:s3:::calls/recordings/a')]);
    expect(arrived).toHaveLength(1);
  });
});

test('a signature of another kind is refused: nobody knows what it is for', async () => {
  const authorization = 'AWS4-ECDSA-P256-SHA256 Credential=a/20260101/s3/aws4_request, Signature=b';
  const answer = await as('training/create-case', () => fetch(endpoint, { headers: { authorization } }));
  expect(answer.status).toBe(400);
  expect(takeDenials()).toEqual([expect.stringContaining('unknown signature')]);
});

describe('a function fails, for nobody would judge it,', () => {
  const port = () => Number(new URL(endpoint).port);

  test.each<[string, () => unknown, string]>([
    ['that speaks HTTP/2', () => http2.connect(endpoint), 'speaks HTTP/2'],
    ['that opens a connection', () => connect(port()), 'past all that is judged'],
    ['that opens a secure one', () => secured({ port: port() }), 'past all that is judged'],
    [
      'whose client does',
      () => once(get(endpoint, { createConnection: () => connect(port()) }), 'response'),
      'past all that is judged',
    ],
  ])('%s, also where it catches that', async (_, work, told) => {
    await expect(as('training/create-case', async () => work())).rejects.toThrow(told);
    expect(takeDenials()).toEqual([expect.stringContaining(told)]);
    expect(arrived).toEqual([]);
  });
});
