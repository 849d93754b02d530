import { DISPATCHER_TIMEOUT_MS } from '../../../shared/deliveries/dispatch-times.ts';
import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Exists because a schedule of EventBridge has an interval of at least a minute, too long for messages to wait. */
export const runDispatcherFunction = declareBackgroundFunction('background/run-dispatcher', {
  summary: 'Runs dispatch-messages every three seconds, because a schedule can start it only every minute',
  trigger: { everyMinutes: 1, repeats: 'background/dispatch-messages' },
  grants: ['dispatcher:run'],
  // This function waits for each run of `dispatch-messages` that it starts. No run begins an attempt after the first
  // minute, so the last run usually ends at most 70 s after the start of this function. The timeout is 10 s longer than
  // that of `dispatch-messages`, so that a run that hangs from the beginning times out before this function.
  limits: { timeoutSeconds: DISPATCHER_TIMEOUT_MS / 1_000 + 10, memoryMb: 128 },
});
