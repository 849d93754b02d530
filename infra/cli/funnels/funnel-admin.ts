import * as z from 'zod/mini';
import { Funnel, type FunnelVersion } from '../../../shared/funnels/funnel.ts';
import type { UploadBlock } from '../../../shared/funnels/upload-block.ts';
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
  /**
   * ISO 8601, of the first publication; undefined if it was created without a file, or if the publication did not
   * finish.
   */
  publishedAt: string | undefined;
  /** The version that was published when this one was created. */
  previousVersionId: string | null;
};

/** The publication state of a funnel at the time of the read that a decision is based on. */
export type PublicationState = Pick<FunnelRecord, 'publishedVersionId' | 'unpublishedAt' | 'archivedAt'>;

/** What a publication points a funnel to. */
type Publication = { versionId: string; settings: FunnelSettings; at: string };

/** Access to funnels for operators. All reads are strongly consistent. */
export type FunnelAdminRepository = {
  find(funnelId: string): Promise<FunnelRecord | undefined>;
  /** Adds a funnel without a version, and the file of its first publication. */
  add(funnel: FunnelRecord, draft: FunnelDefinition): Promise<void>;
  draft(funnelId: string): Promise<FunnelDefinition | undefined>;
  version(funnelId: string, versionId: string): Promise<FunnelVersion | undefined>;
  /** Undefined for a version that was created without a file. */
  source(funnelId: string, versionId: string): Promise<VersionSource | undefined>;
  /** Unordered. */
  versions(funnelId: string): Promise<VersionSummary[]>;
  /** `other` for an id of another kind of record. */
  block(orgId: string, blockId: string): Promise<UploadBlock | 'other' | undefined>;
  /** Writes a block that is new or belongs to this funnel. @throws Error for an id of another kind of record */
  putBlock(orgId: string, block: UploadBlock): Promise<void>;
  /**
   * Stores a version permanently. Visitors can not use it until the funnel names it. An existing version stays
   * unchanged. `made.previous` is the version that was published at that time.
   */
  addVersion(
    version: FunnelVersion,
    source: VersionSource,
    made: { at: string; previous: string | null },
  ): Promise<void>;
  /** Publishes a stored version if the funnel is unchanged since it was read. @returns whether it was */
  publish(funnelId: string, from: PublicationState, to: Publication): Promise<boolean>;
  /**
   * Marks a version as valid for visitors regardless of which version the funnel names, with its first publication
   * time.
   */
  markPublished(funnelId: string, versionId: string, at: string): Promise<void>;
  /**
   * Unpublishes or archives a funnel, or reverts that (null), if it is unchanged since it was read.
   *
   * @returns whether it was
   */
  updateStatus(
    funnelId: string,
    from: PublicationState,
    to: Partial<Pick<PublicationState, 'unpublishedAt' | 'archivedAt'>>,
  ): Promise<boolean>;
};
