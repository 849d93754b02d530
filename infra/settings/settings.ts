import { closestWord } from '../cli/closest-word.ts';

/** The settings of `-c name=value` with their help texts. Other names are rejected. */
export const SETTINGS = {
  stage: 'dev (the default) or prod',
  corsOrigins: 'origins whose pages may call organization routes, separated by commas: https://app.example.com',
  leadTokenDays: "days after its last submit that a lead's update token is valid: 30",
  oidcIssuer: 'the issuer of access tokens, with oidcAudience and oidcJwksUri: https://id.example.com',
  oidcAudience: 'the audience of access tokens: an identifier of this API at the issuer, not a client id',
  oidcJwksUri: 'where the public keys of the issuer are: https://id.example.com/jwks',
  aiModels: 'text models for prompts, separated by commas, the default first',
  aiBaseUrl: 'an OpenAI-compatible endpoint; without it aiModels are those of Amazon Bedrock',
  mailFrom: 'the sender of e-mails, of a verified SES domain: codes@example.com',
  mailReplyTo: 'the reply-to address of e-mails: help@example.com',
  smsSender: 'the origination identity of SMS: phone-number/phone-…',
  voiceBaseUrl: 'the voice provider where it is not ElevenLabs itself: https://voice.example.com',
  edgeDistribution: "the multi-tenant CloudFront distribution for customers' hostnames: E1EXAMPLE23456",
  edgeConnectionGroup: 'its connection group: cg_EXAMPLE',
  apiDomain: 'the hostname of the API, with apiCertificateArn: api.example.com',
  apiCertificateArn: "the ACM certificate of apiDomain, in the deployment's region",
  hostedZoneId: 'the Route 53 zone that gets the record of apiDomain, with hostedZoneName: Z0EXAMPLE',
  hostedZoneName: 'the name of that zone: example.com',
  alarmMail: 'the mailbox for alarms and budget notifications: ops@example.com',
  monthlyBudgetUsd: 'US dollars a month that the account should not exceed, with alarmMail: 500',
  eventShards: 'shards of the event stream, provisioned; without it the stream is on demand: 8',
  secretsLayerArn:
    'the layer of the secrets extension, for arm64, in a region where CDK does not know it: arn:aws:lambda:…',
  monthlySmsUsd: 'US dollars a month that SMS may cost, with smsSender: 100',
} as const;

export type SettingName = keyof typeof SETTINGS;

/** Reads a value of CDK context; undefined if it is not set. */
export type Settings = (name: SettingName) => unknown;

/** CDK's own names contain `@`, `:` or `/`, except for these two. */
const OF_CDK = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
const PLAIN_NAME = /^[\w-]+$/;

/** Functions get settings as environment variables, which may have 4 KB in total. Only lists can become long. */
const VALUE_CHARACTERS_MAX = 2_500;

const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/**
 * Rejects values that AWS would reject during a deployment, and empty values: an empty variable in a script must not
 * remove a setting.
 *
 * @throws Error with a message for the operator
 */
export function rejectUnusableValues(names: readonly string[], context: Settings): void {
  for (const name of names.filter(isSetting)) {
    const value = String(context(name) ?? '');
    if (value.trim() === '') throw new Error(`${name}: is empty; leave it out to do without it.`);
    if (value.length > VALUE_CHARACTERS_MAX)
      throw new Error(
        `${name}: is longer than ${VALUE_CHARACTERS_MAX} characters, the limit for values that functions receive.`,
      );
  }
}

/**
 * Rejects unknown names: a mistyped setting must not be ignored.
 *
 * @throws Error with a message for the operator
 */
export function rejectUnknownNames(names: readonly string[]): void {
  const unknown = names.find((name) => PLAIN_NAME.test(name) && !OF_CDK.has(name) && !isSetting(name));
  if (unknown === undefined) return;
  const meant = closestWord(unknown, Object.keys(SETTINGS));
  throw new Error(`There is no setting ${unknown}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
}

/** The help text, with one line per setting. */
export function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length));
  const lines = Object.entries(SETTINGS).map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return ['Settings are given as -c name=value:', ...lines].join('\n');
}
