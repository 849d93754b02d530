import type { ServiceOperationDeclaration } from '../../functions/declare-operation.ts';
import type { Grant } from '../../functions/grants.ts';

/** Returns the grants that an operation declares, and the grants that its authorization and rate limits need. */
export function requiredGrants(declared: ServiceOperationDeclaration): Grant[] {
  const implied: Grant[] = declared.auth === 'public' ? [] : ['members:read'];
  if (declared.limits.perMinutePerUser !== undefined) implied.push('limits:consume');
  if (declared.limits.perClient !== undefined) implied.push('limits:consume', 'hash-secret:read', 'cdn-secret:read');
  return [...new Set([...implied, ...declared.grants])].sort();
}
