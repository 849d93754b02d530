import { invokeAsync } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { InvokeProcessCall } from '../ports.ts';

/** Invokes `functions/background/analyse-call`, which runs `processCall`. */
export const invokeProcessCall: InvokeProcessCall = ({ orgId, callId }, requestId) =>
  invokeAsync(requireSetting('analyseCallFunction'), { orgId, callId, requestId });
