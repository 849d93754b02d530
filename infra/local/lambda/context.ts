import type { Context } from 'aws-lambda';
import { ACCOUNT_ID } from '../gateway/proxy-event.ts';
import { REGION } from '../runtime/environment.ts';

export type FunctionSettings = { id: string; limits: { timeoutSeconds: number; memoryMb: number } };

/** By which others invoke it, as CDK names functions, without the stage. */
export const functionName = (id: string): string => `tributary-${id.replace('/', '-')}`;

/** The context that Lambda gives an invocation. @param requestId a UUID */
export function lambdaContext({ id, limits }: FunctionSettings, requestId: string): Context {
  const name = functionName(id);
  const deadline = Date.now() + limits.timeoutSeconds * 1000;
  const outdated = () => {
    throw new Error('Callbacks are not supported by Node 24 functions.');
  };
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${name}`,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    memoryLimitInMB: String(limits.memoryMb),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: outdated,
    fail: outdated,
    succeed: outdated,
  };
}
