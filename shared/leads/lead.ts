import type { DeviceType } from '../analytics/ingest/dimensions.ts';
import type { ConsentChange } from './consent-changes.ts';
import type { DataChanges } from './validate-data.ts';

export type LeadKey = { funnelId: string; leadId: string };

/** What one accepted submit leaves on a lead. What is undefined leaves the lead's earlier value. */
export type LeadWrite = {
  /** SHA-256 of the update token; on a create it becomes the lead's, on a save it must be the lead's. */
  tokenHash: string;
  /** Milliseconds since the epoch. */
  atMs: number;
  tokenExpiresAtMs: number;
  /** Epoch milliseconds when the funnel's retention ends; undefined: the lead is kept. */
  expiresAtMs: number | undefined;
  changes: DataChanges;
  /** What the changes say about consents. */
  consents: readonly ConsentChange[];
  stepId: string | undefined;
  pageUrl: string | undefined;
  /** JSON text as it was sent. */
  webcomponentArgs: string | undefined;
  cookieConsent: string | undefined;
  /** All that is kept of the User-Agent. */
  deviceClass: DeviceType;
};

/** `erased`: a lead of that id was erased within the last day, or is just now. */
export type CreateOutcome = { outcome: 'created' } | { outcome: 'taken'; tokenHash: string } | { outcome: 'erased' };
export type MergeOutcome = 'saved' | 'unknown_lead' | 'invalid_token' | 'too_large';

/** Leads of all funnels. Merge is shallow by key of `data`, the last write wins; different keys never get lost. */
export type LeadRepository = {
  /**
   * Adds a lead unless the id is taken; then nothing is written, except that the lead's own token is valid again if it
   * had expired: whoever repeats a create shall get a handle that works.
   */
  create(key: LeadKey, submit: LeadWrite): Promise<CreateOutcome>;
  /** Merges a submit into a lead; nothing is written unless the outcome is `saved`. */
  merge(key: LeadKey, submit: LeadWrite): Promise<MergeOutcome>;
};

/** The most a lead may take, its keys and history included. */
export const LEAD_BYTES_MAX = 300 * 1024;
/** Further steps are saved without being added to the history. */
export const LEAD_STEPS_MAX = 200;
