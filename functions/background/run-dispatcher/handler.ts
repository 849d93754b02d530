import { setTimeout as sleep } from 'node:timers/promises';
import { invokeDispatchMessages } from '../../../shared/deliveries/aws/invoke-dispatch-messages.ts';
import { type RepeatDispatchPorts, repeatDispatch } from '../../../shared/deliveries/repeat-dispatch.ts';
import { systemClock } from '../../../shared/platform/clock.ts';

export const createHandler = (ports: RepeatDispatchPorts) => (): Promise<void> => repeatDispatch(ports);

export const handler = createHandler({ invokeDispatcher: invokeDispatchMessages, clock: systemClock, sleep });
