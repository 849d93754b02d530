import { createHash, createHmac } from 'node:crypto';
import { isEqualConstantTime } from '../platform/constant-time.ts';
import type { IdGenerator } from '../platform/id-generator.ts';

/** What a page needs to update its lead: the lead's id and update token. See ADR 0005. */
export type LeadHandle = { id: string; updateToken: string };

const TOKEN_BYTES = 32;
const DAY_MS = 86_400_000;

/** Default of the setting `leadTokenDays`: the days from the last submit until the update token expires. */
export const DEFAULT_TOKEN_DAYS = 30;

/** Returns the hash by which a token is stored. */
export const hashToken = (updateToken: string): string => createHash('sha256').update(updateToken).digest('base64url');

/**
 * Returns the time at which the token expires after a submit. It is never later than the end of the lead's
 * retention period, so that the conditions of writes need to check only the expiry of the token.
 */
export const tokenExpiryMs = (submittedAtMs: number, tokenDays: number, retainedUntilMs = Infinity): number =>
  Math.min(submittedAtMs + tokenDays * DAY_MS, retainedUntilMs);

type StoredToken = { tokenHash: string; tokenExpiresAtMs: number };

/** Whether the presented token is the lead's token and has not expired. The conditions of writes check the same. */
export const isTokenValid = (stored: StoredToken, presented: { tokenHash: string; atMs: number }): boolean =>
  isEqualConstantTime(stored.tokenHash, presented.tokenHash) && stored.tokenExpiresAtMs > presented.atMs;

export const generateHandle = (ids: IdGenerator): LeadHandle => ({
  id: ids.uuid(),
  updateToken: ids.randomSecret(TOKEN_BYTES),
});

type IdempotentRequest = { funnelId: string; idempotencyKey: string; rawBody: string };

/**
 * Derives the handle of a request with an Idempotency-Key. The same secret, funnel, key and body give the same handle,
 * so that a retry needs no stored response. If the key is used with another body, the id is the same but the token
 * differs, so that `submitLead` can reject the request.
 */
export function deriveHandle(secret: string, { funnelId, idempotencyKey, rawBody }: IdempotentRequest): LeadHandle {
  // The JSON array delimits its parts, so that two different requests never have equal input for the hash.
  const derive = (purpose: 'lead-id' | 'update-token') =>
    createHmac('sha256', secret).update(JSON.stringify([purpose, funnelId, idempotencyKey]));
  return {
    id: toUuid(derive('lead-id').digest()),
    updateToken: derive('update-token').update(rawBody).digest('base64url'),
  };
}

/** Formats the first 16 bytes as a UUID of version 8 (RFC 9562). */
function toUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
