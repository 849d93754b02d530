import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const removeDomainFunction = declareBackgroundFunction('background/remove-domain', {
  summary: 'Removes the page bindings, CDN tenant, certificate and finally the hostname of a deleted domain',
  trigger: { invoked: 'asynchronously' },
  grants: ['domains:tear-down', 'edge:tear-down'],
  limits: { timeoutSeconds: 120, memoryMb: 512 },
});
