import { invokeAsync } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { RequestRemovalPorts } from '../request-removal.ts';

/** Invokes the function that removes domains. @throws Error if Lambda did not confirm the invocation */
export const invokeRemoval: RequestRemovalPorts['start'] = ({ orgId, domainId }, requestId) =>
  invokeAsync(requireSetting('removeDomainFunction'), { orgId, domainId, requestId });
