const NAMES = {
  directoryTable: 'TABLE_DIRECTORY',
  leadsTable: 'TABLE_LEADS',
  trainingTable: 'TABLE_TRAINING',
  analyticsTable: 'TABLE_ANALYTICS',
  limitsTable: 'TABLE_LIMITS',
  eventStream: 'STREAM_EVENTS',
  factsBucket: 'BUCKET_FACTS',
  setAsideBucket: 'BUCKET_SET_ASIDE',
  leadSecretId: 'SECRET_LEADS',
  leadTokenDays: 'LEAD_TOKEN_DAYS',
  oidcIssuer: 'OIDC_ISSUER',
  oidcAudience: 'OIDC_AUDIENCE',
  oidcJwksUri: 'OIDC_JWKS_URI',
  corsOrigins: 'CORS_ORIGINS',
} as const;

export type ConfigName = keyof typeof NAMES;

/** The environment variable that carries a setting; CDK and the local runtime set it, `config` reads it. */
export const environmentName = (name: ConfigName): string => NAMES[name];

/** A required setting. Read when first needed, not at import, so that a test or a cold start pays only for what it uses. */
export function config(name: ConfigName): string {
  const value = process.env[NAMES[name]];
  if (!value)
    throw new Error(`The environment variable ${NAMES[name]} is not set: the function was deployed without it.`);
  return value;
}

/** A setting that may be absent. */
export const optionalConfig = (name: ConfigName): string | undefined => process.env[NAMES[name]] || undefined;

/** Set on a laptop for load tests; never by a deployment. */
export const rateLimitsLifted = (): boolean => process.env.LOCAL_RATE_LIMITS === 'off';

/** Whether replies are checked against their declaration: in tests and locally. */
export const repliesValidated = (): boolean => process.env.VALIDATE_REPLIES === 'on';
