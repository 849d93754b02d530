import { DISPATCHER_TIMEOUT_MS } from '../../../shared/deliveries/dispatch-times.ts';
import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Exists because EventBridge can start `dispatch-messages` only once a minute, but messages must be sent sooner. */
export const runDispatcherFunction = declareBackgroundFunction('background/run-dispatcher', {
  summary: 'Runs dispatch-messages every three seconds, because a schedule can start it only every minute',
  trigger: { everyMinutes: 1, repeats: 'background/dispatch-messages' },
  grants: ['dispatcher:run'],
  // This function starts runs of `dispatch-messages` for a minute, and waits for each run. If the first run hangs, this
  // function must still run when `dispatch-messages` times out. Therefore, the timeout of this function is 10 s longer.
  limits: { timeoutSeconds: DISPATCHER_TIMEOUT_MS / 1_000 + 10, memoryMb: 128 },
});
