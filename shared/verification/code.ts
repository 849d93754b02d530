import { createHash, createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { LeadKey } from '../leads/lead.ts';

const DIGITS = 6;
/** 132 bits, and half the bytes on every lead. */
const HASH_CHARACTERS = 22;

/** Six digits of chance, evenly spread. */
export const generateCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');

/** What a person typed, as digits: without the spaces and dashes that codes are grouped with, in any script's width. */
export const normalizeCodeInput = (typed: string): string => typed.slice(0, 64).normalize('NFKC').replace(/[\s-]/g, '');

/**
 * The hash that a verification is bound to. Without a key: the value itself stands beside it on the lead, and whoever
 * exports leads tells with it which values are verified. Of no use for finding a value on other leads.
 *
 * @param json the value as the lead holds it, JSON text
 */
export const hashFieldValue = ({ funnelId, leadId }: LeadKey, field: string, json: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['verified-value', funnelId, leadId, field, json]))
    .digest('base64url')
    .slice(0, HASH_CHARACTERS);

type CodeBinding = LeadKey & { field: string; valueHash: string };

/**
 * What is kept of a code: a keyed hash, bound to the lead, the field and its value, so that nobody who reads the table
 * can try all digits.
 */
export const hashCode = (secret: string, { funnelId, leadId, field, valueHash }: CodeBinding, digits: string): string =>
  keyedHash(secret, ['mfa-code', funnelId, leadId, field, valueHash, digits]);

/** Compares two hashes in a time that tells nothing of where they differ. */
export function isEqualConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The key of a destination in an organization's counters.
 *
 * @param recipient see `recipientOf`
 */
export const hashDestination = (secret: string, orgId: string, recipient: string): string =>
  keyedHash(secret, ['mfa-destination', orgId, recipient]);

const keyedHash = (secret: string, parts: readonly string[]): string =>
  createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url').slice(0, HASH_CHARACTERS);
