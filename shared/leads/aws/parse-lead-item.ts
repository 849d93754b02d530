import * as z from 'zod/mini';
import { hashFieldValue, VerifiedFieldValue } from '../field-value-hash.ts';
import { ConsentProof, type Lead, type LeadKey } from '../lead.ts';
import {
  CONSENT_GIVEN_PREFIX,
  CONSENT_WITHDRAWN_PREFIX,
  DATA_PREFIX,
  type LeadItem,
  parseLeadKey,
  retentionEnd,
  STEP_COUNT_PREFIX,
  STEP_FIRST_PREFIX,
  STEP_LAST_PREFIX,
  unescapeKey,
} from './lead-item.ts';

/** What a `Lead` contains of the stored verification state. */
const Verification = z.object({ verified: z.array(VerifiedFieldValue) });

export function parseLeadItem(item: LeadItem): Lead {
  const key = parseLeadKey(item);
  const endSeconds = retentionEnd(item);
  const data = new Map(
    attributesWithPrefix(item, DATA_PREFIX).map(([name, json]) => [unescapeKey(name), String(json)]),
  );
  return {
    ...key,
    firstSubmittedAt: String(item.firstSubmittedAt),
    submittedAt: String(item.submittedAt),
    completedAt: toText(item.completedAt),
    submits: Number(item.submits),
    retainedUntil: endSeconds === undefined ? undefined : toIsoString(endSeconds * 1000),
    data,
    steps: parseSteps(item),
    consents: parseConsents(item),
    verified: findVerified(item, key, data),
    pageUrl: toText(item.pageUrl),
    deviceClass: toText(item.deviceClass),
    webcomponentArgs: toText(item.webcomponentArgs),
    cookieConsent: toText(item.cookieConsent),
  };
}

const toIsoString = (ms: number): string => new Date(ms).toISOString();

const toText = (value: string | number | undefined): string | undefined => (value === undefined ? value : `${value}`);

/**
 * Returns the attributes whose names begin with a prefix, and removes the prefix from the names. Sorts them by code
 * units, because DynamoDB returns them in no defined order.
 */
function attributesWithPrefix(item: LeadItem, prefix: string): [string, string | number][] {
  const found: [string, string | number][] = [];
  for (const name in item) if (name.startsWith(prefix)) found.push([name.slice(prefix.length), item[name] ?? '']);
  return found.length < 2 ? found : found.sort(([one], [other]) => compare(one, other));
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function parseSteps(item: LeadItem): Lead['steps'] {
  return attributesWithPrefix(item, STEP_COUNT_PREFIX)
    .map(([id, count]) => ({
      id,
      firstAt: String(item[`${STEP_FIRST_PREFIX}${id}`]),
      lastAt: String(item[`${STEP_LAST_PREFIX}${id}`]),
      count: Number(count),
    }))
    .sort((one, other) => compare(one.firstAt, other.firstAt));
}

function parseConsents(item: LeadItem): Lead['consents'] {
  const proofs = (prefix: string) =>
    new Map(
      attributesWithPrefix(item, prefix).map(([name, json]) => [name, ConsentProof.parse(JSON.parse(String(json)))]),
    );
  const given = proofs(CONSENT_GIVEN_PREFIX);
  const withdrawn = proofs(CONSENT_WITHDRAWN_PREFIX);
  return [...new Set([...given.keys(), ...withdrawn.keys()])].sort(compare).map((name) => ({
    field: unescapeKey(name),
    given: given.get(name) ?? null,
    withdrawn: withdrawn.get(name) ?? null,
  }));
}

/** A verification belongs to one value, so a field that now has another value is not verified. */
function findVerified({ verification }: LeadItem, key: LeadKey, data: Lead['data']): Lead['verified'] {
  if (verification === undefined) return [];
  const { verified } = Verification.parse(JSON.parse(String(verification)));
  return verified
    .filter(({ field, valueHash }) => {
      const json = data.get(field);
      return json !== undefined && hashFieldValue(key, field, json) === valueHash;
    })
    .map(({ field, atMs }) => ({ field, at: toIsoString(atMs) }))
    .sort((one, other) => compare(one.field, other.field));
}
