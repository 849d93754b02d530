import { environmentVariableName, type SettingName } from '../shared/platform/settings.ts';
import type { Oidc } from './settings/stages.ts';

/** What a deployment tells its operators: where its data is, by the settings of the commands that read it. */
export const OUTPUTS = {
  directoryTable: 'table:directory',
  leadsTable: 'table:leads',
  trainingTable: 'table:training',
  analyticsTable: 'table:analytics',
  uploadsTable: 'table:uploads',
  limitsTable: 'table:limits',
  factsBucket: 'bucket:facts',
  lakeBucket: 'bucket:lake',
  setAsideBucket: 'bucket:set-aside',
  uploadsBucket: 'bucket:files',
  trainingBucket: 'bucket:recordings',
  // Filled by hand, once.
  voiceSecretId: 'secret:voice',
  voiceWebhookSecretId: 'secret:voice-webhook',
  // Made by chance, and put anew by hand where one has leaked.
  leadSecretId: 'secret:leads',
  hashSecretId: 'secret:hashes',
  cdnSecretId: 'secret:cdn',
} as const satisfies Partial<Record<SettingName, string>>;

/** What the streaming stack tells: a redrive puts records onto the stream again, a removal of a domain is started. */
export const STREAMING_OUTPUTS = {
  eventStream: 'stream:events',
  removeDomainFunction: 'function:remove-domain',
} as const satisfies Partial<Record<SettingName, string>>;

/** What the data stack tells of the issuer of tokens: user ids derive from its name, and clients sign in by the audience. */
export const ISSUER_OUTPUTS = { oidcIssuer: 'issuer', oidcAudience: 'audience' } as const satisfies Partial<
  Record<SettingName, keyof Oidc>
>;

type OutputName = keyof typeof OUTPUTS | keyof typeof STREAMING_OUTPUTS | keyof typeof ISSUER_OUTPUTS;

const NAMES = Object.keys({ ...OUTPUTS, ...STREAMING_OUTPUTS, ...ISSUER_OUTPUTS }) as OutputName[];

/** A setting's name as CloudFormation takes it: `LeadsTable` of `leadsTable`. */
export const outputName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** The environment that a stack's outputs stand for. Outputs of another kind are left out. */
export const environmentOfOutputs = (outputs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = outputs[outputName(name)];
      return value === undefined ? [] : [[environmentVariableName(name), value]];
    }),
  );
