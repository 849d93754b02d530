import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { LeadKey } from './lead.ts';

const HASH_CHARACTERS = 22;

/** A field of a lead, and the hash of a value that the field had. */
export const FieldValueRef = z.object({ field: z.string(), valueHash: z.string() });
export type FieldValueRef = z.infer<typeof FieldValueRef>;

/** A field value that was verified by a code. */
export const VerifiedFieldValue = z.extend(FieldValueRef, { atMs: z.number() });

/**
 * Returns a hash that binds a verification to one value of one field of one lead. The hash needs no secret key, because
 * it hides nothing: the value is stored next to the hash. The same value on another lead has another hash.
 *
 * @param json the value as JSON text, as stored on the lead
 */
export const hashFieldValue = ({ funnelId, leadId }: LeadKey, field: string, json: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['verified-value', funnelId, leadId, field, json]))
    .digest('base64url')
    .slice(0, HASH_CHARACTERS);
