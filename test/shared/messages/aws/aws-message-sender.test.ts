import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createAwsMessageSender } from '../../../../shared/messages/aws/aws-message-sender.ts';
import type { EmailMessage } from '../../../../shared/messages/message.ts';

type Reply = { status: number; type?: string };
let replies: Reply[] = [];
let requests: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];

const provider = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  requests.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
  const { status, type } = replies.shift() ?? { status: 200 };
  if (status === 0) return;
  response.writeHead(status, { 'Content-Type': 'application/json', ...(type && { 'x-amzn-errortype': type }) });
  response.end(JSON.stringify({ MessageId: 'm-1', message: 'about ada@shop.example', ...(type && { __type: type }) }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_SESV2: url,
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: url,
  });
});
afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});
beforeEach(() => {
  [replies, requests] = [[], []];
  vi.stubEnv('MAIL_FROM', 'codes@tributary.example');
  vi.stubEnv('SMS_SENDER', 'arn:aws:sms-voice:eu-central-1:111122223333:phone-number/phone-1');
});

const mail: EmailMessage = {
  channel: 'email',
  to: 'ada@bücher.example',
  sender: 'Müller',
  subject: '314159 ist Ihr Code',
  text: 'Ihr Code: 314159',
  html: '<p>Ihr Code: 314159</p>',
  language: 'de',
};
const sms = { channel: 'sms', to: '+4930901820', text: '314159' } as const;
const { send, channels } = createAwsMessageSender();

test('an e-mail is sent through SES with text and HTML in UTF-8, and headers that suppress automatic replies', async () => {
  await send(mail);
  expect(requests.map(({ url }) => url)).toEqual(['/v2/email/outbound-emails']);
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    FromEmailAddress: '=?UTF-8?B?TcO8bGxlcg==?= <codes@tributary.example>',
    Destination: { ToAddresses: ['ada@xn--bcher-kva.example'] },
    Content: {
      Simple: {
        Subject: { Data: mail.subject, Charset: 'UTF-8' },
        Body: { Text: { Data: mail.text, Charset: 'UTF-8' }, Html: { Data: mail.html, Charset: 'UTF-8' } },
        Headers: [
          { Name: 'Auto-Submitted', Value: 'auto-generated' },
          { Name: 'X-Auto-Response-Suppress', Value: 'All' },
          { Name: 'Content-Language', Value: 'de' },
        ],
      },
    },
  });
});

test('an e-mail has the reply address that is configured', async () => {
  vi.stubEnv('MAIL_REPLY_TO', 'help@tributary.example');
  await send(mail);
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ ReplyToAddresses: ['help@tributary.example'] });
});

test('an SMS is sent through End User Messaging with a time to live of 10 minutes', async () => {
  await send(sms);
  expect(requests[0]?.headers['x-amz-target']).toBe('PinpointSMSVoiceV2.SendTextMessage');
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    DestinationPhoneNumber: '+4930901820',
    OriginationIdentity: 'arn:aws:sms-voice:eu-central-1:111122223333:phone-number/phone-1',
    MessageType: 'TRANSACTIONAL',
    MessageBody: '314159',
    TimeToLive: 600,
  });
});

test('a channel is available only if its sender is configured', () => {
  expect([...channels()]).toEqual(['email', 'sms']);
  vi.stubEnv('SMS_SENDER', '');
  expect([...channels()]).toEqual(['email']);
  vi.stubEnv('MAIL_FROM', '');
  expect([...channels()]).toEqual([]);
});

test.each([
  ['TooManyRequestsException', 429],
  ['ThrottlingException', 400],
])('%s: the message is sent again, because the provider did not accept the first attempt', async (type, status) => {
  replies = [{ status, type }];
  await send(mail);
  expect(requests).toHaveLength(2);
});

test.each([
  ['MessageRejected', 400],
  ['ServiceUnavailable', 503],
  ['ConflictException', 409],
])('%s: sending fails without a retry, with an error that contains no address and no code', async (type, status) => {
  for (const message of [mail, sms]) {
    [replies, requests] = [[{ status, type }], []];
    const failure = await send(message).catch((error: Error) => error);
    expect(String(failure)).toMatch(/did not confirm that it accepted a message/);
    expect(String(failure)).not.toMatch(/ada|314159|901820/);
    expect((failure as Error).cause).toBeUndefined();
    expect(requests).toHaveLength(1);
  }
});

test('a message is not sent again after a timeout, because the provider may have accepted the message', async () => {
  replies = [{ status: 0 }];
  await expect(send(sms)).rejects.toThrow(/TimeoutError/);
  expect(requests).toHaveLength(1);
});
