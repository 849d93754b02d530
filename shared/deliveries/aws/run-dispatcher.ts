import { invokeAndWait } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import { DISPATCHER_TIMEOUT_MS } from '../dispatch-times.ts';

/**
 * Runs the dispatcher, and waits until the run ends. Its own alarm reports runs that fail. If two runs are running
 * already, these do the work.
 *
 * @throws Error if Lambda did not confirm the run
 */
export async function runDispatcher(end: { endMs: number }): Promise<void> {
  await invokeAndWait(requireSetting('dispatchMessagesFunction'), end, DISPATCHER_TIMEOUT_MS + 1_000);
}
