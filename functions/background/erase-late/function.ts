import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const eraseLateFunction = declareBackgroundFunction('background/erase-late', {
  summary: 'Removes late events of erased sessions from the raw events',
  trigger: { everyMinutes: 1_440 },
  grants: ['raw-events:erase', 'pending-items:list', 'erasures:write', 'leases:acquire'],
  limits: { timeoutSeconds: 900, memoryMb: 1_769 },
  duckdb: true,
});
