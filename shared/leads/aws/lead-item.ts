import { type IndexShard, shardOfLead } from '../index-shards.ts';
import type { LeadKey } from '../lead.ts';
import type { LeadChange } from '../ports.ts';
import { outboxOfCreationOrVerification, outboxOfSubmit } from './outbox-attributes.ts';

/** An item of the leads table. All attributes are flat, so that one update expression can change each of them. */
export type LeadItem = Record<string, string | number>;

/** The attribute changes of one submit. */
export type AttributeChanges = {
  set: Map<string, string | number>;
  /** Attributes that are set only if they are absent. */
  initial: Map<string, string | number>;
  add: Map<string, number>;
  remove: string[];
};

/** Maximum number of bytes that DynamoDB counts for a number. */
const NUMBER_BYTES = 21;

const toSeconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

/** Returns the partition key of a funnel's shard in the index `byFunnel`. */
export const funnelShardKey = (funnelId: string, shard: IndexShard): string => `${funnelId}#${shard}`;

export const leadItemKey = ({ funnelId, leadId }: LeadKey) => ({ pk: `lead#${funnelId}#${leadId}`, sk: 'lead' });

export function parseLeadKey({ pk }: LeadItem): LeadKey {
  const [, funnelId = '', leadId = ''] = String(pk).split('#');
  return { funnelId, leadId };
}

export const DATA_PREFIX = 'd.';
/**
 * Returns the attribute name for a key of `data`. The key is escaped as in JSON, because attribute names cannot contain
 * lone surrogates.
 */
export const dataAttribute = (key: string): string => `${DATA_PREFIX}${escapeKey(key)}`;

/**
 * Prefixes of two attributes of a consent field: the proof of the last time that the consent was given, and the proof
 * of the last time that it was refused, withdrawn or cleared.
 */
export const CONSENT_GIVEN_PREFIX = 'consent.given.';
export const CONSENT_WITHDRAWN_PREFIX = 'consent.withdrawn.';
const consentAttribute = (field: string, given: boolean): string =>
  `${given ? CONSENT_GIVEN_PREFIX : CONSENT_WITHDRAWN_PREFIX}${escapeKey(field)}`;

const escapeKey = (key: string): string => JSON.stringify(key).slice(1, -1);
export const unescapeKey = (name: string): string => String(JSON.parse(`"${name}"`));

/** Prefix of the attributes that count submits. An item has one such attribute per step of the history. */
export const STEP_COUNT_PREFIX = 'step.count.';
export const stepCountAttribute = (stepId: string): string => `${STEP_COUNT_PREFIX}${stepId}`;
export const STEP_FIRST_PREFIX = 'step.first.';
export const STEP_LAST_PREFIX = 'step.last.';

export const countSteps = (item: LeadItem): number =>
  Object.keys(item).filter((attribute) => attribute.startsWith(STEP_COUNT_PREFIX)).length;

/**
 * Returns the item of a new lead. See `dynamo-lead-repository.ts` for `bytesBound` and `stepsBound`. `seq` starts at
 * the current time, so that it is higher than every `seq` of an earlier lead with this id (ADR 0028).
 */
export function toNewItem(key: LeadKey, change: LeadChange): LeadItem {
  const item = applyAttributeChanges(
    {
      ...leadItemKey(key),
      tokenHash: change.tokenHash,
      firstSubmittedAt: new Date(change.atMs).toISOString(),
      funnelShard: funnelShardKey(key.funnelId, shardOfLead(key.leadId)),
      submits: 1,
      stepsBound: change.stepId === undefined ? 0 : 1,
      bytesBound: 0,
      // `toAttributeChanges` also returns outbox attributes, but does not change these values: attributes in `initial`
      // are skipped because the item has them already, and attributes in `set` have the same values.
      ...outboxOfCreationOrVerification(key, change.atMs),
    },
    toAttributeChanges(key, change),
  );
  return { ...item, seq: change.atMs, bytesBound: itemBytes(item) };
}

/**
 * Returns what a submit changes in an item. The end of the retention period is `retainedUntil` (seconds). An earlier
 * release stored it in the TTL attribute `expiresAt`. Now only tombstones get this attribute. If DynamoDB deleted a
 * lead by TTL, the lead would not enter the outbox. `tokenExpiresAt` is in milliseconds.
 */
