import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import type { StateFolder } from './state-folder.ts';

const Secrets = z.object({
  /** Secrets that a deployment keeps in Secrets Manager. */
  values: z.object({ leads: z.string(), hashes: z.string(), cdn: z.string(), voiceWebhook: z.string() }),
  /** The private key of the token issuer. */
  issuerKey: z.custom<JsonWebKey & { kid: string; alg: 'RS256' }>((key) => typeof key === 'object' && key !== null),
});

export type LocalSecrets = z.infer<typeof Secrets>;

/** Name of the file in the state folder. */
export const SECRETS_FILE = 'secrets.json';
const OWNER_ONLY = 0o600;

/**
 * Loads the stored secrets, so that lead handles and tokens remain valid after a restart. Generates and stores secrets
 * if there are none.
 */
export function loadOrCreateSecrets(state: StateFolder): LocalSecrets {
  const stored = parseSecrets(state.read(SECRETS_FILE) ?? '');
  if (stored !== undefined) return stored;
  const created = generateSecrets();
  state.write(SECRETS_FILE, JSON.stringify(created, undefined, 2), OWNER_ONLY);
  return created;
}

/** Returns undefined if the text contains no valid secrets. */
export const parseSecrets = (text: string): LocalSecrets | undefined => Secrets.safeParse(tryParseJson(text)).data;

function generateSecrets(): LocalSecrets {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const random = () => randomBytes(32).toString('base64url');
  return {
    values: { leads: random(), hashes: random(), cdn: random(), voiceWebhook: random() },
    issuerKey: { ...privateKey.export({ format: 'jwk' }), kid: random(), alg: 'RS256' },
  };
}
