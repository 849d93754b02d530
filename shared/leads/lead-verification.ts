import type { LeadKey } from './lead.ts';

/** What proves that a caller may come back to a lead. */
export type LeadCredentials = LeadKey & {
  /** SHA-256 of the update token. */
  tokenHash: string;
  /** Milliseconds since the epoch: tokens and leads end. */
  atMs: number;
};

/** A lead as far as the verification of its contact fields needs it. */
export type VerifiableLead = {
  /** Of the fields that were asked for those that hold something, as JSON text. */
  values: ReadonlyMap<string, string>;
  /** What verification keeps on the lead; undefined before the first code. */
  verification: string | undefined;
};

export type FindLeadOutcome =
  | { outcome: 'found'; lead: VerifiableLead }
  | { outcome: 'unknown_lead' }
  | { outcome: 'invalid_token' };

/** What verification keeps on leads, so that it expires, is exported and is erased with them. */
export type LeadVerificationRepository = {
  /** The lead as it is now, never an older state. */
  find(proof: LeadCredentials, fieldIds: readonly string[]): Promise<FindLeadOutcome>;
  /**
   * Replaces what verification keeps.
   *
   * @param before what was read
   * @returns false, and nothing is written, when something else stands there by now or the proof no longer holds
   */
  replace(proof: LeadCredentials, before: string | undefined, after: string): Promise<boolean>;
};
