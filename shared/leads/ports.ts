import type { DeviceType } from '../platform/device.ts';
import type { FileReference } from '../uploads/upload.ts';
import type { IndexShard } from './index-shards.ts';
import type { Lead, LeadKey } from './lead.ts';
import type { DataChanges } from './validate-data.ts';

/** The consent given or refused in one submit, and the text that the visitor saw. */
export type ConsentChange = {
  field: string;
  /** Whether the consent was given. False: it was refused, withdrawn or cleared. */
  given: boolean;
  /** The version of the field's text; undefined: the funnel version identifies the text. */
  textVersion: string | undefined;
  versionId: string;
};

/**
 * What one saved submit changes in a lead. If `retainedUntilMs` is undefined, the stored end of the retention period is
 * removed. If another property is undefined, the stored value stays.
 */
export type LeadChange = {
  /** SHA-256 of the update token. `create` stores the hash. `merge` requires that the lead has the same hash. */
  tokenHash: string;
  /** Time of the submit in epoch milliseconds. */
  atMs: number;
  /** See `tokenExpiryMs`. */
  tokenExpiresAtMs: number;
  /** End of the funnel's retention period for this lead, in epoch milliseconds; undefined if the funnel has none. */
  retainedUntilMs: number | undefined;
  dataChanges: DataChanges;
  consents: readonly ConsentChange[];
  stepId: string | undefined;
  /** Whether this is a valid submit of the last step. */
  isValidLastStep: boolean;
  pageUrl: string | undefined;
  /** JSON text as sent. */
  webcomponentArgs: string | undefined;
  /** JSON text as sent. */
  cookieConsent: string | undefined;
  /** The only stored information about the device. */
  deviceClass: DeviceType;
};

/** `erased`: the lead with this id has expired or is being erased, or its tombstone still exists. */
export type CreateOutcome = { outcome: 'created' } | { outcome: 'exists'; tokenHash: string } | { outcome: 'erased' };
export type MergeOutcome = 'merged' | 'unknown_lead' | 'invalid_token' | 'too_large';

/**
 * Stores leads. `data` is merged by top-level key: the last write of a key wins, and concurrent writes of different
 * keys all survive. A created or merged lead enters the outbox in the same write (ADR 0028). The methods throw
 * UnavailableError while the table is unavailable or too many requests are changing the same lead.
 */
export type LeadRepository = {
  /**
   * Adds a lead if no lead has this id. An existing lead stays unchanged, with one exception: if its token has expired
   * and the request has the same token, the token becomes valid again. A repeated create therefore returns a usable
   * handle.
   */
  create(key: LeadKey, change: LeadChange): Promise<CreateOutcome>;
  /** Merges a submit into an existing lead. If the outcome is not `merged`, nothing was written. */
  merge(key: LeadKey, change: LeadChange): Promise<MergeOutcome>;
};

/**
 * Position of a lead in its funnel's index, which is ordered by the time of the last submit (ISO 8601 UTC with
 * milliseconds).
 */
export type LeadIndexEntry = { submittedAt: string; leadId: string };

/** Bounds of the time of the last submit, both inclusive; undefined: unbounded. */
export type LeadRange = { from?: string | undefined; to?: string | undefined };

export type LeadOrder = 'oldest first' | 'newest first';

export type LeadIndexQuery = LeadRange & {
  funnelId: string;
  shard: IndexShard;
  order: LeadOrder;
  /** The last entry of the previous page. */
  after?: LeadIndexEntry | undefined;
  /** Page size; undefined: as many entries as fit into one response. */
  limit?: number | undefined;
};

/**
 * Lists a funnel's leads. The index is eventually consistent. For a moment after a repeated submit, a lead may appear
 * at its old and its new position, or not at all. `getLeads` is strongly consistent.
 */
export type LeadIndexReader = {
  /** Returns one page of a shard's entries, in order. */
  listEntries(query: LeadIndexQuery): Promise<{ entries: LeadIndexEntry[]; isLast: boolean }>;
  /** Returns the stored leads in the order of the keys. An adapter may omit leads that are expired or being erased. */
  getLeads(keys: readonly LeadKey[]): Promise<Lead[]>;
};

export type ErasableLead = {
  firstSubmittedAt: string;
  /** Last submit, ISO 8601 UTC. */
  submittedAt: string;
  /** Number of saved submits. A different number means that the lead changed. */
  submits: number;
  /** See `ChangedLead`. 0: an earlier release stored the lead, and it has not changed since then. */
  seq: number;
  /** Whether the retention period that is stored with the lead has ended. */
  isExpired: boolean;
  /** Whether the erasure of the lead has started. From this time on, no submit is accepted. */
  isErasing: boolean;
  /** All UUIDs in the lead's data, including those of files. */
  uuids: readonly string[];
};

/**
 * Erases a lead in two writes. The files of the lead are erased between the two writes, see `privacy/erase-lead.ts`.
 */
