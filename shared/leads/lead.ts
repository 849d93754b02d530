import * as z from 'zod/mini';

export type LeadKey = { funnelId: string; leadId: string };

export type LeadIdentity = LeadKey & { orgId: string };

/** The largest lead in bytes, including its keys and step history. */
export const LEAD_BYTES_MAX = 300 * 1024;
/** Later steps are still accepted, but not added to the history. */
export const LEAD_STEPS_MAX = 200;

/** When a consent was given or withdrawn, for which text version (null: the funnel version's), in which funnel version. */
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
  /** Number of accepted submits. */
  submits: number;
  /** End of the funnel's retention period; undefined: no end. */
  expiresAt: string | undefined;
  /** JSON text of each value, by key in code unit order. */
  data: ReadonlyMap<string, string>;
  /** Ordered by first submit. */
  steps: readonly { id: string; firstAt: string; lastAt: string; count: number }[];
  /** For each consent field, the last time it was given and the last time it was refused or withdrawn. */
  consents: readonly { field: string; given: ConsentProof | null; withdrawn: ConsentProof | null }[];
  /** Contact fields whose current value is verified. */
  verified: readonly { field: string; at: string }[];
  pageUrl: string | undefined;
  deviceClass: string | undefined;
  /** JSON text as sent. */
  webcomponentArgs: string | undefined;
  cookieConsent: string | undefined;
};
