import { appendFile, readFile } from 'node:fs/promises';
import { createEmlContent } from 'aws-ses-v2-local/dist/emlFile.js';
import { expect, test } from 'vitest';
import { MESSAGES_MAX, openJournal } from '../../../../infra/local/mailbox/journal.ts';
import { SMS_SENDER } from '../../../../infra/local/runtime/environment.ts';
import { createAwsMessageSender } from '../../../../shared/messages/aws/aws-message-sender.ts';
import { renderCodeMessage } from '../../../../shared/messages/code-message.ts';
import type { Channel, OutboundMessage } from '../../../../shared/messages/message.ts';
import { useMailbox } from '../../../support/local/mailbox.ts';

const mailbox = useMailbox();
const { send } = createAwsMessageSender();

const aMessage = (channel: Channel, destination: string, sender = 'Müller & Söhne'): OutboundMessage => {
  const to = { channel, destination, code: '314159', minutes: 10, sender };
  const language = { templates: {}, preferredLanguage: 'de', acceptLanguage: 'de' };
  return renderCodeMessage({ ...to, ...language, boundOrigin: undefined }).message;
};

test('the store lists e-mails, SMS, and all messages in the order of sending', async () => {
  await send(aMessage('email', 'ada@shop.example'));
  await send(aMessage('sms', '+4930901820'));
  const { emails, sms, messages, templates } = await mailbox.store();
  expect(templates).toEqual({});
  expect(emails).toMatchObject([
    {
      messageId: expect.stringMatching(/^ses-/),
      destination: { to: ['ada@shop.example'], cc: [], bcc: [] },
      subject: '314159 ist Ihr Bestätigungscode',
      body: { text: expect.stringContaining('314159'), html: expect.stringContaining('314159') },
      at: expect.any(Number),
    },
  ]);
  expect(sms).toEqual([
    {
      messageId: expect.any(String),
      destination: '+4930901820',
      sender: SMS_SENDER,
      body: '314159 ist Ihr Code für Müller & Söhne. Er gilt 10 Minuten.',
      at: expect.any(Number),
    },
  ]);
  expect(messages.map(({ channel, to, from }) => [channel, to, from])).toEqual([
    ['email', ['ada@shop.example'], 'Müller & Söhne <codes@tributary.example>'],
    ['sms', ['+4930901820'], SMS_SENDER],
  ]);
  expect((await mailbox.store('?since=99999999999')).messages).toEqual([]);
});

test('an e-mail has the headers and parts that spam filters expect', async () => {
  await send(aMessage('email', 'ada@bücher.example'));
  const stored = (await mailbox.store()).emails.at(-1);
  if (stored === undefined) throw new Error('Nothing was sent.');
  const attachments: [] = [];
  const mime = (await createEmlContent({ ...stored, attachments })).body.toString();
  const [head = ''] = mime.split('\r\n\r\n');
  const header = (name: string) =>
    new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'mi').exec(head)?.[1]?.replace(/\r\n\s+/g, ' ');
  // The MIME text contains the sender in another encoding, so this checks the stored sender.
  expect(stored.from).toMatch(/^=\?UTF-8\?B\?[\w+/=]+\?= <codes@tributary\.example>$/);
  expect(header('To')).toBe('ada@xn--bcher-kva.example');
  expect(header('Subject')).toMatch(/^(=\?UTF-8\?[BQ]\?[^?]+\?= ?)+$/);
  expect(header('Auto-Submitted')).toBe('auto-generated');
  expect(header('X-Auto-Response-Suppress')).toBe('All');
  expect(header('Content-Language')).toBe('de');
  expect(header('MIME-Version')).toBe('1.0');
  for (const once of ['From', 'To', 'Subject', 'Date', 'Message-ID']) {
    expect(head.match(new RegExp(`^${once}:`, 'gim'))).toHaveLength(1);
  }
  expect(header('List-Unsubscribe')).toBeUndefined();
  const boundary = /^multipart\/alternative; boundary="(.+)"$/.exec(header('Content-Type') ?? '')?.[1];
  const parts = mime.split(`--${boundary}`).slice(1, -1);
  // Mail programs prefer the last part (RFC 2046, 5.1.4).
  expect(parts.map((part) => /Content-Type: (.+)/i.exec(part)?.[1]?.trim())).toEqual([
    'text/plain; charset=utf-8',
    'text/html; charset=utf-8',
  ]);
  for (const line of mime.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
});

