import { Annotations, type Stack } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** Who writes to visitors in a deployment. */
export type MessageSettings = {
  /** The address that e-mails come from; absent: none are sent. */
  mailFrom?: string;
  /** Where answers to them go; absent: to `mailFrom`. */
  mailReplyTo?: string;
  /** The origination identity of SMS, as the last part of its ARN; absent: none are sent. */
  smsSender?: string;
};

const ADDRESS = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i;
const ORIGINATION = /^(?:phone-number\/[\w-]+|pool\/[\w-]+|sender-id\/[A-Za-z0-9-]{1,11}\/[A-Z]{2})$/;

/**
 * Reads from CDK context who writes: `mailFrom` and `mailReplyTo`, addresses of verified SES identities, and
 * `smsSender`, for example `phone-number/phone-…`, `pool/pool-…` or `sender-id/NAME/DE`.
 *
 * @throws Error, a sentence for the operator
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

/** SES names its identities so, and a policy's resources are compared by case. What holds no `@` stays as it is. */
const withLowerCaseDomain = (value: string): string => value.replace(/@.*$/, (domain) => domain.toLowerCase());

/**
 * What messages are sent by; nothing where no sender is configured. SES may check the permission for the sender's domain, for
 * its address where that is verified separately, for the recipient while the account is in the sandbox, and for the
 * configuration set that an identity has by default. None of these are known here, so the sender's address is the limit.
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

/** Nobody shall learn from a visitor that codes can't be sent. */
export function warnAboutSenders(stack: Stack, { mailFrom, smsSender }: MessageSettings): void {
  const warn = (id: string, sentence: string) => Annotations.of(stack).addWarningV2(`tributary:${id}`, sentence);
  if (mailFrom === undefined) {
    warn(
      'no-mail',
      'No codes go by e-mail: name a sender of a verified SES domain with -c mailFrom=codes@example.com.',
    );
  }
  if (smsSender === undefined) {
    warn('no-sms', 'No codes go by SMS: name an origination identity with -c smsSender=phone-number/phone-….');
  }
}
