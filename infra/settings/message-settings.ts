import { Annotations, type Stack } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** The senders of verification codes and notification mails. */
export type MessageSettings = {
  /** Sender address of e-mails. If absent, no e-mails are sent. */
  mailFrom?: string;
  /** Reply-to address of e-mails. If absent, replies go to `mailFrom`. */
  mailReplyTo?: string;
  /** Origination identity of SMS, as the last part of its ARN. If absent, no SMS are sent. */
  smsSender?: string;
};

const ADDRESS = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i;
const ORIGINATION = /^(?:phone-number\/[\w-]+|pool\/[\w-]+|sender-id\/[A-Za-z0-9-]{1,11}\/[A-Z]{2})$/;

/**
 * Reads `mailFrom`, `mailReplyTo` and `smsSender` from CDK context.
 *
 * @throws Error with a message for the operator
 */
export function parseMessageSettings(context: Settings): MessageSettings {
  const given = (name: keyof MessageSettings, form: RegExp, example: string) => {
    const value = context(name);
    if (value === undefined) return {};
    if (typeof value !== 'string' || !form.test(value)) throw new Error(`${name}: must look like ${example}.`);
    return { [name]: withLowerCaseDomain(value) };
  };
  return {
    ...given('mailFrom', ADDRESS, 'codes@example.com'),
    ...given('mailReplyTo', ADDRESS, 'help@example.com'),
    ...given('smsSender', ORIGINATION, 'phone-number/phone-…, pool/pool-… or sender-id/NAME/DE'),
  };
}

/**
 * Converts the domain of an address to lowercase, because SES identities are lowercase and policies compare resources
 * case-sensitively. Returns a value without `@` unchanged.
 */
const withLowerCaseDomain = (value: string): string => value.replace(/@.*$/, (domain) => domain.toLowerCase());

/**
 * Resources of the grants for sending messages; empty for a channel without a sender. SES checks the permission for
 * several identities and configuration sets, which differ between accounts. Therefore, the grant for e-mails covers all
 * of them, and a condition restricts the sender's address.
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

/** At synthesis, warns the operator about each channel that sends nothing because it has no sender. */
export function warnAboutSenders(stack: Stack, { mailFrom, smsSender }: MessageSettings): void {
  const warn = (id: string, sentence: string) => Annotations.of(stack).addWarningV2(`tributary:${id}`, sentence);
  if (mailFrom === undefined) {
    warn(
      'no-mail',
      'Codes and notifications are not sent by e-mail. ' +
        'Set a sender address of a verified SES domain with -c mailFrom=codes@example.com.',
    );
  }
  if (smsSender === undefined) {
    warn('no-sms', 'Codes are not sent by SMS. Set an origination identity with -c smsSender=phone-number/phone-….');
  }
}
