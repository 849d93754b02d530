import { environmentVariableName, type SettingName } from '../shared/platform/settings.ts';
import type { Oidc } from './settings/stages.ts';

/** Outputs of the data stack: the settings that operator commands read to find the data. */
export const OUTPUTS = {
  directoryTable: 'table:directory',
  leadsTable: 'table:leads',
  trainingTable: 'table:training',
  analyticsTable: 'table:analytics',
  uploadsTable: 'table:uploads',
  limitsTable: 'table:limits',
  factsBucket: 'bucket:facts',
  lakeBucket: 'bucket:lake',
  deadLettersBucket: 'bucket:dead-letters',
  uploadsBucket: 'bucket:files',
  trainingBucket: 'bucket:recordings',
  // Filled by hand, once.
  voiceSecretId: 'secret:voice',
  voiceWebhookSecretId: 'secret:voice-webhook',
  // Generated randomly; replaced by hand if one has leaked.
  leadSecretId: 'secret:leads',
  hashSecretId: 'secret:hashes',
  cdnSecretId: 'secret:cdn',
} as const satisfies Partial<Record<SettingName, string>>;

/** Outputs of the streaming stack: for redriving records to the stream, and for starting the removal of a domain. */
export const STREAMING_OUTPUTS = {
  eventStream: 'stream:events',
  removeDomainFunction: 'function:remove-domain',
} as const satisfies Partial<Record<SettingName, string>>;

/**
 * Outputs of the data stack for the token issuer: user ids derive from its name, and clients sign in with the audience.
 */
export const ISSUER_OUTPUTS = { oidcIssuer: 'issuer', oidcAudience: 'audience' } as const satisfies Partial<
  Record<SettingName, keyof Oidc>
>;

type OutputName = keyof typeof OUTPUTS | keyof typeof STREAMING_OUTPUTS | keyof typeof ISSUER_OUTPUTS;

const NAMES = Object.keys({ ...OUTPUTS, ...STREAMING_OUTPUTS, ...ISSUER_OUTPUTS }) as OutputName[];

/** Converts a setting's name to the name of a CloudFormation output: `leadsTable` becomes `LeadsTable`. */
export const outputName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Converts a stack's outputs to environment variables. Ignores other outputs. */
export const environmentOfOutputs = (outputs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = outputs[outputName(name)];
      return value === undefined ? [] : [[environmentVariableName(name), value]];
    }),
  );
