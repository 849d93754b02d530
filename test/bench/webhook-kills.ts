import { runKills } from '../support/deliveries/kill-runs.ts';
import { figure, type Row, row } from './table.ts';

const CHANGES = 2_000;
const KILLS = 20;

/** Changes leads while the service is killed and a webhook endpoint fails half of the time. Counts what goes wrong. */
export async function webhookKills(print: (line: string) => void): Promise<Row[]> {
  const seed = Math.floor(Math.random() * 1e6);
  print(`webhook kills: seed ${seed}`);
  const options = { changes: CHANGES, kills: KILLS, killWithinMs: 15_000, settleMs: 600_000, seed, print };
  const { changes, messages, requests, failedRequests, violations, missing } = await runKills({
    ...options,
    failuresMax: 2,
  });
  for (const text of [...violations, ...missing].slice(0, 20)) print(text);
  return [
    figure('webhook kills: changes of leads', changes, ''),
    figure('webhook kills: messages', messages, ''),
    row('webhook kills: failed requests', (100 * failedRequests) / requests, 40, '%', 'at least'),
    row('webhook kills: milestones and current states not delivered', missing.length, 0, '', 'at most'),
    row('webhook kills: messages with wrong bytes, seq, signature or state', violations.length, 0, '', 'at most'),
  ];
}
