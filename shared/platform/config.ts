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
