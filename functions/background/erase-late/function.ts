import { backgroundFunction } from '../../../shared/platform/background.ts';

export const eraseLateEvents = backgroundFunction('background/erase-late', {
  summary: 'Removes what came late of erased sessions from raw events',
  trigger: { everyMinutes: 1_440 },
  grants: ['raw-events:erase', 'waiting-facts:list', 'erasures:write', 'turns:take'],
  limits: { timeoutSeconds: 900, memoryMb: 1_769 },
  duckdb: true,
});
