import { execFile, execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useLocalRuntime } from '../../../support/local/use-local-runtime.ts';

const runtime = useLocalRuntime({ isNew: true });

const hasCurl = (() => {
  try {
    return execFileSync('bash', ['-c', 'command -v curl']).length > 0;
  } catch {
    return false;
  }
})();

const paste = async (lines: string): Promise<unknown> =>
  JSON.parse((await promisify(execFile)('bash', ['-c', lines.replaceAll('curl ', 'curl -s ')])).stdout);

async function outputWhenReady(): Promise<string> {
  for (;;) {
    const output = await runtime.output();
    if (output.includes('Ready after')) return output;
    await delay(50);
  }
}

test('each printed address responds with its page', async () => {
  const output = await outputWhenReady();
  const printed = (label: string) => new RegExp(`^  ${label} +(http\\S+)$`, 'm').exec(output)?.[1] ?? '';
  for (const [label, title] of [
    ['Funnel page', 'Northlight Solar'],
    ['Numbers page', 'Live numbers'],
    ['API page', 'Tributary API'],
    ['Mailbox', 'Mailbox'],
    ['Webhooks', 'Webhook receiver'],
  ] as const) {
    expect(await (await fetch(printed(label))).text()).toContain(`<title>${title}`);
  }
});

test.skipIf(!hasCurl)('the printed commands work when pasted, and the pasted event is counted', async () => {
  const [submit = '', event = '', overview = '', session = '', call = ''] =
    (await outputWhenReady()).match(/^(ID=.*; )?curl .*\\\n.*$/gm) ?? [];
  expect(await paste(submit)).toEqual({ data: { id: expect.any(String), update_token: expect.any(String) } });
  expect(await paste(event)).toEqual({ received: 1 });
  await expect
    .poll(() => paste(overview), { timeout: 45_000, interval: 200 })
    .toMatchObject({ overview: { totalStarts: 1, totalCompletions: 0 } });
  expect(await paste(session)).toMatchObject({ trainingCallId: expect.any(String) });
  expect(await paste(call)).toMatchObject({ status: 'ready', score: { total: expect.any(Number) } });
});
