import { type IndexShard, shardOfLead } from '../index-shards.ts';
import type { LeadKey } from '../lead.ts';
import type { LeadChange } from '../ports.ts';

/** An item of the leads table. All attributes are flat, so that one update expression can change each of them. */
export type LeadItem = Record<string, string | number>;

/** The attribute changes of one submit. */
export type AttributeChanges = {
  set: Map<string, string | number>;
  /** Set only if absent. */
  initial: Map<string, string | number>;
  add: Map<string, number>;
  remove: string[];
};

/** The most bytes that DynamoDB counts for a number. */
const NUMBER_BYTES = 21;

const toSeconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

/** Partition key of a funnel's shard in the index `byFunnel`. */
export const funnelShardKey = (funnelId: string, shard: IndexShard): string => `${funnelId}#${shard}`;

export const leadItemKey = ({ funnelId, leadId }: LeadKey) => ({ pk: `lead#${funnelId}#${leadId}`, sk: 'lead' });

export function parseLeadKey({ pk }: LeadItem): LeadKey {
  const [, funnelId = '', leadId = ''] = String(pk).split('#');
  return { funnelId, leadId };
}

export const DATA_PREFIX = 'd.';
/** Attribute of a key of `data`. The key is escaped as in JSON: attribute names cannot contain lone surrogates. */
export const dataAttribute = (key: string): string => `${DATA_PREFIX}${escapeKey(key)}`;

/** When a consent field was last given, and when it was last refused, withdrawn or cleared. */
export const CONSENT_GIVEN_PREFIX = 'consent.given.';
export const CONSENT_WITHDRAWN_PREFIX = 'consent.withdrawn.';
const consentAttribute = (field: string, given: boolean): string =>
  `${given ? CONSENT_GIVEN_PREFIX : CONSENT_WITHDRAWN_PREFIX}${escapeKey(field)}`;

const escapeKey = (key: string): string => JSON.stringify(key).slice(1, -1);
export const unescapeKey = (name: string): string => String(JSON.parse(`"${name}"`));

/** Number of submits of a step. The item has one such attribute for each step of the history. */
export const STEP_COUNT_PREFIX = 'step.count.';
export const stepCountAttribute = (stepId: string): string => `${STEP_COUNT_PREFIX}${stepId}`;
export const STEP_FIRST_PREFIX = 'step.first.';
export const STEP_LAST_PREFIX = 'step.last.';

export const countSteps = (item: LeadItem): number =>
  Object.keys(item).filter((attribute) => attribute.startsWith(STEP_COUNT_PREFIX)).length;

/** The item of a new lead. See `dynamo-lead-repository.ts` for the two bounds. */
export function toNewItem(key: LeadKey, write: LeadChange): LeadItem {
  const item = applyAttributeChanges(
    {
      ...leadItemKey(key),
      tokenHash: write.tokenHash,
      firstSubmittedAt: new Date(write.atMs).toISOString(),
      funnelShard: funnelShardKey(key.funnelId, shardOfLead(key.leadId)),
      submits: 1,
      stepsBound: write.stepId === undefined ? 0 : 1,
      bytesBound: 0,
    },
    toAttributeChanges(write),
  );
  return { ...item, bytesBound: itemBytes(item) };
}

export function toAttributeChanges(write: LeadChange): AttributeChanges {
  const at = new Date(write.atMs).toISOString();
  const change: AttributeChanges = {
    set: new Map<string, string | number>([
      ['submittedAt', at],
      // The token expires with the lead at the latest, so that write conditions have to check only one time.
      ['tokenExpiresAt', Math.min(write.tokenExpiresAtMs, write.expiresAtMs ?? Infinity)],
      ['deviceClass', write.deviceClass],
    ]),
    initial: new Map(),
    add: new Map(),
    remove: [],
  };
  setIfDefined(change, 'pageUrl', write.pageUrl);
  setIfDefined(change, 'webcomponentArgs', write.webcomponentArgs);
  setIfDefined(change, 'cookieConsent', write.cookieConsent);
  if (write.expiresAtMs === undefined) change.remove.push('expiresAt');
  else change.set.set('expiresAt', toSeconds(write.expiresAtMs));
  for (const [key, json] of write.changes) {
    if (json === null) change.remove.push(dataAttribute(key));
    else change.set.set(dataAttribute(key), json);
  }
  for (const { field, given, text, versionId } of write.consents) {
    change.set.set(consentAttribute(field, given), JSON.stringify({ at, text, versionId }));
  }
  if (write.stepId !== undefined) addStep(change, write.stepId, at);
  return change;
}

function setIfDefined(change: AttributeChanges, attribute: string, value: string | undefined): void {
  if (value !== undefined) change.set.set(attribute, value);
}

function addStep(change: AttributeChanges, stepId: string, at: string): void {
  change.initial.set(`${STEP_FIRST_PREFIX}${stepId}`, at);
  change.set.set(`${STEP_LAST_PREFIX}${stepId}`, at);
  change.add.set(stepCountAttribute(stepId), 1);
}

/** The item after the change. */
export function applyAttributeChanges(item: LeadItem, change: AttributeChanges): LeadItem {
  const after = new Map(Object.entries(item));
  for (const [attribute, value] of change.set) after.set(attribute, value);
  for (const [attribute, value] of change.initial) if (!after.has(attribute)) after.set(attribute, value);
  for (const [attribute, value] of change.add) after.set(attribute, Number(after.get(attribute) ?? 0) + value);
  for (const attribute of change.remove) after.delete(attribute);
  return Object.fromEntries(after);
}

/** Size of the item as DynamoDB counts it, with the maximum for each number. */
export const itemBytes = (item: LeadItem): number => sumBytes(Object.entries(item));

/** Upper bound of the bytes that a change adds to an item. */
export const addedBytesMax = ({ set, initial, add }: AttributeChanges): number =>
  sumBytes(set) + sumBytes(initial) + sumBytes(add);

function sumBytes(attributes: Iterable<readonly [string, string | number]>): number {
  let bytes = 0;
  for (const [attribute, value] of attributes) {
    bytes += Buffer.byteLength(attribute) + (typeof value === 'number' ? NUMBER_BYTES : Buffer.byteLength(value));
  }
  return bytes;
}

/**
 * Whether the lead no longer exists for readers: its retention period has ended, even if DynamoDB has not yet deleted
 * the item, or its erasure has started, which removes `tokenHash`.
 */
export const isExpiredOrErasing = (item: { tokenHash?: unknown; expiresAt?: unknown }, nowMs: number): boolean =>
  item.tokenHash === undefined || (typeof item.expiresAt === 'number' && item.expiresAt <= toSeconds(nowMs));
