import * as z from 'zod/mini';
import { Funnel } from '../../../shared/funnels/funnel.ts';
import { FunnelDefinition } from './definition/funnel-definition.ts';

/** A funnel with the attributes that only operators read. */
export const FunnelRecord = z.extend(Funnel, {
  /** Absent if it was created without a file. */
  name: z.optional(z.string()),
  /** ISO 8601. */
  createdAt: z.optional(z.string()),
  /** ISO 8601: when the published version was published. */
  publishedAt: z.optional(z.string()),
});
export type FunnelRecord = z.infer<typeof FunnelRecord>;

/** The settings for all versions of a funnel, as its last publication left them. */
export const FunnelSettings = z.pick(FunnelRecord, {
  name: true,
  allowedOrigins: true,
  leadRetentionDays: true,
  verification: true,
  limits: true,
});
export type FunnelSettings = z.infer<typeof FunnelSettings>;

/** The source of a version. */
export const VersionSource = z.object({
  file: FunnelDefinition,
  /** The upload blocks that it was published with. */
  blocks: z.array(z.object({ id: z.guid(), name: z.string() })),
});
export type VersionSource = z.infer<typeof VersionSource>;

/** A version in a list. */
export type VersionSummary = {
  id: string;
  /** ISO 8601; undefined if it was created without a file. */
  createdAt: string | undefined;
  /** ISO 8601, of the first publication; undefined without a file, or if the publication did not finish. */
  publishedAt: string | undefined;
  /** The version that was published when this one was created. */
  previousVersionId: string | null;
};

/** The publication state of a funnel at the time of the read that a decision is based on. */
export type PublicationState = Pick<FunnelRecord, 'publishedVersionId' | 'unpublishedAt' | 'archivedAt'>;
