import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import type { StateFolder } from './state-folder.ts';

const random = () => randomBytes(32).toString('base64url');

const Secrets = z.object({
  /** Secrets that a deployment keeps in Secrets Manager. */
  values: z.object({
    leads: z.string(),
    hashes: z.string(),
    cdn: z.string(),
    voiceWebhook: z.string(),
    // These values are generated if they are missing, because state folders of earlier versions don't have them.
    webhooks: z._default(z.string(), random),
    notifications: z._default(z.string(), random),
  }),
  /** The private key of the token issuer. */
  issuerKey: z.custom<JsonWebKey & { kid: string; alg: 'RS256' }>((key) => typeof key === 'object' && key !== null),
});

export type LocalSecrets = z.infer<typeof Secrets>;

/** Name of the file in the state folder. */
export const SECRETS_FILE = 'secrets.json';
const OWNER_ONLY = 0o600;

/**
 * Loads the stored secrets, so that lead handles and tokens remain valid after a restart. If there are no stored
 * secrets, or they are invalid, generates all secrets. Stores generated secrets.
 */
export function loadOrCreateSecrets(state: StateFolder): LocalSecrets {
  const text = state.read(SECRETS_FILE) ?? '';
  const secrets = parseSecrets(text) ?? generateSecrets();
  const complete = JSON.stringify(secrets, undefined, 2);
  if (complete !== text) state.write(SECRETS_FILE, complete, OWNER_ONLY);
  return secrets;
}

/** Returns undefined if the text contains no valid secrets. */
export const parseSecrets = (text: string): LocalSecrets | undefined => Secrets.safeParse(tryParseJson(text)).data;

function generateSecrets(): LocalSecrets {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    values: {
      leads: random(),
      hashes: random(),
      cdn: random(),
      voiceWebhook: random(),
      webhooks: random(),
      notifications: random(),
    },
    issuerKey: { ...privateKey.export({ format: 'jwk' }), kid: random(), alg: 'RS256' },
  };
}
