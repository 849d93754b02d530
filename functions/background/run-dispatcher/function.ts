import { DISPATCHER_TIMEOUT_MS } from '../../../shared/deliveries/dispatch-times.ts';
import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Exists because a schedule of EventBridge has an interval of at least a minute. */
export const runDispatcherFunction = declareBackgroundFunction('background/run-dispatcher', {
  summary: 'Runs dispatch-messages every three seconds, because a schedule can start it only every minute',
  trigger: { everyMinutes: 1, repeats: 'background/dispatch-messages' },
  grants: ['dispatcher:run'],
  // The first run of the minute can last until its timeout. A later run ends at most about 10 s after the minute, because
  // no run begins an attempt after the minute. If a run hangs that began more than 10 s after this function started, this
  // function times out first.
  limits: { timeoutSeconds: DISPATCHER_TIMEOUT_MS / 1_000 + 10, memoryMb: 128 },
});
