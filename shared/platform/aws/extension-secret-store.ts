import * as z from 'zod/mini';
import { type Clock, systemClock } from '../clock.ts';
import type { SecretStore } from '../secret-store.ts';
import { createTtlCache } from '../ttl-cache.ts';

const CACHE_MS = 5 * 60_000;
const SECRETS_MAX = 20;
const TIMEOUT_MS = 2_000;

const Answer = z.object({ SecretString: z.string().check(z.minLength(1)) });

/**
 * Secrets Manager through the AWS Parameters and Secrets Lambda Extension: plain HTTP on localhost, so that no
 * function carries another SDK client.
 */
export function createExtensionSecretStore(clock: Clock = systemClock): SecretStore {
  const cache = createTtlCache<string>({ clock, ttlMs: CACHE_MS, entriesMax: SECRETS_MAX });
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
  try {
    const answer = await fetch(`http://localhost:${port}/secretsmanager/get?secretId=${encodeURIComponent(secretId)}`, {
      headers: { 'X-Aws-Parameters-Secrets-Token': process.env.AWS_SESSION_TOKEN ?? '' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`The extension answered ${answer.status}.`);
    return Answer.parse(await answer.json()).SecretString;
  } catch (cause) {
    throw new Error(`The secrets extension on port ${port} did not give ${secretId}.`, { cause });
  }
}
