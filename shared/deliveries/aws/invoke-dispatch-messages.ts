import { invokeAndWait } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import { DISPATCHER_TIMEOUT_MS } from '../dispatch-times.ts';

/**
 * Runs `background/dispatch-messages` once, and waits until the run ends. Does not throw if the run fails, because an
 * alarm of that function reports the failure. If all reserved concurrency is in use (`REPEATING_CONCURRENCY` in
 * `infra/stacks/streaming`), Lambda responds with 429, and `invokeAndWait` returns false. This is ignored, because the
 * runs in progress do the work.
 *
 * @throws Error if Lambda did not confirm the run
 */
export async function invokeDispatchMessages(end: { endMs: number }): Promise<void> {
  await invokeAndWait(requireSetting('dispatchMessagesFunction'), end, DISPATCHER_TIMEOUT_MS + 1_000);
}
