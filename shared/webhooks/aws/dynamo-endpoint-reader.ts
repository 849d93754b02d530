import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { EndpointReader } from '../ports.ts';
import { readEndpoints, sortedEndpoints } from './endpoint-item.ts';

export function createDynamoEndpointReader(): EndpointReader {
  const read = (orgId: string) =>
    rethrowAsUnavailable('The webhook endpoints cannot be read. Try again shortly.', () => readEndpoints(orgId));
  return {
    list: async (orgId) => {
      const item = await read(orgId);
      return item === undefined ? [] : sortedEndpoints(item);
    },
    find: async ({ orgId, endpointId }) => (await read(orgId))?.endpoints[endpointId],
  };
}
