import { invokeAsync } from '../../platform/aws/invoke-lambda.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { ProcessCallInvoker } from '../ports.ts';

/** Invokes `functions/background/analyse-call`, which runs `processCall`. */
export const invokeProcessCall: ProcessCallInvoker = ({ orgId, callId }, requestId) =>
  invokeAsync(requireSetting('analyseCallFunction'), { orgId, callId, requestId });
