import { describe, expect, test } from 'vitest';
import { parseMessageSettings } from '../../../infra/settings/message-settings.ts';
import { deployed, type Synthesized, synthesize, synthesizedStage } from '../../support/stacks.ts';

const context = { mailFrom: 'codes@mail.example.com', mailReplyTo: 'help@example.com', smsSender: 'pool/pool-1a2b' };
const settingsOf = (given: Record<string, unknown>) => parseMessageSettings((name) => given[name]);

const sending = (synthesized: Synthesized) => {
  const { role, lambda } = deployed(synthesized, 'funnel/mfa-send');
  const statements: { Action: string | string[]; Resource: unknown; Condition?: unknown }[] =
    role.properties.Policies[0].PolicyDocument.Statement;
  const of = (action: string) => statements.find(({ Action }) => [Action].flat().includes(action));
  return {
    mail: of('ses:SendEmail'),
    sms: of('sms-voice:SendTextMessage')?.Resource,
    environment: lambda.properties.Environment.Variables,
  };
};

const warningsOf = ({ stacks }: Synthesized): string =>
  stacks.api.node.metadata
    .filter(({ type }) => type === 'aws:cdk:warning')
    .map(({ data }) => String(data))
    .join('\n');

describe('with senders', () => {
  const synthesized = synthesize(context);
  const { mail, sms, environment } = sending(synthesized);

  test('mfa-send may send only from the configured address and the configured origination identity', () => {
    expect(JSON.stringify(mail?.Resource).match(/[a-z-]+\/\*/g)).toEqual(['identity/*', 'configuration-set/*']);
    expect(mail?.Condition).toEqual({ StringEquals: { 'ses:FromAddress': 'codes@mail.example.com' } });
    expect(JSON.stringify(sms)).toMatch(/:sms-voice:.*:pool\/pool-1a2b"/);
    expect(JSON.stringify(sms)).not.toContain('*');
  });

  test('mfa-send gets the senders as settings; mfa-check does not get them', () => {
    expect(environment).toMatchObject({ MAIL_FROM: 'codes@mail.example.com', MAIL_REPLY_TO: 'help@example.com' });
    expect(environment.SMS_SENDER).toEqual(sms);
    const { lambda } = deployed(synthesized, 'funnel/mfa-check');
    expect(Object.keys(lambda.properties.Environment.Variables).join()).not.toMatch(/MAIL|SMS/);
  });

  test('synthesis has no warning about senders', () => {
    expect(warningsOf(synthesized)).not.toContain('are not sent');
  });
});

describe('without senders', () => {
  const synthesized = synthesizedStage();

  test('mfa-send may not send messages, and has no sender as a setting', () => {
    const { mail, sms, environment } = sending(synthesized);
    expect([mail, sms]).toEqual([undefined, undefined]);
    expect(Object.keys(environment).join()).not.toMatch(/MAIL|SMS/);
  });

  test('synthesis warns that a sender is missing for each channel', () => {
    expect(warningsOf(synthesized)).toContain('-c mailFrom=codes@example.com');
    expect(warningsOf(synthesized)).toContain('-c smsSender=phone-number/');
  });
});

test.each([
  [{ mailFrom: 'Codes <codes@example.com>' }, /^mailFrom: must look like/],
  [{ mailFrom: 'codes@example.com\nBcc: x' }, /^mailFrom/],
  [{ mailReplyTo: 'no address' }, /^mailReplyTo/],
  [{ smsSender: 'arn:aws:sms-voice:*' }, /^smsSender/],
  [{ smsSender: 'pool/*' }, /^smsSender/],
  [{ smsSender: 7 }, /^smsSender/],
])('the settings %j are rejected with a message', (given, sentence) => {
  expect(() => settingsOf(given)).toThrow(sentence);
});

test('the domain of an address is converted to lowercase, like the names of SES identities', () => {
  expect(settingsOf({ mailFrom: 'Codes@Mail.Example.COM' })).toEqual({ mailFrom: 'Codes@mail.example.com' });
});

test.each(['phone-number/phone-0123456789abcdef0123456789abcdef', 'pool/pool-1', 'sender-id/ACME/DE'])(
  '%s is accepted as an origination identity',
  (smsSender) => expect(settingsOf({ smsSender })).toEqual({ smsSender }),
);
