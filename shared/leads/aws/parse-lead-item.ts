import * as z from 'zod/mini';
import { hashFieldValue } from '../../verification/code.ts';
import type { LeadKey } from '../lead.ts';
import {
  CONSENT_GIVEN_PREFIX,
  CONSENT_WITHDRAWN_PREFIX,
  DATA_PREFIX,
  type LeadItem,
  parseLeadKey,
  STEP_COUNT_PREFIX,
  STEP_FIRST_PREFIX,
  STEP_LAST_PREFIX,
  unescapeKey,
} from './lead-item.ts';

/** What proves a consent: when, to which text (the field's own version, else null), and in which funnel version. */
const ConsentProof = z.object({
  at: z.string(),
  text: z._default(z.nullable(z.string()), null),
  versionId: z.string(),
});
type ConsentProof = z.infer<typeof ConsentProof>;

const Verification = z.object({
  verified: z.array(z.object({ field: z.string(), valueHash: z.string(), atMs: z.number() })),
});

/** All that is kept of a lead and meant for people: no token, no hash, no code. Times are ISO 8601 UTC. */
export type Lead = LeadKey & {
  firstSubmittedAt: string;
  submittedAt: string;
  /** Accepted submits. */
  submits: number;
  /** When the funnel's retention ends; undefined: the lead is kept. */
  expiresAt: string | undefined;
  /** Each value as JSON text, by key in the order of code units. */
  data: ReadonlyMap<string, string>;
  /** In the order in which they were first submitted. */
  steps: readonly { id: string; firstAt: string; lastAt: string; count: number }[];
  /** When each consent was last given, and last refused or taken back. */
  consents: readonly { field: string; given: ConsentProof | null; withdrawn: ConsentProof | null }[];
  /** Contact fields whose present value is verified. */
  verified: readonly { field: string; at: string }[];
  pageUrl: string | undefined;
  deviceClass: string | undefined;
  /** JSON text as it was sent. */
  webcomponentArgs: string | undefined;
  cookieConsent: string | undefined;
};

/** The lead that an item holds. */
export function parseLeadItem(item: LeadItem): Lead {
  const key = parseLeadKey(item);
  const data = new Map(attributesOf(item, DATA_PREFIX).map(([name, json]) => [unescapeKey(name), String(json)]));
  return {
    ...key,
    firstSubmittedAt: String(item.firstSubmittedAt),
    submittedAt: String(item.submittedAt),
    submits: Number(item.submits),
    expiresAt: typeof item.expiresAt === 'number' ? toIsoString(item.expiresAt * 1000) : undefined,
    data,
    steps: stepsIn(item),
    consents: consentsIn(item),
    verified: verifiedIn(item, key, data),
    pageUrl: textOf(item.pageUrl),
    deviceClass: textOf(item.deviceClass),
    webcomponentArgs: textOf(item.webcomponentArgs),
    cookieConsent: textOf(item.cookieConsent),
  };
}

const toIsoString = (ms: number): string => new Date(ms).toISOString();

const textOf = (value: string | number | undefined): string | undefined => (value === undefined ? value : `${value}`);

/** The attributes that begin so, named by the rest, in the order of code units: DynamoDB's own order is none. */
function attributesOf(item: LeadItem, prefix: string): [string, string | number][] {
  const found: [string, string | number][] = [];
  for (const name in item) if (name.startsWith(prefix)) found.push([name.slice(prefix.length), item[name] ?? '']);
  return found.length < 2 ? found : found.sort(([one], [other]) => compare(one, other));
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function stepsIn(item: LeadItem): Lead['steps'] {
  return attributesOf(item, STEP_COUNT_PREFIX)
    .map(([id, count]) => ({
      id,
      firstAt: String(item[`${STEP_FIRST_PREFIX}${id}`]),
      lastAt: String(item[`${STEP_LAST_PREFIX}${id}`]),
      count: Number(count),
    }))
    .sort((one, other) => compare(one.firstAt, other.firstAt));
}

function consentsIn(item: LeadItem): Lead['consents'] {
  const proofs = (prefix: string) =>
    new Map(attributesOf(item, prefix).map(([name, json]) => [name, ConsentProof.parse(JSON.parse(String(json)))]));
  const given = proofs(CONSENT_GIVEN_PREFIX);
  const withdrawn = proofs(CONSENT_WITHDRAWN_PREFIX);
  return [...new Set([...given.keys(), ...withdrawn.keys()])].sort(compare).map((name) => ({
    field: unescapeKey(name),
    given: given.get(name) ?? null,
    withdrawn: withdrawn.get(name) ?? null,
  }));
}

/** A verification is of a value: a field that holds another one by now is not verified. */
function verifiedIn({ verification }: LeadItem, key: LeadKey, data: Lead['data']): Lead['verified'] {
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