test('e-mails to fail.example and SMS to numbers that end with 0000 are rejected', async () => {
  const before = (await mailbox.store()).messages.length;
  await expect(send(aMessage('email', 'ada@fail.example'))).rejects.toThrow('MessageRejected');
  await expect(send(aMessage('email', 'ada@mail.fail.example'))).rejects.toThrow('MessageRejected');
  await expect(send(aMessage('sms', '+4930230000'))).rejects.toThrow('ConflictException');
  expect((await mailbox.store()).messages).toHaveLength(before);
});

test('an SMS with an invalid number or a text of more than 1,600 characters is rejected with ValidationException', async () => {
  await expect(send({ channel: 'sms', to: '030 901820', text: 'x' })).rejects.toThrow('ValidationException');
  const tooLong = send({ channel: 'sms', to: '+4930901820', text: 'x'.repeat(1_601) });
  await expect(tooLong).rejects.toThrow('ValidationException');
});

test('messages survive a restart after a kill that left an incomplete line', async () => {
  const before = await mailbox.store();
  await appendFile(mailbox.file(), '{"channel":"sms","sms":{"messageId":"cut');
  await mailbox.restart();
  expect(await mailbox.store()).toEqual(before);
  await fetch(mailbox.origin(), {
    method: 'POST',
    headers: { 'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage' },
    body: JSON.stringify({ DestinationPhoneNumber: '+4930901821', OriginationIdentity: 'x', MessageBody: 'after' }),
  });
  await mailbox.restart();
  expect((await mailbox.store()).sms).toHaveLength(before.sms.length + 1);
});

test('the latest 1,000 messages are kept in memory, and at most 2,000 lines in the file', async () => {
  const folder = `${mailbox.file()}.many`;
  const journal = openJournal(folder);
  const entry = (at: number) => {
    const sms = { messageId: String(at), destination: '+4930901820', sender: 's', body: 'b', at };
    return { channel: 'sms', sms } as const;
  };
  for (let at = 0; at < 3 * MESSAGES_MAX + 5; at++) journal.add(entry(at));
  expect(journal.entries()).toHaveLength(MESSAGES_MAX);
  expect(openJournal(folder).entries().at(-1)).toEqual(entry(3 * MESSAGES_MAX + 4));
  expect((await readFile(`${folder}/messages.jsonl`, 'utf8')).split('\n').length).toBeLessThan(2 * MESSAGES_MAX + 2);
});

test('an unknown message gets a 404, an unknown SMS operation a 400, and /clear-store removes all messages', async () => {
  const ask = async (path: string, init: RequestInit = {}) => (await fetch(`${mailbox.origin()}${path}`, init)).status;
  expect(await ask('/messages/ses-1/html')).toBe(404);
  expect(await ask('/messages/..%2f..%2fetc/html')).not.toBe(200);
  expect(await ask('/mailbox.js')).toBe(200);
  expect(await ask('/../journal.ts')).not.toBe(200);
  expect(await ask('/v2/email/outbound-emails', { method: 'POST', body: '{' })).toBeGreaterThanOrEqual(400);
  const target = { 'x-amz-target': 'PinpointSMSVoiceV2.DescribePools' };
  expect(await ask('/', { method: 'POST', body: '{}', headers: target })).toBe(400);
  expect(await ask('/health-check')).toBe(200);
  expect(await ask('/clear-store', { method: 'POST' })).toBe(200);
  expect((await mailbox.store()).messages).toEqual([]);
});
