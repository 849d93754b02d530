import type { FunnelVersion } from './funnel.ts';

/** All that an organization ever had, for its operators. */
export type FunnelHistoryRepository = {
  /** The ids of its funnels, archived ones too. */
  listFunnelIds(orgId: string): Promise<string[]>;
  /** Every version of a funnel that was ever published. */
  listVersions(funnelId: string): Promise<FunnelVersion[]>;
};
