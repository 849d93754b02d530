/**
 * What a function may do, in the product's words. `infra/grants.ts` maps each word to exact actions on exact resources.
 */
export type Grant =
  | 'members:read'
  | 'limits:count'
  | 'limits:pause'
  | 'organizations:read'
  | 'funnels:read'
  | 'cases:write'
  | 'leads:write'
  | 'lead-secret:read'
  | 'hash-secret:read'
  | 'cdn-secret:read'
  | 'events:put'
  | 'events:consume'
  | 'fresh-facts:write'
  | 'fresh-facts:list'
  | 'facts:read'
  | 'facts:compact'
  | 'set-aside:write';
