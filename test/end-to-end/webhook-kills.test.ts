import { expect, test } from 'vitest';
import { runKills } from '../support/deliveries/kill-runs.ts';

// `npm run bench -- webhook-kills` does the same with 2,000 changes and more kills.
test('each lead’s messages reach a receiver in order, although half of the requests fail and the service is killed', async () => {
  const seed = Math.floor(Math.random() * 1e6);
  const { violations, missing, ...counts } = await runKills({
    changes: 24,
    kills: 1,
    killWithinMs: 4_000,
    failuresMax: 1,
    settleMs: 120_000,
    seed,
    print: () => undefined,
  });
  expect({ seed, violations, missing }).toEqual({ seed, violations: [], missing: [] });
  expect(counts.changes).toBeGreaterThanOrEqual(24);
  expect(counts.failedRequests).toBeGreaterThan(5);
}, 300_000);
