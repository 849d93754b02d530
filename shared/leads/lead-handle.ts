import { createHash, createHmac } from 'node:crypto';
import type { IdGenerator } from '../platform/id-generator.ts';

/** What a page needs to come back to its lead. */
export type LeadHandle = { id: string; updateToken: string };

const TOKEN_BYTES = 32;

/** The form in which a token is stored and compared. */
export const hashToken = (updateToken: string): string => createHash('sha256').update(updateToken).digest('base64url');

export const generateHandle = (ids: IdGenerator): LeadHandle => ({
  id: ids.uuid(),
  updateToken: ids.randomSecret(TOKEN_BYTES),
});

type IdempotentRequest = { funnelId: string; idempotencyKey: string; rawBody: string };

/**
 * The handle that belongs to an Idempotency-Key: the same funnel, key and body always give the same, so that a retry
 * after a lost answer needs no record of the first answer. Another body gives the same id but another token.
 */
export function deriveHandle(secret: string, { funnelId, idempotencyKey, rawBody }: IdempotentRequest): LeadHandle {
  // The purpose keeps the two apart; a JSON array ends before the body begins, whatever they hold.
  const derive = (purpose: 'lead-id' | 'update-token') =>
    createHmac('sha256', secret).update(JSON.stringify([purpose, funnelId, idempotencyKey]));
  return {
    id: asUuid(derive('lead-id').digest()),
    updateToken: derive('update-token').update(rawBody).digest('base64url'),
  };
}

/** RFC 9562 version 8: a UUID whose bits are the application's. */
function asUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
