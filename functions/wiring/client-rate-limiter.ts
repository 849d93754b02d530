import type { ClientRateLimiter } from '../../shared/http/client-rate-limiter.ts';
import { type ClientPseudonymizer, createClientPseudonymizer } from '../../shared/limits/client-pseudonym.ts';
import { createClientRateLimiter } from '../../shared/limits/client-rate-limiter.ts';
import { createExtensionSecretStore } from '../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { requireSetting } from '../../shared/platform/settings.ts';
import { createAwsRateLimiter } from './rate-limiter.ts';

/** Derives the pseudonyms of clients' addresses with the deployment's hash secret as the key. */
export const createAwsClientPseudonymizer = (): ClientPseudonymizer =>
  createClientPseudonymizer({
    secrets: createExtensionSecretStore(),
    secretIds: () => ({ hash: requireSetting('hashSecretId'), cdn: requireSetting('cdnSecretId') }),
    clock: systemClock,
  });

export const createAwsClientRateLimiter = (pseudonymizer = createAwsClientPseudonymizer()): ClientRateLimiter =>
  createClientRateLimiter({ rateLimiter: createAwsRateLimiter(), pseudonymizer });
