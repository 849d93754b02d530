import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoRateLimiter } from '../../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import type { RateLimitPolicy } from '../../../../shared/platform/rate-limiter.ts';
import { useDynamo } from '../../../support/dynamo.ts';

const { callsOf } = useDynamo();

/** Number of responses that the proxy drops after the requests took effect. */
let answersToLose = 0;
/** A proxy that forwards requests to the tables. */
const between = createServer((incoming, outgoing: ServerResponse) => {
  const onward = request(tables, { method: 'POST', headers: incoming.headers }, async (answer) => {
    const bytes: Buffer[] = [];
    for await (const chunk of answer) bytes.push(chunk);
    if (answersToLose-- > 0) outgoing.destroy();
    else outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(Buffer.concat(bytes));
  });
  incoming.pipe(onward);
});
let tables = '';
beforeAll(async () => {
  tables = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
});
afterAll(() => {
  between.closeAllConnections();
  between.close();
});

const log = createJsonLogger({}, () => undefined);
const limiter = createDynamoRateLimiter({ clock: { now: () => Date.parse('2026-03-01T10:00:00Z') } });
const tokens: RateLimitPolicy = { name: 'tokens', partitionKey: 'a', limit: 100, windowSeconds: 60, onOutage: 'deny' };

/** Returns the requests that `work` sends while the response to the first request is lost. */
const losingOne = (work: () => Promise<unknown>) => {
  answersToLose = 1;
  return callsOf(work);
};

test('a refund is applied once, even if its response is lost and the SDK retries the request', async () => {
  const first = await limiter.consume(tokens, log, 60);
  await limiter.consume(tokens, log, 40);
  expect(await losingOne(() => first.refund(30))).toEqual(['UpdateItem', 'UpdateItem']);
  expect((await limiter.consume(tokens, log, 31)).allowed).toBe(false);
  expect((await limiter.consume(tokens, log, 30)).allowed).toBe(true);
});

test('two equal refunds both take effect: the second refund is not mistaken for a retry of the first', async () => {
  const of = { ...tokens, partitionKey: 'b' };
  const both = [await limiter.consume(of, log, 50), await limiter.consume(of, log, 50)];
  for (const taken of both) await taken.refund(20);
  expect((await limiter.consume(of, log, 40)).allowed).toBe(true);
});

test('a consumption whose response is lost is counted at least once', async () => {
  const of = { ...tokens, partitionKey: 'c' };
  await losingOne(() => limiter.consume(of, log, 60));
  expect((await limiter.consume(of, log, 41)).allowed).toBe(false);
});
