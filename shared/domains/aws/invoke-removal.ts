import { config } from '../../platform/config.ts';
import { invokeLater } from '../../platform/invoke.ts';
import type { RequestRemovalPorts } from '../request-removal.ts';

/** Has the function that removes domains run. @throws when it was not taken; the sweeper does it then */
export const invokeRemoval: RequestRemovalPorts['start'] = ({ orgId, domainId }, requestId) =>
  invokeLater(config('removeDomainFunction'), { orgId, domainId, requestId });
