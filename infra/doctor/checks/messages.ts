import {
  DescribeAccountAttributesCommand,
  DescribePhoneNumbersCommand,
  DescribePoolsCommand,
  DescribeSenderIdsCommand,
  DescribeSpendLimitsCommand,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { GetAccountCommand, GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { type Aws, hasCode, permitted } from '../aws.ts';
import { type Check, limitation, ok } from '../check.ts';

/** SES requires that the sender's address, its domain or a parent domain is verified. */
export const mailSender = (aws: Aws, mailFrom: string): Check => ({
  name: 'E-mail sender',
  async run() {
    const pending: string[] = [];
    for (const identity of identitiesOf(mailFrom)) {
      const isVerified = await isVerifiedIdentity(aws, identity);
      if (isVerified) return ok(`${identity} is verified`);
      if (isVerified === false) pending.push(identity);
    }
    const [, domain = ''] = mailFrom.split('@');
    const records = (identity: string) =>
      `create the CNAME records that the console shows, region ${aws.region}: Amazon SES > Identities > ${identity}.`;
    const [waiting] = pending;
    if (waiting === undefined)
      return limitation(`SES does not know the sender ${mailFrom} or its domain, so no e-mail can be sent.`, {
        advice: `Add the domain with this command. Then ${records(domain)}`,
        commands: [aws.command(`sesv2 create-email-identity --email-identity ${domain}`)],
      });
    return limitation(`SES has not verified ${waiting} yet, so no e-mail can be sent.`, {
      advice: waiting.includes('@')
        ? 'Open the link in the mail that AWS sent to this address.'
        : `To verify the domain, ${records(waiting)}`,
    });
  },
});

/** Returns the identities that can verify an address: the address, its domain, and parent domains without the TLD. */
function identitiesOf(address: string): string[] {
  const labels = address.slice(address.indexOf('@') + 1).split('.');
  return [address, ...labels.slice(1).map((_, at) => labels.slice(at).join('.'))];
}

/** Returns undefined if SES does not have the identity. */
async function isVerifiedIdentity({ mail }: Aws, identity: string): Promise<boolean | undefined> {
  try {
    const { VerifiedForSendingStatus } = await permitted(
      'ses:GetEmailIdentity',
      mail.send(new GetEmailIdentityCommand({ EmailIdentity: identity })),
    );
    return VerifiedForSendingStatus === true;
  } catch (error) {
    if (hasCode(error, 'NotFoundException')) return undefined;
    throw error;
  }
}

/** In the sandbox, SES sends only to verified addresses. */
export const mailSandbox = (aws: Aws): Check => ({
  name: 'E-mail sandbox',
  async run() {
    const { ProductionAccessEnabled, SendingEnabled } = await permitted(
      'ses:GetAccount',
      aws.mail.send(new GetAccountCommand({})),
    );
    if (ProductionAccessEnabled !== true)
      return limitation('The account is in the sandbox of SES, which sends only to verified addresses.', {
        advice: `In the console, region ${aws.region}: Amazon SES > Account dashboard > Request production access.`,
      });
    if (SendingEnabled === true) return ok('production access');
    return limitation('AWS has paused the sending of e-mail for this account.', {
      advice: `The reason is in the console, region ${aws.region}: Amazon SES > Reputation metrics.`,
    });
  },
});

/** In the sandbox, SMS are sent only to verified numbers. */
export const smsSandbox = (aws: Aws): Check => ({
  name: 'SMS sandbox',
  async run() {
    const { AccountAttributes = [] } = await permitted(
      'sms-voice:DescribeAccountAttributes',
      aws.sms.send(new DescribeAccountAttributesCommand({})),
    );
    if (AccountAttributes.some(({ Name, Value }) => Name === 'ACCOUNT_TIER' && Value === 'PRODUCTION'))
      return ok('production access');
    return limitation('The account is in the SMS sandbox, which sends only to verified numbers.', {
      advice: `In the console, region ${aws.region}: End User Messaging > SMS > Overview > Request production access.`,
    });
  },
});

/** Monthly limit of a new account in US dollars (End User Messaging user guide, quotas). */
const INITIAL_USD = 1;

/** @param monthlyUsd the setting `monthlySmsUsd` */
export const smsSpending = (aws: Aws, monthlyUsd: number | undefined): Check => ({
  name: 'SMS spending',
  async run() {
    const { SpendLimits = [] } = await permitted(
      'sms-voice:DescribeSpendLimits',
      aws.sms.send(new DescribeSpendLimitsCommand({})),
    );
    const limits = SpendLimits.find(({ Name }) => Name === 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT');
    const max = limits?.MaxLimit ?? 0;
    // The enforced limit applies only if it was set for this account.
    const enforced = limits?.Overridden ? (limits.EnforcedLimit ?? 0) : max;
    const wanted = monthlyUsd ?? INITIAL_USD + 1;
    if (max < wanted) {
      const setting = monthlyUsd === undefined ? '' : `, but monthlySmsUsd is ${monthlyUsd}`;
      return limitation(`AWS allows at most ${max} USD a month for SMS${setting}.`, {
        advice: 'In the console: Support Center > Create case > Service quota increase > End User Messaging SMS.',
      });
    }
    if (enforced >= wanted) return ok(`up to ${enforced} USD a month`);
    return limitation(`The account limits SMS to ${enforced} USD a month. AWS allows at most ${max} USD.`, {
      advice: 'Raise the limit:',
      commands: [
        aws.command(`pinpoint-sms-voice-v2 set-text-message-spend-limit-override --monthly-limit ${monthlyUsd ?? max}`),
      ],
    });
  },
});

/** @param sender the setting `smsSender`, such as `pool/pool-1` */
export const smsSender = (aws: Aws, sender: string): Check => ({
  name: 'SMS sender',
  async run() {
    const path = 'AWS End User Messaging > SMS > Configurations';
    const advice = `Check the sender in the console, region ${aws.region}: ${path}.`;
    try {
      const status = await senderStatus(aws, sender);
      if (status === 'ACTIVE') return ok(`${sender} is active`);
      return limitation(`The SMS sender ${sender} has the status ${status}.`, { advice });
    } catch (error) {
      if (!hasCode(error, 'ResourceNotFoundException')) throw error;
      return limitation(`The SMS sender ${sender} does not exist in this account and region.`, { advice });
    }
  },
});

/** Returns the status of an origination identity. A sender id has no status, and is active if it exists. */
async function senderStatus({ sms }: Aws, sender: string): Promise<string> {
  const [kind, id = '', country] = sender.split('/');
  if (kind === 'phone-number') {
    const { PhoneNumbers } = await permitted(
      'sms-voice:DescribePhoneNumbers',
      sms.send(new DescribePhoneNumbersCommand({ PhoneNumberIds: [id] })),
    );
    return PhoneNumbers?.[0]?.Status ?? 'unknown';
  }
  if (kind === 'pool') {
    const { Pools } = await permitted('sms-voice:DescribePools', sms.send(new DescribePoolsCommand({ PoolIds: [id] })));
    return Pools?.[0]?.Status ?? 'unknown';
  }
  const { SenderIds } = await permitted(
    'sms-voice:DescribeSenderIds',
    sms.send(new DescribeSenderIdsCommand({ SenderIds: [{ SenderId: id, IsoCountryCode: country }] })),
  );
  return SenderIds?.[0] === undefined ? 'unknown' : 'ACTIVE';
}
