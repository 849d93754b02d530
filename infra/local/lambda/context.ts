import type { Context } from 'aws-lambda';
import { ACCOUNT_ID, REGION } from '../runtime/environment.ts';

export type FunctionSettings = { id: string; limits: { timeoutSeconds: number; memoryMb: number } };

/** Returns a function's name. In a deployment, the name also contains the stage. */
export const functionName = (id: string): string => `tributary-${id.replace('/', '-')}`;

/** Creates the context that Lambda passes to an invocation. @param requestId a UUID */
export function lambdaContext({ id, limits }: FunctionSettings, requestId: string): Context {
  const name = functionName(id);
  const deadlineMs = Date.now() + limits.timeoutSeconds * 1000;
  const throwUnsupported = () => {
    throw new Error('Lambda with Node 24 has no context.done, context.fail or context.succeed. Return a promise.');
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
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
    done: throwUnsupported,
    fail: throwUnsupported,
    succeed: throwUnsupported,
  };
}
