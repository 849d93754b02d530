import { createHmac, randomInt } from 'node:crypto';
import type { LeadKey } from '../leads/lead.ts';

const DIGITS = 6;
/** 132 bits. Hashes are truncated to save space in the items of leads. */
const HASH_CHARACTERS = 22;

/** Uniformly random six-digit code. */
export const generateCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');

/** Removes white space and hyphens, and converts full-width digits. Ignores all characters after the first 64. */
export const normalizeCodeInput = (input: string): string => input.slice(0, 64).normalize('NFKC').replace(/[\s-]/g, '');

type CodeBinding = LeadKey & { field: string; valueHash: string };

/**
 * Returns the hash that is stored instead of a code. The hash has a secret key. Without the key, trying all six-digit
 * numbers does not reveal the code. The hash is bound to lead, field and value.
 */
export const hashCode = (secret: string, { funnelId, leadId, field, valueHash }: CodeBinding, digits: string): string =>
  keyedHash(secret, ['mfa-code', funnelId, leadId, field, valueHash, digits]);

/**
 * Returns the key of a destination in the rate limits of an organization.
 *
 * @param recipient see `normalizeRecipient`
 */
export const hashDestination = (secret: string, orgId: string, recipient: string): string =>
  keyedHash(secret, ['mfa-destination', orgId, recipient]);

const keyedHash = (secret: string, parts: readonly string[]): string =>
  createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url').slice(0, HASH_CHARACTERS);
