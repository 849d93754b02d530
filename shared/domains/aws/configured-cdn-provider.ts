import { optionalConfig } from '../../platform/config.ts';
import { once } from '../../platform/once.ts';
import type { CdnProvider } from '../cdn-provider.ts';
import { createCloudFrontCdnProvider } from './cloudfront-cdn-provider.ts';

/** The edge of this stage, made on first use; undefined where none is configured. */
export const getConfiguredCdnProvider = once((): CdnProvider | undefined => {
  const distributionId = optionalConfig('edgeDistributionId');
  const connectionGroupId = optionalConfig('edgeConnectionGroupId');
  if (distributionId === undefined) return undefined;
  return createCloudFrontCdnProvider({ distributionId, ...(connectionGroupId && { connectionGroupId }) });
});
