import { dynamoLimiter } from '../limits/dynamo-limiter.ts';
import { unlimited } from '../limits/limiter.ts';
import { systemClock } from '../platform/clock.ts';
import { config, rateLimitsLifted } from '../platform/config.ts';
import { extensionSecrets } from '../platform/extension-secrets.ts';
import { type AddressGate, addressGate } from './address-gate.ts';

/** The gate as deployed: counters in DynamoDB, addresses hashed with the deployment's secret. */
export const awsAddressGate = (): AddressGate =>
  addressGate({
    limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
    secrets: extensionSecrets(),
    secretIds: () => ({ hash: config('hashSecretId'), cdn: config('cdnSecretId') }),
    clock: systemClock,
  });
