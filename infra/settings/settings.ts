import { closestWord } from '../cli/closest-word.ts';

/** The settings that can be passed as `-c name=value`, with their help texts. */
export const SETTINGS = {
  stage: 'the same as --stage',
  expires: 'the same as --expires',
  corsOrigins:
    'the origins whose pages may call organization routes, separated by commas, such as https://app.example.com ' +
    '(default: none)',
  ingestPath:
    'the second path for sending analytics events, for pages whose visitors have content blockers, such as ' +
    '/api/v2/public/funnel/{id}/progress (default: /api/v2/public/funnel/{id}/e); keep {id}, the placeholder of ' +
    'the funnel id; choose only the text after {id}/: lowercase letters, digits and hyphens',
  leadTokenDays:
    "the number of days, 1 to 365, for which a lead's update token is valid after the lead's last submit, such as 60 " +
    '(default: 30)',
  oidcIssuer:
    'the issuer of access tokens, such as https://id.example.com (needs oidcAudience and oidcJwksUri; default: a ' +
    'Cognito user pool that the deployment creates)',
  oidcAudience:
    'the audience of access tokens: an identifier of this API at the issuer, not a client id (needs oidcIssuer)',
  oidcJwksUri: 'the URL of the public keys of the issuer, such as https://id.example.com/jwks (needs oidcIssuer)',
  aiModels:
    'the ids of the text models for prompts, separated by commas, the default model first; ' +
    'if this setting is missing, responses are composed from the texts in the funnel file, without a model',
  aiBaseUrl:
    'the URL of an OpenAI-compatible endpoint with the models of aiModels (needs aiModels); ' +
    'if this setting is missing, aiModels are models of Amazon Bedrock',
  mailFrom:
    'the sender address of e-mails, verified in SES or in a verified SES domain, such as codes@example.com; ' +
    'if this setting is missing, no e-mails are sent',
  mailReplyTo: 'the reply-to address of e-mails, such as help@example.com (default: the value of mailFrom)',
  smsSender:
    'the origination identity of SMS, such as phone-number/phone-…, pool/pool-… or sender-id/NAME/DE; ' +
    'if this setting is missing, no SMS are sent',
  voiceBaseUrl:
    'the URL of ElevenLabs in a certain region, or of a compatible API, such as https://voice.example.com ' +
    '(default: https://api.elevenlabs.io)',
  edgeDistribution:
    'the id of the multi-tenant CloudFront distribution that serves custom domains, such as E1EXAMPLE23456; ' +
    'if this setting is missing, the CDN serves no custom domains',
  edgeConnectionGroup:
    'the id of the CloudFront connection group of custom domains, such as cg_EXAMPLE (needs edgeDistribution; ' +
    "default: the account's default connection group)",
  apiDomain: 'your own hostname for the API, such as api.example.com (needs apiCertificateArn)',
  apiCertificateArn: "the ARN of the ACM certificate of apiDomain, in the deployment's region",
  webDomain: 'your own hostname for the page client, such as cdn.example.com (needs webCertificateArn)',
  webCertificateArn: 'the ARN of the ACM certificate of webDomain, in us-east-1',
  hostedZoneId:
    'the id of the Route 53 zone in which the deployment creates the records of apiDomain and webDomain, such as ' +
    'Z0EXAMPLE (needs hostedZoneName); if this setting is missing, create these records yourself',
  hostedZoneName: 'the name of the zone with the id hostedZoneId, such as example.com (needs hostedZoneId)',
  alarmMail:
    'the mailbox for notifications of alarms and of the budget, such as ops@example.com; ' +
    'if this setting is missing, no notifications are sent',
  monthlyBudgetUsd:
    'the budget of the account in whole US dollars a month, such as 500 (needs alarmMail); ' +
    'if this setting is missing, no budget is monitored',
  eventShards:
    'the number of provisioned shards of the event stream, such as 8 ' +
    '(default: 1 in a preview, otherwise an on-demand stream)',
  secretsLayerArn:
    'the ARN of the arm64 layer of the AWS Parameters and Secrets Lambda Extension, such as arn:aws:lambda:…, for ' +
    'regions where CDK does not know this ARN',
  monthlySmsUsd:
    "the limit of the account's SMS costs in whole US dollars a month, such as 100 (needs smsSender); an alarm is " +
    'raised at 80 % of this limit; the deployment does not set the limit: a stack output contains the AWS CLI command ' +
    'that sets it',
} as const;

export type SettingName = keyof typeof SETTINGS;

/** Returns the value of a setting from CDK context; undefined if it is not set. */
export type Settings = (name: SettingName) => unknown;

/** CDK's own names in the context that match `PLAIN_NAME`. All other names of CDK contain `@`, `:` or `/`. */
const OF_CDK = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
const PLAIN_NAME = /^[\w-]+$/;

/**
 * Functions get settings as environment variables, which may have 4 KB in total (Lambda). Only settings that are lists
 * can become this long.
 */
const VALUE_CHARACTERS_MAX = 2_500;

const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/**
 * Rejects empty values. Otherwise, `-c name=$VALUE` with an empty variable would remove a setting. Also rejects values
 * that are too long for the environment of a function.
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
  return [
    'Settings are given as -c name=value. A deployment does not keep the values of',
    'earlier deployments, so give all your settings each time:',
    ...lines,
  ].join('\n');
}
