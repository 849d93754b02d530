import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';
import { extractPersonalTexts, recordFunctionIo, takeRecordedIo } from '../../support/deployed/function-io.ts';
import { proxyEvent } from '../../support/http.ts';
import { findPersonalData } from '../../support/logs/find-personal-data.ts';
import { note } from '../../support/sample-operations.ts';

const FUNNEL = randomUUID();
const TOKEN = 'kQ2wZ8xN4vB7mC1pL5tR9yH3';
const EVENT = proxyEvent(note, {
  path: { id: FUNNEL },
  query: { since: 'lovelace-2' },
  headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '192.0.2.77' },
  ip: '192.0.2.44',
  body: {
    said: 'Please call me back on Tuesday evening',
    data: { mail: 'ada@lovelace.example', size: 4711_0815, 'Ada’s dog': ['Bello'] },
    pageUrl: 'https://page.example/?gclid=Cj0KCQ',
    socketUrl: 'ws://127.0.0.1:30001/',
  },
});
const ANSWER = { statusCode: 200, body: JSON.stringify({ code: '501 337' }) };

/** Runs a function that writes these logs. Returns the personal data in its log lines. */
async function found(logs: (log: Logger, event: APIGatewayProxyEvent) => void): Promise<string[]> {
  const lines: string[] = [];
  const log = createJsonLogger({ function: 'test/note', requestId: randomUUID() }, (line) => lines.push(line));
  const handler = recordFunctionIo(async (event: APIGatewayProxyEvent) => {
    logs(log, event);
    return ANSWER;
  });
  await handler(EVENT);
  return findPersonalData(lines, extractPersonalTexts(takeRecordedIo()));
}

const leaks: [string, (log: Logger, event: APIGatewayProxyEvent) => void][] = [
  ['the whole body', (log, { body }) => log.info('taken', { body })],
  ['an e-mail address', (log) => log.info('sent to ada@lovelace.example')],
  ['the beginning of a prompt', (log) => log.info('asked', { prompt: 'Please call me back on…' })],
  ['a number of the body', (log) => log.info('taken', { size: 4711_0815 })],
  ['a property name of the body', (log) => log.warn('unknown', { names: ['Ada’s dog'] })],
  ['a property name of the body as a field name', (log) => log.warn('unknown', { 'Ada’s dog': true })],
  ['a part of a token', (log) => log.error('refused', new Error(`${TOKEN.slice(0, 20)} is too old`))],
  ['a text of a cause', (log) => log.error('failed', new Error('x', { cause: new Error('to ada@lovelace.example') }))],
  ['the client’s IP address', (log) => log.info('from 192.0.2.44')],
  ['a header value', (log) => log.info('from', { hops: ['192.0.2.77'] })],
  ['a query value of the request', (log) => log.info('reads', { since: 'lovelace-2' })],
  ['a query value of a URL in the body', (log) => log.info('came from Cj0KCQ')],
  ['a text of the response', (log) => log.info('made 501 337')],
  ['an id without saying what it identifies', (log) => log.info(`of ${FUNNEL}`)],
];

test.each(leaks)('findPersonalData detects a function that logs %s', async (_, logs) => {
  expect(await found(logs)).not.toEqual([]);
});

test('findPersonalData ignores the service’s own texts, and ids that follow a word such as “funnel” or `funnelId`', async () => {
  expect(
    await found((log) => {
      log.error('answered with a server error', new Error('The model failed after its first token.'), { status: 500 });
      log.info('taken', { funnelId: FUNNEL, kind: 'application/json' });
      log.warn(`There is no entry for the funnel ${FUNNEL}.`);
      log.warn('No model responded at http://127.0.0.1:30002.');
      log.recordMetric('ServerErrors');
    }),
  ).toEqual([]);
});

test('extractPersonalTexts finds texts in the base64 data of a stream record and in the lines of a form', () => {
  const data = Buffer.from(JSON.stringify({ events: [{ sessionId: 'session of Ada' }] })).toString('base64');
  const form = 'Content-Disposition: form-data; name="file"; filename="cv-of-ada.pdf"\r\n\r\nBorn in London\r\n';
  const sent = { ...proxyEvent(note, {}), body: Buffer.from(form).toString('base64'), isBase64Encoded: true };
  expect([...extractPersonalTexts([{ Records: [{ kinesis: { data } }] }, sent])]).toEqual(
    expect.arrayContaining(['session of Ada', 'cv-of-ada.pdf', 'Born in London']),
  );
});
