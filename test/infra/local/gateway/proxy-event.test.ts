import { request } from 'node:http';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { REQUEST_ID } from '../../../support/http.ts';
import { anOperation, sendRaw, useGateway } from '../../../support/local/gateway.ts';

const seen: { event: APIGatewayProxyEvent; context: Context }[] = [];

const keep = async (event: unknown, context: unknown) => {
  seen.push({ event: event as APIGatewayProxyEvent, context: context as Context });
  return { statusCode: 200, body: '{}' };
};

const origin = useGateway([
  { declared: anOperation('test/echo', 'POST /api/v2/things/{id}/echo'), handler: keep },
  { declared: anOperation('test/exact', 'POST /api/v2/things/exact/echo'), handler: keep },
  { declared: anOperation('test/read', 'GET /api/v2/things', { body: 'none' }), handler: keep },
]);

async function eventOf(path: string, init: RequestInit = {}): Promise<APIGatewayProxyEvent> {
  seen.length = 0;
  const answer = await fetch(`${origin()}${path}`, init);
  expect(answer.status).toBe(200);
  const [call] = seen;
  if (call === undefined) throw new Error('The function was not called.');
  return call.event;
}

test('a request becomes the proxy event of a REST API', async () => {
  const event = await eventOf('/api/v2/things/a%2Fb%20c/echo?x=1&y=a%20b&x=2', {
    method: 'POST',
    body: '{"ü":1}',
    headers: { 'content-type': 'application/json', 'user-agent': 'test' },
  });
  expect(event).toMatchObject({
    resource: '/api/v2/things/{id}/echo',
    path: '/api/v2/things/a%2Fb%20c/echo',
    httpMethod: 'POST',
    pathParameters: { id: 'a/b c' },
    queryStringParameters: { x: '2', y: 'a b' },
    multiValueQueryStringParameters: { x: ['1', '2'], y: ['a b'] },
    stageVariables: null,
    body: '{"ü":1}',
    isBase64Encoded: false,
    requestContext: {
      accountId: '000000000000',
      httpMethod: 'POST',
      identity: { sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      extendedRequestId: expect.stringMatching(REQUEST_ID),
      requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      resourcePath: '/api/v2/things/{id}/echo',
      stage: 'local',
    },
  });
  expect(event.headers['content-type']).toBe('application/json');
  expect(event.multiValueHeaders['content-type']).toEqual(['application/json']);
});

test('a caller can choose the request id, but no other id', async () => {
  const headers = { 'x-amzn-RequestId': 'mine', 'x-amz-apigw-id': 'mine', 'x-amzn-extended-request-id': 'mine' };
  const { requestContext } = await eventOf('/api/v2/things', { headers });
  expect(requestContext.requestId).toBe('mine');
  expect(requestContext.extendedRequestId).toMatch(REQUEST_ID);
  expect(seen[0]?.context.awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('if a request has no query, no path parameters and no body, these properties of the event are null', async () => {
  expect(await eventOf('/api/v2/things')).toMatchObject({
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    body: null,
    isBase64Encoded: false,
  });
});

test('multiValueHeaders has all values of a repeated header, and the client address is added to X-Forwarded-For', async () => {
  seen.length = 0;
  await new Promise<void>((resolve, reject) => {
    const outgoing = request(`${origin()}/api/v2/things`, {
      headers: { 'X-Twice': ['1', '2'], 'X-Forwarded-For': '203.0.113.7' },
    });
    outgoing
      .on('response', (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
  expect(seen[0]?.event.headers['X-Twice']).toBe('2');
  expect(seen[0]?.event.multiValueHeaders['X-Twice']).toEqual(['1', '2']);
  expect(seen[0]?.event.headers['X-Forwarded-For']).toBe('203.0.113.7, 127.0.0.1');
});

test('a literal segment takes precedence over a parameter', async () => {
  expect((await eventOf('/api/v2/things/exact/echo', { method: 'POST' })).resource).toBe('/api/v2/things/exact/echo');
});

test('a request in absolute form is accepted', async () => {
  seen.length = 0;
  await sendRaw(origin(), `GET ${origin()}/api/v2/things?x=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(seen[0]?.event).toMatchObject({ path: '/api/v2/things', queryStringParameters: { x: '1' } });
});

test('query parameters with names like __proto__ are kept', async () => {
  const event = await eventOf('/api/v2/things?__proto__=1&constructor=2');
  expect(Object.entries(event.queryStringParameters ?? {})).toEqual([
    ['__proto__', '1'],
    ['constructor', '2'],
  ]);
});

test('a multipart/form-data body is base64-encoded, and a text/plain body is not', async () => {
  const body = Buffer.from([0, 255, 128]);
  const multipart = { method: 'POST', body, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
  expect(await eventOf('/api/v2/things/1/echo', multipart)).toMatchObject({
    body: body.toString('base64'),
    isBase64Encoded: true,
  });
  const text = { method: 'POST', body: 'plain', headers: { 'content-type': 'text/plain' } };
  expect(await eventOf('/api/v2/things/1/echo', text)).toMatchObject({ body: 'plain', isBase64Encoded: false });
});

test('a body whose type is multipart/form-data is base64-encoded only if the type is in lowercase', async () => {
  const isBase64 = async (type: string) => {
    const event = await eventOf('/api/v2/things/1/echo', {
      method: 'POST',
      body: 'plain',
      headers: { 'content-type': type },
    });
    return event.isBase64Encoded;
  };
  expect(await isBase64('multipart/form-data')).toBe(true);
  expect(await isBase64('multipart/form-data ;boundary=X')).toBe(true);
  expect(await isBase64('Multipart/Form-Data; boundary=x')).toBe(false);
  expect(await isBase64('multipart/form-database; boundary=x')).toBe(false);
});

test('a semicolon separates query parameters', async () => {
  const { queryStringParameters } = await eventOf('/api/v2/things?x=1;y=2&z=%3B');
  expect(queryStringParameters).toEqual({ x: '1', y: '2', z: ';' });
});

test('the context contains the name, the memory and the remaining time of the function', async () => {
  await eventOf('/api/v2/things');
  const context = seen[0]?.context;
  expect(context).toMatchObject({ functionName: 'tributary-test-read', memoryLimitInMB: '512' });
  expect(context?.getRemainingTimeInMillis()).toBeGreaterThan(9_000);
  expect(context?.getRemainingTimeInMillis()).toBeLessThanOrEqual(10_000);
});
