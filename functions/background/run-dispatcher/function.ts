import { DISPATCHER_TIMEOUT_MS } from '../../../shared/deliveries/dispatch-times.ts';
import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Exists because a schedule of EventBridge has an interval of at least a minute, too long for messages to wait. */
export const runDispatcherFunction = declareBackgroundFunction('background/run-dispatcher', {
  summary: 'Runs dispatch-messages every three seconds, because a schedule can start it only every minute',
  trigger: { everyMinutes: 1, repeats: 'background/dispatch-messages' },
  grants: ['dispatcher:run'],
  // A run of `dispatch-messages` that begins in the first 10 s can last until its own timeout. Later runs end at the
  // latest about 70 s after the start of this function, because no run begins an attempt after the first minute. If
  // such a later run hangs, this function times out before the run.
  limits: { timeoutSeconds: DISPATCHER_TIMEOUT_MS / 1_000 + 10, memoryMb: 128 },
});
