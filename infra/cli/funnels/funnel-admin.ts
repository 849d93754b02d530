import * as z from 'zod/mini';
import { Funnel, type FunnelVersion } from '../../../shared/funnels/funnel.ts';
import type { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { FunnelDefinition } from './definition/funnel-definition.ts';

/** A funnel with what only operators read of it. */
export const FunnelRecord = z.extend(Funnel, {
  /** Absent: it was made without a file. */
  name: z.optional(z.string()),
  /** ISO 8601. */
  createdAt: z.optional(z.string()),
  /** ISO 8601: since when the published version is so. */
  publishedAt: z.optional(z.string()),
});
export type FunnelRecord = z.infer<typeof FunnelRecord>;

/** What holds for all versions of a funnel, as its last publication left it. */
export const FunnelSettings = z.pick(FunnelRecord, {
  name: true,
  allowedOrigins: true,
  leadRetentionDays: true,
  verification: true,
  limits: true,
});
export type FunnelSettings = z.infer<typeof FunnelSettings>;

/** What a version was made of. */
export const VersionSource = z.object({
  file: FunnelDefinition,
  /** The upload blocks that it was published with. */
  blocks: z.array(z.object({ id: z.guid(), name: z.string() })),
});
export type VersionSource = z.infer<typeof VersionSource>;

/** A version as lists show it. */
export type VersionSummary = {
  id: string;
  /** ISO 8601; undefined: it was made without a file. */
  createdAt: string | undefined;
  /** ISO 8601, the first time; undefined: made without a file, or by a publication that did not end. */
  publishedAt: string | undefined;
  /** The version that was published when this one was made. */
  previousVersionId: string | null;
};

/** Whether a funnel is published, and which version, as it was read before something was decided by it. */
export type PublicationState = Pick<FunnelRecord, 'publishedVersionId' | 'unpublishedAt' | 'archivedAt'>;

/** What a publication points a funnel to. */
type Publication = { versionId: string; settings: FunnelSettings; at: string };

/** The operator's side of funnels. All reads are strongly consistent. */
export type FunnelAdminRepository = {
  find(funnelId: string): Promise<FunnelRecord | undefined>;
  /** Adds a funnel that has no version yet, and the file that it will be published with. */
  add(funnel: FunnelRecord, draft: FunnelDefinition): Promise<void>;
  draft(funnelId: string): Promise<FunnelDefinition | undefined>;
  version(funnelId: string, versionId: string): Promise<FunnelVersion | undefined>;
  /** Undefined for a version that was made without a file. */
  source(funnelId: string, versionId: string): Promise<VersionSource | undefined>;
  /** In no order. */
  versions(funnelId: string): Promise<VersionSummary[]>;
  /** `other` for an id that stands for something else. */
  block(orgId: string, blockId: string): Promise<UploadBlock | 'other' | undefined>;
  /** Writes a block that is not there, or is this funnel's. @throws Error for an id that stands for something else */
  putBlock(orgId: string, block: UploadBlock): Promise<void>;
  /**
   * Stores a version for ever, as one that does not count for visitors unless the funnel names it; one that is there
   * stays as it is. `made.previous`: which one was published then.
   */
  addVersion(
    version: FunnelVersion,
    source: VersionSource,
    made: { at: string; previous: string | null },
  ): Promise<void>;
  /** Publishes a stored version if the funnel is still as it was read. @returns whether it was */
  publish(funnelId: string, from: PublicationState, to: Publication): Promise<boolean>;
  /** Notes that a version counts from now on whatever the funnel names, and when it was first published. */
  markPublished(funnelId: string, versionId: string, at: string): Promise<void>;
  /** Takes a funnel off the net or to the archive, or back (null), if it is still as it was read. @returns whether it was */
  updateStatus(
    funnelId: string,
    from: PublicationState,
    to: Partial<Pick<PublicationState, 'unpublishedAt' | 'archivedAt'>>,
  ): Promise<boolean>;
};
