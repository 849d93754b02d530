import { optionalConfig } from '../platform/config.ts';
import { once } from '../platform/once.ts';
import { cloudFrontEdge } from './cloudfront-edge.ts';
import type { Edge } from './edge.ts';

/** The edge of this stage, made on first use; undefined where none is configured. */
export const configuredEdge = once((): Edge | undefined => {
  const distributionId = optionalConfig('edgeDistributionId');
  const connectionGroupId = optionalConfig('edgeConnectionGroupId');
  if (distributionId === undefined) return undefined;
  return cloudFrontEdge({ distributionId, ...(connectionGroupId && { connectionGroupId }) });
});
