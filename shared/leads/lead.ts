import * as z from 'zod/mini';

export type LeadKey = { funnelId: string; leadId: string };

export type LeadIdentity = LeadKey & { orgId: string };

/** Maximum size of a lead in bytes, including its keys and step history. */
export const LEAD_BYTES_MAX = 300 * 1024;
/** Maximum number of steps in the history of a lead. Further steps are accepted, but not added to the history. */
export const LEAD_STEPS_MAX = 200;

/**
 * The time at which a consent was given or withdrawn, the version of its text (null: the text of the funnel version),
 * and the id of the funnel version.
 */
export const ConsentProof = z.object({
  at: z.string(),
  text: z._default(z.nullable(z.string()), null),
  versionId: z.string(),
});
export type ConsentProof = z.infer<typeof ConsentProof>;

/** A stored lead without secrets: no token, hash or code. Times are ISO 8601 UTC. */
export type Lead = LeadKey & {
  firstSubmittedAt: string;
  submittedAt: string;
  /** Time of the first valid submit of the funnel's last step; undefined if there is none. */
  completedAt: string | undefined;
  /** Number of saved submits, including those with invalid fields (422). */
  submits: number;
  /** End of the funnel's retention period for this lead; undefined if the funnel has none. */
  retainedUntil: string | undefined;
  /** JSON text of each value, by key. Sorted by the keys as JSON escapes them, by UTF-16 code units. */
  data: ReadonlyMap<string, string>;
  /** The steps in the order of their first submits. */
  steps: readonly { id: string; firstAt: string; lastAt: string; count: number }[];
  /** For each consent field: when the consent was last given, and when it was last refused, withdrawn or cleared. */
  consents: readonly { field: string; given: ConsentProof | null; withdrawn: ConsentProof | null }[];
  /** Contact fields whose current value is verified. */
  verified: readonly { field: string; at: string }[];
  pageUrl: string | undefined;
  deviceClass: string | undefined;
  /** JSON text as sent. */
  webcomponentArgs: string | undefined;
  /** JSON text as sent. */
  cookieConsent: string | undefined;
};
