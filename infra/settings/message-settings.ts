import { Annotations, type Stack } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** The senders of messages to visitors. */
export type MessageSettings = {
  /** The sender address of e-mails; absent: none are sent. */
  mailFrom?: string;
  /** The reply-to address; absent: `mailFrom`. */
  mailReplyTo?: string;
  /** The origination identity of SMS, as the last part of its ARN; absent: none are sent. */
  smsSender?: string;
};

const ADDRESS = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i;
const ORIGINATION = /^(?:phone-number\/[\w-]+|pool\/[\w-]+|sender-id\/[A-Za-z0-9-]{1,11}\/[A-Z]{2})$/;

/**
 * Reads the senders from CDK context: `mailFrom` and `mailReplyTo`, addresses of verified SES identities, and
 * `smsSender`, for example `phone-number/phone-…`, `pool/pool-…` or `sender-id/NAME/DE`.
 *
 * @throws Error with a message for the operator
 */
export function parseMessageSettings(context: Settings): MessageSettings {
  const given = (name: keyof MessageSettings, form: RegExp, example: string) => {
    const value = context(name);
    if (value === undefined) return {};
    if (typeof value !== 'string' || !form.test(value)) throw new Error(`${name}: must be such as ${example}.`);
    return { [name]: withLowerCaseDomain(value) };
  };
  return {
    ...given('mailFrom', ADDRESS, 'codes@example.com'),
    ...given('mailReplyTo', ADDRESS, 'help@example.com'),
    ...given('smsSender', ORIGINATION, 'phone-number/phone-…, pool/pool-… or sender-id/NAME/DE'),
  };
}

/**
 * Lowercases the domain of an address: SES identities are lowercase, and policies compare resources case-sensitively. A
 * value without `@` stays unchanged.
 */
const withLowerCaseDomain = (value: string): string => value.replace(/@.*$/, (domain) => domain.toLowerCase());

/**
 * The resources of the message grants; none if no sender is configured. SES may check the permission for the sender's
 * domain, for its address if that is verified separately, for the recipient while the account is in the sandbox, and
 * for the default configuration set of an identity. None of these are known here, so a condition restricts the sender's
 * address.
 */
export function senders(stack: Stack, { mailFrom, smsSender }: MessageSettings) {
  const { partition, region, account } = stack;
  const ses = (resource: string) => `arn:${partition}:ses:${region}:${account}:${resource}`;
  const sms = `arn:${partition}:sms-voice:${region}:${account}:${smsSender}`;
  return {
    'sender:mail':
      mailFrom === undefined
        ? { arn: [], name: '' }
        : {
            arn: [ses('identity/*'), ses('configuration-set/*')],
            name: mailFrom,
            conditions: { StringEquals: { 'ses:FromAddress': mailFrom } },
          },
    'sender:sms': smsSender === undefined ? { arn: [], name: '' } : { arn: [sms], name: sms },
  };
}

/** Warns the operator, so that they do not learn from a visitor that codes are not sent. */
export function warnAboutSenders(stack: Stack, { mailFrom, smsSender }: MessageSettings): void {
  const warn = (id: string, sentence: string) => Annotations.of(stack).addWarningV2(`tributary:${id}`, sentence);
  if (mailFrom === undefined) {
    warn(
      'no-mail',
      'Codes are not sent by e-mail. Set a sender of a verified SES domain with -c mailFrom=codes@example.com.',
    );
  }
  if (smsSender === undefined) {
    warn('no-sms', 'Codes are not sent by SMS. Set an origination identity with -c smsSender=phone-number/phone-….');
  }
}
