export type ConfigName =
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
export const environmentName = (name: ConfigName): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

/** A required setting, read when first needed: a function has only those that its grants need. */
export function config(name: ConfigName): string {
  const value = optionalConfig(name);
  if (value === undefined) {
    throw new Error(
      `The environment variable ${environmentName(name)} is not set: the function was deployed without it.`,
    );
  }
  return value;
}

/** A setting that may be absent. */
export const optionalConfig = (name: ConfigName): string | undefined => process.env[environmentName(name)] || undefined;

/** Set on a laptop for load tests; never by a deployment. */
export const rateLimitsLifted = (): boolean => process.env.LOCAL_RATE_LIMITS === 'off';

/** Whether replies are checked against their declaration: in tests and locally. */
export const repliesValidated = (): boolean => process.env.VALIDATE_REPLIES === 'on';
