import type { Funnel, FunnelVersion } from './funnel.ts';
import type { UploadBlock } from './upload-block.ts';

/** Reads funnels by id alone, as public routes do. */
export type FunnelRepository = {
  /** Cached for at most 30 s. */
  find(funnelId: string): Promise<Funnel | undefined>;
  /** The published version, or any version that was ever published. Cached for the life of the function. */
  findVersion(
    funnel: Pick<Funnel, 'id' | 'publishedVersionId'>,
    versionId?: string,
  ): Promise<FunnelVersion | undefined>;
};

export type FunnelOwnershipRepository = {
  /** Whether the funnel belongs to the organization, archived or not. */
  ownsFunnel(orgId: string, funnelId: string): Promise<boolean>;
};

/** Reads all funnels and versions of an organization, strongly consistently. */
export type FunnelHistoryRepository = {
  /** Ids of all funnels, including archived ones. */
  listFunnelIds(orgId: string): Promise<string[]>;
  /** All versions of a funnel that were ever stored. */
  listVersions(funnelId: string): Promise<FunnelVersion[]>;
};

export type UploadBlockRepository = {
  /** The organization's upload block. Cached for at most 30 s. */
  find(orgId: string, blockId: string): Promise<UploadBlock | undefined>;
};
