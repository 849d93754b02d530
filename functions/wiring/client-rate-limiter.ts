import { createDynamoRateLimiter } from '../../shared/limits/aws/dynamo-rate-limiter.ts';
import { type ClientRateLimiter, createClientRateLimiter } from '../../shared/limits/client-rate-limiter.ts';
import { createExtensionSecretStore } from '../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { unlimitedRateLimiter } from '../../shared/platform/rate-limiter.ts';
import { areRateLimitsDisabled, requireSetting } from '../../shared/platform/settings.ts';

/** The gate as deployed: counters in DynamoDB, addresses hashed with the deployment's secret. */
export const createAwsClientRateLimiter = (): ClientRateLimiter =>
  createClientRateLimiter({
    limiter: areRateLimitsDisabled() ? unlimitedRateLimiter : createDynamoRateLimiter(),
    secrets: createExtensionSecretStore(),
    secretIds: () => ({ hash: requireSetting('hashSecretId'), cdn: requireSetting('cdnSecretId') }),
    clock: systemClock,
  });
