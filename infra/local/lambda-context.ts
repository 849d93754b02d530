import type { Context } from 'aws-lambda';
import { REGION } from './environment.ts';
import { ACCOUNT_ID } from './gateway/proxy-event.ts';

export type FunctionSettings = { id: string; limits: { timeoutSeconds: number; memoryMb: number } };

/** The context that Lambda gives an invocation. @param requestId a UUID */
export function lambdaContext({ id, limits }: FunctionSettings, requestId: string): Context {
  const functionName = `tributary-${id.replace('/', '-')}`;
  const deadline = Date.now() + limits.timeoutSeconds * 1000;
  const outdated = () => {
    throw new Error('Callbacks are not supported by Node 24 functions.');
  };
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: String(limits.memoryMb),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: outdated,
    fail: outdated,
    succeed: outdated,
  };
}
