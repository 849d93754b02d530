import { DISPATCHER_TIMEOUT_MS } from '../../../shared/deliveries/dispatch-times.ts';
import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Exists because a schedule of EventBridge has an interval of at least a minute, too long for messages to wait. */
export const runDispatcherFunction = declareBackgroundFunction('background/run-dispatcher', {
  summary: 'Runs dispatch-messages every three seconds, because a schedule can start it only every minute',
  trigger: { everyMinutes: 1, repeats: 'background/dispatch-messages' },
  grants: ['dispatcher:run'],
  // This function waits for each run of `dispatch-messages` that it starts. A minute after the start of this function,
  // the last run begins no further attempt, and usually ends within 10 s. The timeout of this function is 10 s longer
  // than the timeout of `dispatch-messages`. Therefore, if the first run hangs, that run times out first.
  limits: { timeoutSeconds: DISPATCHER_TIMEOUT_MS / 1_000 + 10, memoryMb: 128 },
});