export function toAttributeChanges(key: LeadKey, change: LeadChange): AttributeChanges {
  const at = new Date(change.atMs).toISOString();
  const outbox = outboxOfSubmit(key, change.atMs, change.isValidLastStep);
  const attributes: AttributeChanges = {
    set: new Map<string, string | number>([
      ['submittedAt', at],
      ['changedAt', at],
      ['tokenExpiresAt', change.tokenExpiresAtMs],
      ['deviceClass', change.deviceClass],
      ...Object.entries(outbox.set),
    ]),
    initial: new Map(Object.entries(outbox.initial)),
    add: new Map([['seq', 1]]),
    remove: ['expiresAt'],
  };
  setIfDefined(attributes, 'pageUrl', change.pageUrl);
  setIfDefined(attributes, 'webcomponentArgs', change.webcomponentArgs);
  setIfDefined(attributes, 'cookieConsent', change.cookieConsent);
  if (change.retainedUntilMs === undefined) attributes.remove.push('retainedUntil');
  else attributes.set.set('retainedUntil', toSeconds(change.retainedUntilMs));
  for (const [name, json] of change.dataChanges) {
    if (json === null) attributes.remove.push(dataAttribute(name));
    else attributes.set.set(dataAttribute(name), json);
  }
  for (const { field, given, textVersion: text, versionId } of change.consents) {
    attributes.set.set(consentAttribute(field, given), JSON.stringify({ at, text, versionId }));
  }
  if (change.stepId !== undefined) addStep(attributes, change.stepId, at);
  if (change.isValidLastStep) attributes.initial.set('completedAt', at);
  return attributes;
}

function setIfDefined(attributes: AttributeChanges, name: string, value: string | undefined): void {
  if (value !== undefined) attributes.set.set(name, value);
}

function addStep(attributes: AttributeChanges, stepId: string, at: string): void {
  attributes.initial.set(`${STEP_FIRST_PREFIX}${stepId}`, at);
  attributes.set.set(`${STEP_LAST_PREFIX}${stepId}`, at);
  attributes.add.set(stepCountAttribute(stepId), 1);
}

/** Returns the item as it is after the changes. */
export function applyAttributeChanges(item: LeadItem, { set, initial, add, remove }: AttributeChanges): LeadItem {
  const after = new Map(Object.entries(item));
  for (const [attribute, value] of set) after.set(attribute, value);
  for (const [attribute, value] of initial) if (!after.has(attribute)) after.set(attribute, value);
  for (const [attribute, value] of add) after.set(attribute, Number(after.get(attribute) ?? 0) + value);
  for (const attribute of remove) after.delete(attribute);
  return Object.fromEntries(after);
}

/** Returns the size of the item as DynamoDB counts it, assuming the maximum size of each number. */
export const itemBytes = (item: LeadItem): number => sumBytes(Object.entries(item));

/** Returns an upper bound of the bytes that the changes add to an item. */
export const addedBytesMax = ({ set, initial, add }: AttributeChanges): number =>
  sumBytes(set) + sumBytes(initial) + sumBytes(add);

function sumBytes(attributes: Iterable<readonly [string, string | number]>): number {
  let bytes = 0;
  for (const [attribute, value] of attributes) {
    bytes += Buffer.byteLength(attribute) + (typeof value === 'number' ? NUMBER_BYTES : Buffer.byteLength(value));
  }
  return bytes;
}

/** The end of the retention period, which an earlier release stored as `expiresAt`. */
type StoredEnd = { retainedUntil?: unknown; expiresAt?: unknown };

/** Returns the end of the funnel's retention period for this lead, in epoch seconds; undefined if there is no end. */
export function retentionEnd({ retainedUntil, expiresAt }: StoredEnd): number | undefined {
  const end = retainedUntil ?? expiresAt;
  return typeof end === 'number' ? end : undefined;
}

/** Whether the lead's retention period has ended. The next daily retention run then erases the lead. */
export const isExpired = (item: StoredEnd, nowMs: number): boolean =>
  (retentionEnd(item) ?? Infinity) <= toSeconds(nowMs);

/**
 * Whether readers treat the lead as absent: its retention period has ended, or its erasure has started. The start of an
 * erasure removes `tokenHash`.
 */
export const isExpiredOrErasing = (item: StoredEnd & { tokenHash?: unknown }, nowMs: number): boolean =>
  item.tokenHash === undefined || isExpired(item, nowMs);
