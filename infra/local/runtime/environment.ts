import { environmentVariableName } from '../../../shared/platform/settings.ts';
import type { TableName } from '../../stacks/data/tables.ts';
import { EDGE_DISTRIBUTION } from '../cloudfront/settings.ts';
import type { Endpoints } from '../emulators/launcher.ts';
import { AUDIENCE, ISSUER } from '../oidc/issuer.ts';
import { modelProvider } from './text-model.ts';

export const REGION = 'eu-central-1';
export const ACCOUNT_ID = '000000000000';
export const SMS_SENDER = `arn:aws:sms-voice:${REGION}:111122223333:phone-number/phone-demo`;
export const STREAM = 'tributary-events';
/** The local buckets, one for each bucket of the data stack, because policies of functions name buckets. */
export const BUCKETS = {
  facts: 'tributary-facts',
  lake: 'tributary-lake',
  deadLetters: 'tributary-set-aside',
  uploads: 'tributary-local',
  training: 'tributary-calls',
} as const;
export const LEAD_SECRET = 'tributary/leads';
export const HASH_SECRET = 'tributary/hashes';
export const CDN_SECRET = 'tributary/cdn';
export const AI_SECRET = 'tributary/ai';
export const WEBHOOK_SECRET = 'tributary/webhooks';
export const NOTIFICATION_SECRET = 'tributary/notifications';
export const VOICE_SECRET = 'tributary/voice';
export const VOICE_WEBHOOK_SECRET = 'tributary/voice-webhook';
const ANALYSE_CALL_FUNCTION = 'tributary-background-analyse-call';
const REMOVE_DOMAIN_FUNCTION = 'tributary-background-remove-domain';
const DISPATCH_MESSAGES_FUNCTION = 'tributary-background-dispatch-messages';
/** File in the state folder with the settings by which the operator's commands reach the stand-ins. */
export const ENVIRONMENT_FILE = 'environment.json';
export const tableName = (name: TableName) => `tributary-${name}`;

export const address = (port: number) => `http://127.0.0.1:${port}`;

/** The S3 stand-in accepts only these credentials. The other stand-ins accept any credentials. */
export const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const;

/** Variables of a real AWS account or profile. They are removed, so that functions never reach a real cloud. */
const REAL_CLOUD_VARIABLES = [
  'AWS_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ENDPOINT_URL',
  'AWS_DEFAULT_REGION',
  'AWS_SDK_LOAD_CONFIG',
];

/** Returns the settings that point the AWS SDK to the stand-ins. Set them before creating clients. */
export function sdkEnvironment(endpoints: Endpoints): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: address(endpoints.dynamodb),
    AWS_ENDPOINT_URL_KINESIS: address(endpoints.kinesis),
    AWS_ENDPOINT_URL_S3: address(endpoints.s3),
    AWS_ENDPOINT_URL_SESV2: address(endpoints.mail),
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: address(endpoints.mail),
    AWS_ENDPOINT_URL_CLOUDFRONT: address(endpoints.edge),
    AWS_ENDPOINT_URL_ACM: address(endpoints.edge),
    AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
    AWS_RESPONSE_CHECKSUM_VALIDATION: 'WHEN_REQUIRED',
    AWS_EC2_METADATA_DISABLED: 'true',
    PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: String(endpoints.secretsExtension),
  };
}

/** Returns the setting that points the AWS SDK to the Lambda stand-in, which starts after the other stand-ins. */
export const lambdaEnvironment = (port: number) => ({ AWS_ENDPOINT_URL_LAMBDA: address(port) });

/**
 * Returns the environment variables of functions. They have the names of a deployment, and refer to the resources of
 * the stand-ins. Some variables exist only locally.
 */
export function functionEnvironment(endpoints: Endpoints, corsOrigins: readonly string[]): Record<string, string> {
  return {
    POWERTOOLS_SERVICE_NAME: 'tributary-local',
    [environmentVariableName('directoryTable')]: tableName('directory'),
    [environmentVariableName('leadsTable')]: tableName('leads'),
    [environmentVariableName('trainingTable')]: tableName('training'),
    [environmentVariableName('analyticsTable')]: tableName('analytics'),
    [environmentVariableName('uploadsTable')]: tableName('uploads'),
    [environmentVariableName('limitsTable')]: tableName('limits'),
    [environmentVariableName('webhooksTable')]: tableName('webhooks'),
    [environmentVariableName('deliveriesTable')]: tableName('deliveries'),
    [environmentVariableName('notificationsTable')]: tableName('notifications'),
    [environmentVariableName('eventStream')]: STREAM,
    [environmentVariableName('factsBucket')]: BUCKETS.facts,
    [environmentVariableName('lakeBucket')]: BUCKETS.lake,
    [environmentVariableName('deadLettersBucket')]: BUCKETS.deadLetters,
    [environmentVariableName('uploadsBucket')]: BUCKETS.uploads,
    [environmentVariableName('trainingBucket')]: BUCKETS.training,
    [environmentVariableName('analyseCallFunction')]: ANALYSE_CALL_FUNCTION,
    [environmentVariableName('removeDomainFunction')]: REMOVE_DOMAIN_FUNCTION,
    [environmentVariableName('dispatchMessagesFunction')]: DISPATCH_MESSAGES_FUNCTION,
    [environmentVariableName('leadSecretId')]: LEAD_SECRET,
    [environmentVariableName('hashSecretId')]: HASH_SECRET,
    [environmentVariableName('cdnSecretId')]: CDN_SECRET,
    [environmentVariableName('mailFrom')]: 'codes@tributary.example',
    [environmentVariableName('smsSender')]: SMS_SENDER,
    [environmentVariableName('aiSecretId')]: AI_SECRET,
    [environmentVariableName('webhookSecretId')]: WEBHOOK_SECRET,
    [environmentVariableName('notificationSecretId')]: NOTIFICATION_SECRET,
    [environmentVariableName('leadMailDelaySeconds')]: '5',
    [environmentVariableName('voiceSecretId')]: VOICE_SECRET,
    [environmentVariableName('voiceBaseUrl')]: address(endpoints.voice),
    [environmentVariableName('voiceWebhookSecretId')]: VOICE_WEBHOOK_SECRET,
    [environmentVariableName('edgeDistributionId')]: EDGE_DISTRIBUTION,
    [environmentVariableName('aiProvider')]: modelProvider(),
    [environmentVariableName('oidcIssuer')]: ISSUER,
    [environmentVariableName('oidcAudience')]: AUDIENCE,
    [environmentVariableName('oidcJwksUri')]: `${address(endpoints.issuer)}/jwks`,
    [environmentVariableName('corsOrigins')]: corsOrigins.join(','),
    [environmentVariableName('dnsServers')]: `127.0.0.1:${endpoints.dns}`,
    DNS_RECORDS_URL: `${address(endpoints.dnsRecords)}/records`,
    VALIDATE_RESPONSES: 'on',
  };
}

/**
 * Returns the setting that allows webhook endpoints at these origins, even without TLS or a public address. All other
 * endpoints need both. No deployment has this setting.
 */
export const webhookEnvironment = (origins: readonly string[]) => ({
  [environmentVariableName('webhookAllowedOrigins')]: origins.join(','),
});

/** Returns the setting with the address of the gateway, for links in mails. */
export const apiEnvironment = (port: number) => ({ [environmentVariableName('apiAddress')]: address(port) });

/** Sets environment variables for all functions, which run in this process. Removes variables of a real AWS account. */
export function applyEnvironment(settings: Record<string, string>): void {
  for (const name of REAL_CLOUD_VARIABLES) delete process.env[name];
  Object.assign(process.env, settings);
}
