import type { FunnelVersion } from './funnel.ts';

/** All that an organization ever had, for its operators. */
export type OrganizationFunnels = {
  /** The ids of its funnels, archived ones too. */
  funnelsOf(orgId: string): Promise<string[]>;
  /** Every version of a funnel that was ever published. */
  versionsOf(funnelId: string): Promise<FunnelVersion[]>;
};
