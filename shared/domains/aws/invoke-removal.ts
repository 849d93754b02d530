import { invokeAsync } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { RequestRemovalPorts } from '../request-removal.ts';

/** Has the function that removes domains run. @throws when it was not taken; the sweeper does it then */
export const invokeRemoval: RequestRemovalPorts['start'] = ({ orgId, domainId }, requestId) =>
  invokeAsync(requireSetting('removeDomainFunction'), { orgId, domainId, requestId });
