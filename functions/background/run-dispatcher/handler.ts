import { setTimeout as sleep } from 'node:timers/promises';
import { runDispatcher } from '../../../shared/deliveries/aws/run-dispatcher.ts';
import { type RepeatDispatchPorts, repeatDispatch } from '../../../shared/deliveries/repeat-dispatch.ts';
import { systemClock } from '../../../shared/platform/clock.ts';

export const createHandler = (ports: RepeatDispatchPorts) => (): Promise<void> => repeatDispatch(ports);

export const handler = createHandler({ dispatch: runDispatcher, clock: systemClock, sleep });
