import { performance } from 'node:perf_hooks';
import { VERIFICATION_DELAY_MS } from '../../shared/verification/verification-state.ts';
import type { LocalRuntime } from '../support/local/runtime.ts';

const ROUNDS = 40;

type Demo = LocalRuntime['demo'];

/**
 * Measures mfa/send and mfa/check with the right code, one visitor after another, in milliseconds per request. The time
 * of mfa/check does not include `VERIFICATION_DELAY_MS`, for which the function waits before it accepts a code.
 */
export async function verifications(demo: Demo): Promise<{ sendP50: number; checkP50: number; failed: number }> {
  const [sends, checks]: [number[], number[]] = [[], []];
  let failed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const email = `bench-${round}@shop.example`;
    const { data } = await post(demo, 'submit', { data: { email } }).then(({ body }) => body);
    const handle = { lead_id: data?.id, update_token: data?.update_token };
    const sent = await post(demo, 'mfa/send', handle);
    const checked = await post(demo, 'mfa/check', { ...handle, code: await lastCode(demo) });
    failed += [sent, checked].filter(({ status }) => status !== 200).length;
    sends.push(sent.ms);
    checks.push(checked.ms - VERIFICATION_DELAY_MS);
  }
  return { sendP50: median(sends), checkP50: median(checks), failed };
}

async function post({ baseUrl, funnel }: Demo, path: string, body: object) {
  const start = performance.now();
  const response = await fetch(`${baseUrl}/api/v2/public/funnel/${funnel.id}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const read = (await response.json()) as { data?: Record<string, string> };
  return { status: response.status, body: read, ms: performance.now() - start };
}

async function lastCode({ mailbox }: Demo): Promise<string> {
  const { messages } = (await (await fetch(mailbox)).json()) as { messages: { text: string }[] };
  return /\b\d{6}\b/.exec(messages.at(-1)?.text ?? '')?.[0] ?? '';
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
