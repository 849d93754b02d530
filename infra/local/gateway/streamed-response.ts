import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { GATEWAY_ANSWERS, type GatewayAnswer } from '../../api/gateway-answers.ts';
import type { ReportError } from '../common/output.ts';
import type { LambdaResponseStream } from '../lambda/globals.ts';
import { createResponseStream } from './response-stream.ts';

/**
 * Runs a function that streams. A failure before the first byte is the gateway's answer, returned for the caller to
 * send; one after it, or the end of the function's time, breaks the connection off, as it does in the cloud.
 */
export async function sendStreamedResponse(
  response: ServerResponse,
  run: (stream: LambdaResponseStream) => Promise<unknown>,
  { timeoutSeconds, report }: { timeoutSeconds: number; report: ReportError },
): Promise<GatewayAnswer | undefined> {
  const stream = createResponseStream(response);
  const timer = setTimeout(() => stream.destroy(new Error('The function ran out of time.')), timeoutSeconds * 1000);
  try {
    await Promise.race([ended(stream), run(stream).then(() => ended(stream.writableEnded ? stream : stream.end()))]);
    return undefined;
  } catch (error) {
    if (response.destroyed) return undefined;
    report('A function failed while streaming', error);
    if (!response.headersSent) return GATEWAY_ANSWERS.integrationFailed;
    response.destroy();
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

const ended = (stream: LambdaResponseStream) => finished(stream, { readable: false });
