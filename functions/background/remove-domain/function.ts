import { backgroundFunction } from '../../background-function.ts';

export const removeDomainFunction = backgroundFunction('background/remove-domain', {
  summary: 'Takes away what a deleted domain holds: bindings to pages, edge, certificate, and last its hostname',
  trigger: { invoked: 'asynchronously' },
  grants: ['domains:tear-down', 'edge:tear-down'],
  limits: { timeoutSeconds: 120, memoryMb: 512 },
});
