import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { SecretStore } from '../../platform/secret-store.ts';
import { readSecretOrUnavailable } from '../../platform/unavailable.ts';

/**
 * Maximum difference between the time of a signature and our clock, in both directions. A replay within this time is
 * harmless, because `moveToProcessing` changes only a call that is still `pending` or `abandoned`.
 */
const TOLERANCE_SECONDS = 30 * 60;
/** The provider's header has 80 characters, or 148 during a rotation of the secret. */
const HEADER_CHARACTERS_MAX = 1_024;

const UNIX_SECONDS = /^\d{1,12}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

type SignedBody = { signature: string | undefined; rawBody: string };
type Signature = { time: string; hashes: Buffer[] };

/**
 * Creates a function that returns whether the voice provider signed a body. It throws UnavailableError while the secret
 * can't be read. During a rotation, the secret's value contains the old and the new secret, separated by white space.
 */
export const createVoiceWebhookVerifier =
  (ports: { secrets: SecretStore; secretId: () => string; clock: Clock }) =>
  async ({ signature, rawBody }: SignedBody): Promise<boolean> => {
    const parsed = parseSignature(signature, ports.clock.now() / 1_000);
    if (parsed === undefined) return false;
    const secrets = await readSecretOrUnavailable(() => ports.secrets.read(ports.secretId()));
    return secrets.split(/\s+/).some((secret) => secret !== '' && isSignedWith(secret, parsed, rawBody));
  };

/**
 * Parses `t=<unix seconds>,v0=<hex>`. The order of the parts is free, `v0` can be repeated, and parts of other schemes
 * are ignored.
 *
 * @returns undefined for a malformed header, and for a time outside the tolerance
 */
function parseSignature(header: string | undefined, nowSeconds: number): Signature | undefined {
  if (header === undefined || header.length > HEADER_CHARACTERS_MAX) return undefined;
  const parts = header.split(',');
  const valuesOf = (name: string) => parts.flatMap((part) => (part.startsWith(name) ? [part.slice(name.length)] : []));
  const [time, ...moreTimes] = valuesOf('t=');
  const hashes = valuesOf('v0=');
  if (time === undefined || moreTimes.length > 0 || !UNIX_SECONDS.test(time)) return undefined;
  if (hashes.length === 0 || !hashes.every((hash) => SHA256_HEX.test(hash))) return undefined;
  if (Math.abs(nowSeconds - Number(time)) > TOLERANCE_SECONDS) return undefined;
  return { time, hashes: hashes.map((hash) => Buffer.from(hash, 'hex')) };
}

/** Whether one of the hashes is the HMAC-SHA256 of `<time>.<body>`. Compares in constant time. */
function isSignedWith(secret: string, { time, hashes }: Signature, rawBody: string): boolean {
  const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest();
  return hashes.some((hash) => timingSafeEqual(hash, expected));
}
