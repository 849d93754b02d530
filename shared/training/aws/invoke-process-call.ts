import { config } from '../../platform/config.ts';
import { invokeLater } from '../../platform/invoke.ts';
import type { InvokeProcessCall } from '../ports.ts';

/** Has the function that analyses calls run. @throws when it was not taken; it is tried again by the sweeper */
export const invokeProcessCall: InvokeProcessCall = ({ orgId, callId }, requestId) =>
  invokeLater(config('analyseCallFunction'), { orgId, callId, requestId });
