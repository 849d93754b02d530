import * as z from 'zod/mini';
import { Funnel } from '../../../shared/funnels/funnel.ts';
import { FunnelDefinition } from './definition/funnel-definition.ts';

/** A funnel with the attributes that only operators read. */
export const FunnelRecord = z.extend(Funnel, {
  /** Absent if the funnel was created without a file. */
  name: z.optional(z.string()),
  /** Time of creation, ISO 8601. */
  createdAt: z.optional(z.string()),
  /** Time of the last publication, ISO 8601. */
  publishedAt: z.optional(z.string()),
});
export type FunnelRecord = z.infer<typeof FunnelRecord>;

/** The settings that apply to all versions of a funnel. A publication replaces them. */
export const FunnelSettings = z.pick(FunnelRecord, {
  name: true,
  allowedOrigins: true,
  leadRetentionDays: true,
  verification: true,
  limits: true,
});
export type FunnelSettings = z.infer<typeof FunnelSettings>;

/** The file that a version was created from, with its upload blocks. */
export const VersionSource = z.object({
  file: FunnelDefinition,
  /** The upload blocks that the file describes, with their ids. */
  blocks: z.array(z.object({ id: z.guid(), name: z.string() })),
});
export type VersionSource = z.infer<typeof VersionSource>;

export type VersionSummary = {
  id: string;
  /** Time of creation, ISO 8601; undefined if the version was created without a file. */
  createdAt: string | undefined;
  /**
   * Time of the first completed publication, ISO 8601; undefined if no publication was completed, or if `createdAt` is
   * undefined.
   */
  publishedAt: string | undefined;
  /**
   * Id of the version that was published when this version was created; null if no version was published then, or if
   * the id is unknown.
   */
  previousVersionId: string | null;
};

/** The publication state of a funnel as it was read. A write fails if the state has changed since then. */
export type PublicationState = Pick<FunnelRecord, 'publishedVersionId' | 'unpublishedAt' | 'archivedAt'>;
