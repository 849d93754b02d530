import { invokeAsync } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { RequestRemovalPorts } from '../request-removal.ts';

/** Invokes the function that removes domains. @throws Error when Lambda did not accept it; the sweeper starts it then */
export const invokeRemoval: RequestRemovalPorts['start'] = ({ orgId, domainId }, requestId) =>
  invokeAsync(requireSetting('removeDomainFunction'), { orgId, domainId, requestId });
