import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { startTextModelServer } from '../support/text-model-server.ts';
import { quantiles } from './load.ts';
import type { Demo } from './scenarios.ts';

const CALLS = 60;
/** Delay of the model before its first token. The measured times must not include it. */
const THINKING_MS = 20;

type Model = Awaited<ReturnType<typeof startTextModelServer>>;

/**
 * Measures the milliseconds from the model's first token to the first byte that the client receives. Sends one request
 * after another.
 */
export async function firstBytes(demo: Demo, model: Model): Promise<{ p50: number; p95: number }> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  model.answer({ deltas: ['Your ', 'roof ', 'is ', 'fit.'], firstDelayMs: THINKING_MS, betweenMs: 5 });
  for (let call = 0; call < CALLS; call++) {
    const arrived = await firstByte(`${demo.baseUrl}/api/v2/public/funnel/${demo.funnel.id}/ai-stream`, agent);
    const written = model.calls.at(-1)?.firstAt;
    if (written === undefined) throw new Error('The model wrote no token.');
    times.push(arrived - written);
  }
  agent.destroy();
  return quantiles(times);
}

/** Waits for the whole body, and returns the time at which its first byte arrived. */
function firstByte(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        let at: number | undefined;
        if (response.statusCode !== 200) reject(new Error(`The service responded with status ${response.statusCode}.`));
        response.on('data', () => {
          at ??= performance.now();
        });
        response.on('end', () => resolve(at ?? Number.POSITIVE_INFINITY));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ prompt: 'Is my roof fit for panels?' }));
  });
}
