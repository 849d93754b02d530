import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import type { StateFolder } from './state-folder.ts';

const Secrets = z.object({
  /** What the Secrets Manager would hold, by secret id. */
  values: z.object({ leads: z.string(), hashes: z.string(), cdn: z.string(), voiceWebhook: z.string() }),
  /** The token issuer's private key. */
  issuerKey: z.custom<JsonWebKey & { kid: string; alg: 'RS256' }>((key) => typeof key === 'object' && key !== null),
});

export type LocalSecrets = z.infer<typeof Secrets>;

/** In the state folder. */
export const SECRETS_FILE = 'secrets.json';
const OWNER_ONLY = 0o600;

/** The installation's secrets, made by chance once and kept, so that handles and tokens survive a restart. */
export function loadOrCreateSecrets(state: StateFolder): LocalSecrets {
  const kept = parseSecrets(state.read(SECRETS_FILE) ?? '');
  if (kept !== undefined) return kept;
  const made = makeSecrets();
  state.write(SECRETS_FILE, JSON.stringify(made, undefined, 2), OWNER_ONLY);
  return made;
}

/** The secrets that the file's text holds; undefined when it holds none. */
export const parseSecrets = (text: string): LocalSecrets | undefined => Secrets.safeParse(tryParseJson(text)).data;

function makeSecrets(): LocalSecrets {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const random = () => randomBytes(32).toString('base64url');
  return {
    values: { leads: random(), hashes: random(), cdn: random(), voiceWebhook: random() },
    issuerKey: { ...privateKey.export({ format: 'jwk' }), kid: random(), alg: 'RS256' },
  };
}
