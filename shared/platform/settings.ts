export type SettingName =
  | 'directoryTable'
  | 'leadsTable'
  | 'trainingTable'
  | 'analyticsTable'
  | 'uploadsTable'
  | 'limitsTable'
  | 'webhooksTable'
  | 'deliveriesTable'
  | 'notificationsTable'
  | 'eventStream'
  | 'factsBucket'
  | 'lakeBucket'
  | 'deadLettersBucket'
  | 'uploadsBucket'
  | 'trainingBucket'
  | 'analyseCallFunction'
  | 'dispatchMessagesFunction'
  | 'removeDomainFunction'
  | 'leadSecretId'
  | 'hashSecretId'
  | 'cdnSecretId'
  | 'aiSecretId'
  | 'webhookSecretId'
  | 'notificationSecretId'
  | 'apiAddress'
  | 'leadMailDelaySeconds'
  | 'webhookOwnHostnames'
  | 'webhookAllowedOrigins'
  | 'voiceSecretId'
  | 'voiceWebhookSecretId'
  | 'voiceBaseUrl'
  | 'aiProvider'
  | 'aiModels'
  | 'aiBaseUrl'
  | 'mailFrom'
  | 'mailReplyTo'
  | 'smsSender'
  | 'leadTokenDays'
  | 'edgeDistributionId'
  | 'edgeConnectionGroupId'
  | 'oidcIssuer'
  | 'oidcAudience'
  | 'oidcJwksUri'
  | 'corsOrigins'
  | 'dnsServers';

/** Returns the environment variable of a setting, for example `LEADS_TABLE` for `leadsTable`. */
export const environmentVariableName = (name: SettingName): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

/**
 * Reads a required setting. Call it where the setting is used, not while a module is loaded. A function has only the
 * settings for its grants, but may load modules with other settings.
 */
export function requireSetting(name: SettingName): string {
  const value = readSetting(name);
  if (value === undefined) throw new Error(`The environment variable ${environmentVariableName(name)} is not set.`);
  return value;
}

export const readSetting = (name: SettingName): string | undefined =>
  process.env[environmentVariableName(name)] || undefined;

/** Whether responses are validated against their declaration. Enabled in tests and in the local runtime. */
export const isResponseValidationEnabled = (): boolean => process.env.VALIDATE_RESPONSES === 'on';
