import type { LeadKey, LeadWrite } from '../lead.ts';

/** Flat attributes only, so that one update expression can touch each of them by itself. */
export type LeadItem = Record<string, string | number>;

/** What a submit does to an item's attributes. */
export type ItemChange = {
  set: Map<string, string | number>;
  /** Set where absent. */
  initial: Map<string, string | number>;
  add: Map<string, number>;
  remove: string[];
};

/** Enough for a funnel's exports to read in parallel and for its writes to have no hot index key. */
export const INDEX_SHARD_COUNT = 8;

/** How many bytes DynamoDB counts for a number, at most. */
const NUMBER_BYTES = 21;

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

/** Where leads stand whose erasure has begun, apart from the others: whoever goes on with it finds them there. */
export const ERASING_SHARD = 'sealed';
export type Shard = number | typeof ERASING_SHARD;

/** The index key of a funnel's shard. */
export const funnelShardKey = (funnelId: string, shard: Shard): string => `${funnelId}#${shard}`;

export const leadItemKey = ({ funnelId, leadId }: LeadKey) => ({ pk: `lead#${funnelId}#${leadId}`, sk: 'lead' });

/** The attribute of a key of `data`. Keys are escaped as in JSON, because attribute names hold no lone surrogates. */
export const dataAttribute = (key: string): string => `${DATA_PREFIX}${escapeKey(key)}`;
export const DATA_PREFIX = 'd.';

/** When a consent field was last given, and when last taken back, refused or cleared; each with its text. */
const consentAttribute = (field: string, given: boolean): string =>
  `${given ? CONSENT_GIVEN_PREFIX : CONSENT_WITHDRAWN_PREFIX}${escapeKey(field)}`;
export const CONSENT_GIVEN_PREFIX = 'consent.given.';
export const CONSENT_WITHDRAWN_PREFIX = 'consent.withdrawn.';

const escapeKey = (key: string): string => JSON.stringify(key).slice(1, -1);
export const unescapeKey = (name: string): string => String(JSON.parse(`"${name}"`));

/** Counts the submits of a step; there is one for each step of the history. */
export const stepCountAttribute = (stepId: string): string => `${STEP_COUNT_PREFIX}${stepId}`;
export const STEP_COUNT_PREFIX = 'step.count.';
export const STEP_FIRST_PREFIX = 'step.first.';
export const STEP_LAST_PREFIX = 'step.last.';

export const countSteps = (item: LeadItem): number =>
  Object.keys(item).filter((attribute) => attribute.startsWith(STEP_COUNT_PREFIX)).length;

/** A new lead's item. `submits` counts accepted submits; the bounds are explained in `dynamo-leads.ts`. */
export function toNewItem(key: LeadKey, submit: LeadWrite): LeadItem {
  const item = applyItemChange(
    {
      ...leadItemKey(key),
      tokenHash: submit.tokenHash,
      firstSubmittedAt: new Date(submit.atMs).toISOString(),
      funnelShard: funnelShardKey(key.funnelId, shardOfLead(key.leadId)),
      submits: 1,
      stepsBound: submit.stepId === undefined ? 0 : 1,
      bytesBound: 0,
    },
    toItemChange(submit),
  );
  return { ...item, bytesBound: itemBytes(item) };
}

export function toItemChange(submit: LeadWrite): ItemChange {
  const at = new Date(submit.atMs).toISOString();
  const change: ItemChange = {
    set: new Map<string, string | number>([
      ['submittedAt', at],
      // Not after the lead itself, so that a write's condition has one time to check.
      ['tokenExpiresAt', Math.min(submit.tokenExpiresAtMs, submit.expiresAtMs ?? Infinity)],
      ['deviceClass', submit.deviceClass],
    ]),
    initial: new Map(),
    add: new Map(),
    remove: [],
  };
  setIfDefined(change, 'pageUrl', submit.pageUrl);
  setIfDefined(change, 'webcomponentArgs', submit.webcomponentArgs);
  setIfDefined(change, 'cookieConsent', submit.cookieConsent);
  if (submit.expiresAtMs === undefined) change.remove.push('expiresAt');
  else change.set.set('expiresAt', seconds(submit.expiresAtMs));
  for (const [key, json] of submit.changes) {
    if (json === null) change.remove.push(dataAttribute(key));
    else change.set.set(dataAttribute(key), json);
  }
  for (const { field, given, text, versionId } of submit.consents) {
    change.set.set(consentAttribute(field, given), JSON.stringify({ at, text, versionId }));
  }
  if (submit.stepId !== undefined) addStep(change, submit.stepId, at);
  return change;
}

function setIfDefined(change: ItemChange, attribute: string, value: string | undefined): void {
  if (value !== undefined) change.set.set(attribute, value);
}

function addStep(change: ItemChange, stepId: string, at: string): void {
  change.initial.set(`${STEP_FIRST_PREFIX}${stepId}`, at);
  change.set.set(`${STEP_LAST_PREFIX}${stepId}`, at);
  change.add.set(stepCountAttribute(stepId), 1);
}

/** The item as the change leaves it. */
export function applyItemChange(item: LeadItem, change: ItemChange): LeadItem {
  const after = new Map(Object.entries(item));
  for (const [attribute, value] of change.set) after.set(attribute, value);
  for (const [attribute, value] of change.initial) if (!after.has(attribute)) after.set(attribute, value);
  for (const [attribute, value] of change.add) after.set(attribute, Number(after.get(attribute) ?? 0) + value);
  for (const attribute of change.remove) after.delete(attribute);
  return Object.fromEntries(after);
}

/** The item's size as DynamoDB counts it, numbers at their longest. */
export const itemBytes = (item: LeadItem): number => sumBytes(Object.entries(item));

/** The most bytes that a change can add to an item. */
export const addedBytesMax = ({ set, initial, add }: ItemChange): number =>
  sumBytes(set) + sumBytes(initial) + sumBytes(add);

function sumBytes(attributes: Iterable<readonly [string, string | number]>): number {
  let bytes = 0;
  for (const [attribute, value] of attributes) {
    bytes += Buffer.byteLength(attribute) + (typeof value === 'number' ? NUMBER_BYTES : Buffer.byteLength(value));
  }
  return bytes;
}

/** The lead that an item is of, or a key. */
export function parseLeadKey({ pk }: LeadItem): LeadKey {
  const [, funnelId = '', leadId = ''] = String(pk).split('#');
  return { funnelId, leadId };
}

/** Lead ids are evenly spread: chance, or a hash. */
export const shardOfLead = (leadId: string): number => Number.parseInt(leadId.slice(0, 8), 16) % INDEX_SHARD_COUNT;

/** Without it nobody has a handle of the lead: it is being erased, or was. */
type Perishable = { tokenHash?: unknown; expiresAt?: unknown };

/** A lead is gone when its retention has ended, whether DynamoDB has removed the item already or not, or it is erased. */
export const isExpiredOrErasing = ({ tokenHash, expiresAt }: Perishable, nowMs: number): boolean =>
  tokenHash === undefined || (typeof expiresAt === 'number' && expiresAt <= seconds(nowMs));
