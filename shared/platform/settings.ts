export type SettingName =
  | 'directoryTable'
  | 'leadsTable'
  | 'trainingTable'
  | 'analyticsTable'
  | 'uploadsTable'
  | 'limitsTable'
  | 'eventStream'
  | 'factsBucket'
  | 'lakeBucket'
  | 'setAsideBucket'
  | 'uploadsBucket'
  | 'trainingBucket'
  | 'analyseCallFunction'
  | 'removeDomainFunction'
  | 'leadSecretId'
  | 'hashSecretId'
  | 'cdnSecretId'
  | 'aiSecretId'
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

/** The environment variable of a setting, `LEADS_TABLE` of `leadsTable`: CDK and the local runtime set it, `config` reads it. */
export const environmentVariableName = (name: SettingName): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

/** A required setting, read when first needed: a function has only those that its grants need. */
export function requireSetting(name: SettingName): string {
  const value = readSetting(name);
  if (value === undefined) {
    throw new Error(
      `The environment variable ${environmentVariableName(name)} is not set: the function was deployed without it.`,
    );
  }
  return value;
}

/** A setting that may be absent. */
export const readSetting = (name: SettingName): string | undefined =>
  process.env[environmentVariableName(name)] || undefined;

/** Set on a laptop for load tests; never by a deployment. */
export const areRateLimitsDisabled = (): boolean => process.env.LOCAL_RATE_LIMITS === 'off';

/** Whether replies are checked against their declaration: in tests and locally. */
export const isResponseValidationEnabled = (): boolean => process.env.VALIDATE_RESPONSES === 'on';
