import { expect, test } from 'vitest';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';

const functions = useDeployedFunctions('background/run-dispatcher');

test('run-dispatcher may invoke dispatch-messages', async () => {
  functions.later(0);
  const running = functions.run('background/run-dispatcher');
  await expect.poll(() => functions.invoked.length, { timeout: 20_000 }).toBe(1);
  functions.later(60_000);
  await running;
  expect(functions.invoked).toEqual([expect.stringMatching(/dispatch-messages.*\/invocations$/)]);
}, 60_000);
