import { closestWord } from '../cli/closest-word.ts';

/** The settings that can be passed as `-c name=value`, with their help texts. */
export const SETTINGS = {
  stage: 'dev (the default), prod, or the name of a preview, such as pr-123',
  expires:
    'the days or hours after which a preview expires, counted from its latest deployment (default: 7d), such as 3d or 12h',
  corsOrigins: 'origins whose pages may call organization routes, separated by commas, such as https://app.example.com',
  ingestPath:
    'a second path for sending analytics events, for pages whose visitors have content blockers; {id} is replaced ' +
    'by the funnel id (default: /api/v2/public/funnel/{id}/e), such as /api/v2/public/funnel/{id}/progress',
  leadTokenDays: "days for which a lead's update token is valid after the lead's last submit (default: 30), such as 60",
  oidcIssuer: 'the issuer of access tokens (needs oidcAudience and oidcJwksUri), such as https://id.example.com',
  oidcAudience: 'the audience of access tokens: an identifier of this API at the issuer, not a client id',
  oidcJwksUri: 'the URL of the public keys of the issuer, such as https://id.example.com/jwks',
  aiModels:
    'text models for prompts, separated by commas, the default first; ' +
    'if this setting is missing, responses are composed from the texts in the funnel file, without a model',
  aiBaseUrl:
    'the URL of an OpenAI-compatible endpoint; if this setting is missing, aiModels are models of Amazon Bedrock',
  mailFrom: 'the sender address of e-mails, in a verified SES domain, such as codes@example.com',
  mailReplyTo: 'the reply-to address of e-mails (default: mailFrom), such as help@example.com',
  smsSender: 'the origination identity of SMS, such as phone-number/phone-…',
  voiceBaseUrl: 'the URL of ElevenLabs in another region or of a compatible API, such as https://voice.example.com',
  edgeDistribution: 'the multi-tenant CloudFront distribution that serves custom domains, such as E1EXAMPLE23456',
  edgeConnectionGroup: 'the connection group of custom domains (needs edgeDistribution), such as cg_EXAMPLE',
  apiDomain: 'the hostname of the API (needs apiCertificateArn), such as api.example.com',
  apiCertificateArn: "the ARN of the ACM certificate of apiDomain, in the deployment's region",
  webDomain: 'the hostname of the page client (needs webCertificateArn), such as cdn.example.com',
  webCertificateArn: 'the ARN of the ACM certificate of webDomain, in us-east-1',
  hostedZoneId:
    'the id of the Route 53 zone for the records of apiDomain and webDomain (needs hostedZoneName), such as Z0EXAMPLE',
  hostedZoneName: 'the name of the zone hostedZoneId, such as example.com',
  alarmMail: 'the mailbox for alarms and budget notifications, such as ops@example.com',
  monthlyBudgetUsd: 'the budget of the account in US dollars a month (needs alarmMail), such as 500',
  eventShards:
    'the number of provisioned shards of the event stream (default: 1 in a preview, otherwise an on-demand stream), such as 8',
  secretsLayerArn:
    'the ARN of the arm64 layer of the AWS Parameters and Secrets Lambda Extension, for regions where CDK does not ' +
    'know it, such as arn:aws:lambda:…',
  monthlySmsUsd:
    "the account's limit of SMS costs in US dollars a month, for an alarm at 80 % of it (needs smsSender), such as 100; " +
    'the deployment does not set this limit; a stack output contains the AWS CLI command that sets it',
} as const;

export type SettingName = keyof typeof SETTINGS;

/** Returns the value of a setting from CDK context; undefined if it is not set. */
export type Settings = (name: SettingName) => unknown;

/** Names in the context that belong to CDK and match `PLAIN_NAME`. Other names of CDK contain `@`, `:` or `/`. */
const OF_CDK = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
const PLAIN_NAME = /^[\w-]+$/;

/**
 * Functions get settings as environment variables, which may have 4 KB in total (Lambda). Only settings that are lists
 * can become this long.
 */
const VALUE_CHARACTERS_MAX = 2_500;

const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/**
 * Rejects empty values, because an empty variable in a script must not remove a setting. Rejects values that are too
 * long for the environment of a function.
 *
 * @throws Error with a message for the operator
 */
export function rejectUnusableValues(names: readonly string[], context: Settings): void {
  for (const name of names.filter(isSetting)) {
    const value = String(context(name) ?? '');
    if (value.trim() === '') throw new Error(`${name}: is empty. Set a value or omit the setting.`);
    if (value.length > VALUE_CHARACTERS_MAX)
      throw new Error(
        `${name}: is longer than ${VALUE_CHARACTERS_MAX} characters, the limit for a value that functions receive.`,
      );
  }
}

/**
 * Rejects unknown names, because a mistyped setting must not be ignored.
 *
 * @throws Error with a message for the operator
 */
export function rejectUnknownNames(names: readonly string[]): void {
  const unknown = names.find((name) => PLAIN_NAME.test(name) && !OF_CDK.has(name) && !isSetting(name));
  if (unknown === undefined) return;
  const meant = closestWord(unknown, Object.keys(SETTINGS));
  throw new Error(`There is no setting ${unknown}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
}

export function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length));
  const lines = Object.entries(SETTINGS).map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return ['Settings are given as -c name=value:', ...lines].join('\n');
}
