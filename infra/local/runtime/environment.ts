import { environmentVariableName } from '../../../shared/platform/settings.ts';
import type { TableName } from '../../data/tables.ts';
import { EDGE_DISTRIBUTION } from '../cloudfront/settings.ts';
import type { Endpoints } from '../emulators/launcher.ts';
import { AUDIENCE, ISSUER } from '../oidc/issuer.ts';
import { modelProvider } from './text-model.ts';

export const REGION = 'eu-central-1';
export const SMS_SENDER = `arn:aws:sms-voice:${REGION}:111122223333:phone-number/phone-demo`;
export const STREAM = 'tributary-events';
/** As many as a deployment has, so that a function reaches none but those that its role names. */
export const BUCKETS = {
  facts: 'tributary-facts',
  lake: 'tributary-lake',
  setAside: 'tributary-set-aside',
  uploads: 'tributary-local',
  training: 'tributary-calls',
} as const;
export const LEAD_SECRET = 'tributary/leads';
export const HASH_SECRET = 'tributary/hashes';
export const CDN_SECRET = 'tributary/cdn';
export const AI_SECRET = 'tributary/ai';
export const VOICE_SECRET = 'tributary/voice';
export const VOICE_WEBHOOK_SECRET = 'tributary/voice-webhook';
const ANALYSE_CALL_FUNCTION = 'tributary-background-analyse-call';
const REMOVE_DOMAIN_FUNCTION = 'tributary-background-remove-domain';
/** In the state folder: the settings by which the operator's commands reach what runs there. */
export const ENVIRONMENT_FILE = 'environment.json';
export const tableName = (name: TableName) => `tributary-${name}`;

export const address = (port: number) => `http://127.0.0.1:${port}`;

/** The key pair that the S3 stand-in knows; the others take any. */
export const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const;

/** What a real account or profile would add to a function's environment must not reach a real cloud from here. */
const FOREIGN = ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL', 'AWS_DEFAULT_REGION', 'AWS_SDK_LOAD_CONFIG'];

/** Settings of the AWS SDKs by which everything reaches the stand-ins. Set before a client is made. */
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

/** The same for what only runs when the functions are loaded. */
export const lambdaEnvironment = (port: number) => ({ AWS_ENDPOINT_URL_LAMBDA: address(port) });

/** The environment that CDK gives the deployed functions, with the stand-ins' names. */
export function functionEnvironment(endpoints: Endpoints, corsOrigins: readonly string[]): Record<string, string> {
  return {
    POWERTOOLS_SERVICE_NAME: 'tributary-local',
    [environmentVariableName('directoryTable')]: tableName('directory'),
    [environmentVariableName('leadsTable')]: tableName('leads'),
    [environmentVariableName('trainingTable')]: tableName('training'),
    [environmentVariableName('analyticsTable')]: tableName('analytics'),
    [environmentVariableName('uploadsTable')]: tableName('uploads'),
    [environmentVariableName('limitsTable')]: tableName('limits'),
    [environmentVariableName('eventStream')]: STREAM,
    [environmentVariableName('factsBucket')]: BUCKETS.facts,
    [environmentVariableName('lakeBucket')]: BUCKETS.lake,
    [environmentVariableName('setAsideBucket')]: BUCKETS.setAside,
    [environmentVariableName('uploadsBucket')]: BUCKETS.uploads,
    [environmentVariableName('trainingBucket')]: BUCKETS.training,
    [environmentVariableName('analyseCallFunction')]: ANALYSE_CALL_FUNCTION,
    [environmentVariableName('removeDomainFunction')]: REMOVE_DOMAIN_FUNCTION,
    [environmentVariableName('leadSecretId')]: LEAD_SECRET,
    [environmentVariableName('hashSecretId')]: HASH_SECRET,
    [environmentVariableName('cdnSecretId')]: CDN_SECRET,
    [environmentVariableName('mailFrom')]: 'codes@tributary.example',
    [environmentVariableName('smsSender')]: SMS_SENDER,
    [environmentVariableName('aiSecretId')]: AI_SECRET,
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

/** Puts settings into this process's environment, which the functions share. */
export function applyEnvironment(settings: Record<string, string>): void {
  for (const name of FOREIGN) delete process.env[name];
  Object.assign(process.env, settings);
}
