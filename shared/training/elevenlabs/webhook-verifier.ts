import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { SecretStore } from '../../platform/secret-store.ts';
import { readSecretOrUnavailable } from '../../platform/unavailable.ts';

/** How far the time of a signature may be from ours, either way: what is older may have been sent before. */
const TOLERANCE_SECONDS = 30 * 60;
/** One of the provider's has 80 characters, while a secret is exchanged 148. */
const HEADER_CHARACTERS_MAX = 1_024;

const TIME = /^\d{1,12}$/;
const HASH = /^[0-9a-f]{64}$/;

type Signed = { signature: string | undefined; rawBody: string };
type Signature = { time: string; hashes: Buffer[] };

/**
 * Tells whether the voice provider signed a body, with a secret that the deployment holds; while it is exchanged, its
 * text holds the old one and the new one with white space between them.
 *
 * @throws Problem 503 while the secret can't be read
 */
export const createWebhookVerifier =
  (ports: { secrets: SecretStore; secretId: () => string; clock: Clock }) =>
  async ({ signature, rawBody }: Signed): Promise<boolean> => {
    const given = parseSignature(signature, ports.clock.now() / 1_000);
    if (given === undefined) return false;
    const text = await readSecretOrUnavailable(ports.secrets, ports.secretId());
    return text.split(/\s+/).some((secret) => secret !== '' && isSignedWith(secret, given, rawBody));
  };

/**
 * Reads `t=<unix seconds>,v0=<hex>`, in any order, several `v0` and parts of other schemes among them.
 *
 * @returns undefined for what is malformed, and for a time too far from `nowSeconds`
 */
function parseSignature(header: string | undefined, nowSeconds: number): Signature | undefined {
  if (header === undefined || header.length > HEADER_CHARACTERS_MAX) return undefined;
  const parts = header.split(',');
  const valuesOf = (name: string) => parts.flatMap((part) => (part.startsWith(name) ? [part.slice(name.length)] : []));
  const [time, ...moreTimes] = valuesOf('t=');
  const hashes = valuesOf('v0=');
  if (time === undefined || moreTimes.length > 0 || !TIME.test(time)) return undefined;
  if (hashes.length === 0 || !hashes.every((hash) => HASH.test(hash))) return undefined;
  if (Math.abs(nowSeconds - Number(time)) > TOLERANCE_SECONDS) return undefined;
  return { time, hashes: hashes.map((hash) => Buffer.from(hash, 'hex')) };
}

/** HMAC-SHA256 of the time as it was sent, a dot, and the body as it was sent; compared in constant time. */
function isSignedWith(secret: string, { time, hashes }: Signature, rawBody: string): boolean {
  const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest();
  return hashes.some((hash) => timingSafeEqual(hash, expected));
}
