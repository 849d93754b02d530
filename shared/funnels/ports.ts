import type { Funnel, FunnelVersion } from './funnel.ts';
import type { UploadBlock } from './upload-block.ts';

/** Reads funnels by their id alone, because public routes do not know the organization. */
export type FunnelRepository = {
  /** Finds a funnel. Funnels are cached for at most 30 s. */
  find(funnelId: string): Promise<Funnel | undefined>;
  /**
   * Returns the version with this id, by default the published version. Returns undefined if the version does not exist
   * or was never published. Versions are cached without expiry.
   */
  findVersion(
    funnel: Pick<Funnel, 'id' | 'publishedVersionId'>,
    versionId?: string,
  ): Promise<FunnelVersion | undefined>;
};

export type FunnelOwnershipRepository = {
  /** Whether the funnel belongs to the organization, even if it is archived. */
  ownsFunnel(orgId: string, funnelId: string): Promise<boolean>;
};

/** Reads all funnels and versions of an organization, strongly consistently. */
export type FunnelHistoryRepository = {
  /** Lists the ids of all funnels, including archived ones. */
  listFunnelIds(orgId: string): Promise<string[]>;
  /** Lists all stored versions of a funnel, even those that were never published. */
  listVersions(funnelId: string): Promise<FunnelVersion[]>;
};

export type UploadBlockRepository = {
  /** Finds an upload block of the organization. Blocks are cached for at most 30 s. */
  find(orgId: string, blockId: string): Promise<UploadBlock | undefined>;
};