export type LeadErasureRepository = {
  /**
   * Reads strongly consistently, including expired leads. Returns undefined if no lead is stored. A tombstone is not a
   * lead.
   */
  read(key: LeadKey): Promise<ErasableLead | undefined>;
  /**
   * Marks the lead as being erased. From this time on, submits do not find the lead, and `paginateErasingLeads` lists
   * it. Returns false and writes nothing if the lead changed since it was read.
   */
  markErasing(key: LeadKey, read: ErasableLead): Promise<boolean>;
  /**
   * Replaces the lead with a tombstone, which has only the key, the time of the erasure and the incremented `seq`. Puts
   * the tombstone into the outbox. While the tombstone exists, a repeated create does not create the lead again. The
   * tombstone expires a day after its dispatch. Returns false and writes nothing if the lead is not marked as being
   * erased.
   *
   * @param read the lead as it was when it was marked
   */
  replaceWithTombstone(key: LeadKey, read: ErasableLead): Promise<boolean>;
};

/** A lead with the number of its last change, `seq`. A change increments `seq` in the same write (ADR 0028). */
export type ChangedLead = { isInOutbox: boolean } & (
  | {
      state: 'stored';
      seq: number;
      /** `seq` of the last change that verified a contact field; 0 if there is none. */
      verifiedSeq: number;
      /** Whether no change of the lead was ever dispatched, so that the lead is new to the dispatcher. */
      wasNeverDispatched: boolean;
      /** Time of the last change, ISO 8601 UTC. */
      changedAt: string;
      /**
       * When to dispatch the pending changes: 60 s after the last change, but at most 10 minutes after the first
       * pending change. If the creation, the completion or a verification is pending, this time has already come.
       */
      dispatchAtMs: number;
      /** True only if no creation, completion or verification can be pending. Always false for a completed lead. */
      hasOnlyUpdatesPending: boolean;
      lead: Lead;
    }
  /** The erasure has started, or the retention period has ended. The tombstone is stored later, as another change. */
  | { state: 'expired_or_erasing'; seq: number }
  | { state: 'erased'; seq: number; erasedAt: string }
);

/** The leads with changes that were not dispatched yet. */
export type LeadOutbox = {
  /** Returns the due leads of a shard (0 to `INDEX_SHARD_COUNT` - 1), oldest first. Eventually consistent. */
  listDue(shard: number, nowMs: number, limit: number): Promise<{ leads: DueLead[]; isLast: boolean }>;
  /**
   * Strongly consistent. Also reads leads that are not in the outbox (`isInOutbox`). Returns undefined if neither a
   * lead nor a tombstone with `erasedAt` is stored.
   */
  read(key: LeadKey): Promise<ChangedLead | undefined>;
  /**
   * Removes a lead from the outbox. A tombstone expires a day after this removal. Returns false and writes
   * nothing if the lead changed after it was read, has left the outbox or no longer exists.
   */
  clear(key: LeadKey, read: Pick<ChangedLead, 'state' | 'seq'>): Promise<boolean>;
  /**
   * Moves the dispatch to another time. Returns false and writes nothing if the lead changed after `seq`, is not in the
   * outbox, or no longer exists.
   */
  postpone(key: LeadKey, seq: number, untilMs: number): Promise<boolean>;
};

/** `dueAt`: ISO 8601 UTC. */
type DueLead = LeadKey & { dueAt: string };

/** Proves that a caller may continue with a lead. */
export type LeadCredentials = LeadKey & {
  /** SHA-256 of the update token. */
  tokenHash: string;
  /** Current time in epoch milliseconds, compared with the expiry of token and lead. */
  atMs: number;
};

/** What the verification of contact fields must know of a lead. */
type VerifiableLead = {
  /** The values of the requested fields as JSON text, by field id. Fields without a value are omitted. */
  values: ReadonlyMap<string, string>;
  /** The stored verification state as JSON text; undefined before the first code. */
  verification: string | undefined;
};

export type FindLeadOutcome =
  | { outcome: 'found'; lead: VerifiableLead }
  | { outcome: 'unknown_lead' }
  | { outcome: 'invalid_token' };

/** The stored and the new verification state as JSON text. */
export type VerificationReplacement = {
  before: string | undefined;
  after: string;
  /** Whether `after` verifies a contact field. If so, the write is a change of the lead. */
  isVerification: boolean;
};

/** Stores the verification state on the lead, so that the state expires, is exported and is erased with the lead. */
export type LeadVerificationRepository = {
  /** Reads strongly consistently. */
  find(credentials: LeadCredentials, fieldIds: readonly string[]): Promise<FindLeadOutcome>;
  /**
   * Replaces the verification state. Returns false and writes nothing if the stored state is not `before` or the
   * credentials are no longer valid.
   */
  replace(credentials: LeadCredentials, replacement: VerificationReplacement): Promise<boolean>;
};

export type FileAttacher = {
  /**
   * Inspects a pending file, and prevents the file from expiring while the lead refers to it. Idempotent.
   *
   * @returns a sentence about why the file cannot be attached; undefined: the file is attached
   * @throws UnavailableError or HttpError 503 if the file cannot be attached now but a retry may succeed
   */
  attach(file: FileReference): Promise<string | undefined>;
};
