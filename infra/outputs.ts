import { environmentVariableName, type SettingName } from '../shared/platform/settings.ts';
import type { Oidc } from './settings/stages.ts';

/**
 * Settings of operator commands that are outputs of the data stack. Each setting holds the name or id of a resource.
 */
export const OUTPUTS = {
  directoryTable: 'table:directory',
  leadsTable: 'table:leads',
  trainingTable: 'table:training',
  analyticsTable: 'table:analytics',
  uploadsTable: 'table:uploads',
  limitsTable: 'table:limits',
  webhooksTable: 'table:webhooks',
  deliveriesTable: 'table:deliveries',
  notificationsTable: 'table:notifications',
  factsBucket: 'bucket:facts',
  lakeBucket: 'bucket:lake',
  deadLettersBucket: 'bucket:dead-letters',
  uploadsBucket: 'bucket:files',
  trainingBucket: 'bucket:recordings',
  // An operator sets the values of the secrets `voice` and `voice-webhook`.
  voiceSecretId: 'secret:voice',
  voiceWebhookSecretId: 'secret:voice-webhook',
  // The values of the secrets `leads`, `hashes`, `cdn`, `webhooks` and `notifications` are generated. An operator
  // replaces a value that has leaked.
  leadSecretId: 'secret:leads',
  hashSecretId: 'secret:hashes',
  cdnSecretId: 'secret:cdn',
  webhookSecretId: 'secret:webhooks',
  notificationSecretId: 'secret:notifications',
} as const satisfies Partial<Record<SettingName, string>>;

/**
 * Settings of operator commands that are outputs of the streaming stack: the stream for redriven dead letters, and the
 * function that removes a domain.
 */
export const STREAMING_OUTPUTS = {
  eventStream: 'stream:events',
  removeDomainFunction: 'function:remove-domain',
} as const satisfies Partial<Record<SettingName, string>>;

/**
 * Outputs of the data stack that describe the token issuer. User ids derive from the issuer, and clients need the
 * audience to sign in.
 */
export const ISSUER_OUTPUTS = { oidcIssuer: 'issuer', oidcAudience: 'audience' } as const satisfies Partial<
  Record<SettingName, keyof Oidc>
>;

/** Settings of operator commands that are outputs of the API stack, each with its description. */
export const API_OUTPUTS = {
  apiAddress: 'Base URL of the API. Paths start with /api/v2/.',
  webhookOwnHostnames: 'Hostnames of this deployment, to which no webhook messages are sent.',
} as const satisfies Partial<Record<SettingName, string>>;

/** Output of the web stack with the name of the bucket to which `npm run deploy` uploads the page client. */
export const PAGE_CLIENT_BUCKET_OUTPUT = 'PageClientBucket';

const COMMAND_OUTPUTS = { ...OUTPUTS, ...STREAMING_OUTPUTS, ...ISSUER_OUTPUTS, ...API_OUTPUTS };
const NAMES = Object.keys(COMMAND_OUTPUTS) as (keyof typeof COMMAND_OUTPUTS)[];

/** Converts a setting's name to the name of a CloudFormation output: `leadsTable` becomes `LeadsTable`. */
export const outputName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Converts the outputs declared above to environment variables of commands. All other outputs are ignored. */
export const environmentOfOutputs = (outputs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = outputs[outputName(name)];
      return value === undefined ? [] : [[environmentVariableName(name), value]];
    }),
  );
