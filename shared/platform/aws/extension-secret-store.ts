import * as z from 'zod/mini';
import { type Clock, systemClock } from '../clock.ts';
import type { SecretStore } from '../secret-store.ts';
import { createTtlCache } from '../ttl-cache.ts';

const CACHE_TTL_MS = 5 * 60_000;
const SECRETS_MAX = 20;
const TIMEOUT_MS = 2_000;

const SecretResponse = z.object({ SecretString: z.string().check(z.minLength(1)) });

/**
 * Reads secrets through the AWS Parameters and Secrets Lambda Extension. The extension serves plain HTTP on localhost,
 * so bundles need no SDK client for Secrets Manager.
 */
export function createExtensionSecretStore(clock: Clock = systemClock): SecretStore {
  const cache = createTtlCache<string>({ clock, ttlMs: CACHE_TTL_MS, entriesMax: SECRETS_MAX });
  return {
    read: async (secretId) => {
      const secret = await cache(secretId, () => fetchSecret(secretId));
      if (secret === undefined) throw new Error(`The secret ${secretId} is empty.`);
      return secret;
    },
  };
}

async function fetchSecret(secretId: string): Promise<string> {
  const port = process.env.PARAMETERS_SECRETS_EXTENSION_HTTP_PORT ?? '2773';
  const url = `http://localhost:${port}/secretsmanager/get?secretId=${encodeURIComponent(secretId)}`;
  try {
    const response = await fetch(url, {
      headers: { 'X-Aws-Parameters-Secrets-Token': process.env.AWS_SESSION_TOKEN ?? '' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`The extension responded with status ${response.status}.`);
    return SecretResponse.parse(await response.json()).SecretString;
  } catch (cause) {
    throw new Error(`The secrets extension on port ${port} did not return the secret ${secretId}.`, { cause });
  }
}
