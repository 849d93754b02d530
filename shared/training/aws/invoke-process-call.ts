import { invokeAsync } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { InvokeProcessCall } from '../ports.ts';

/** Has the function that analyses calls run. @throws when it was not taken; it is tried again by the sweeper */
export const invokeProcessCall: InvokeProcessCall = ({ orgId, callId }, requestId) =>
  invokeAsync(requireSetting('analyseCallFunction'), { orgId, callId, requestId });
