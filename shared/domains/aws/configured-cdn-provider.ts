import { once } from '../../platform/once.ts';
import { readSetting } from '../../platform/settings.ts';
import type { CdnProvider } from '../cdn-provider.ts';
import { createCloudFrontCdnProvider } from './cloudfront-cdn-provider.ts';

/** Returns the CDN provider of this stage, or undefined if no CDN is configured. Creates the provider on first use. */
export const getConfiguredCdnProvider = once((): CdnProvider | undefined => {
  const distributionId = readSetting('edgeDistributionId');
  const connectionGroupId = readSetting('edgeConnectionGroupId');
  if (distributionId === undefined) return undefined;
  return createCloudFrontCdnProvider({ distributionId, ...(connectionGroupId && { connectionGroupId }) });
});
