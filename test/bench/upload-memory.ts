import { createHook } from 'node:async_hooks';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { uploadOperation } from '../../functions/funnel/upload/operation.ts';
import type { ApiGatewayHandler } from '../../shared/http/handler.ts';
import { proxyEvent } from '../support/http.ts';
import { aPdf } from '../support/uploads/sample-files.ts';
import { aForm, FORM_HEADERS } from '../support/uploads/upload-api.ts';

// The process that `uploadPeakBytes` starts. It receives the fields of the form, and sends back the maximum growth of
// its memory during an upload, in bytes.

const SMALL_UPLOADS = 30;
const KB = 1_024;

process.once('message', (place: Record<string, string>) => {
  void measure(place).then((grown) => process.send?.(grown));
});

async function measure(place: Record<string, string>): Promise<number> {
  const built = join(import.meta.dirname, '../../dist/funnel/upload/index.mjs');
  const { handler }: { handler: ApiGatewayHandler } = await import(pathToFileURL(built).href);
  const event = (content: Buffer): APIGatewayProxyEvent => ({
    ...proxyEvent(uploadOperation, { headers: FORM_HEADERS }),
    body: aForm({ fields: place, file: { name: 'a.pdf', content } }).toString('base64'),
    isBase64Encoded: true,
  });
  const send = async (content: Buffer) => {
    const { statusCode, body } = await handler(event(content), {} as Context);
    if (statusCode !== 200) throw new Error(`The function responded with status ${statusCode}: ${body}`);
  };
  for (let count = 0; count < SMALL_UPLOADS; count++) await send(aPdf());
  const before = await settled();
  const large = event(Buffer.concat([aPdf(), Buffer.alloc(4 * 1024 * KB - aPdf().length, 7)]));
  // Frees the binary form before the measurement, because a deployed function gets only the base64 text of a form.
  await settled();
  const peak = await peakWhile(() => handler(large, {} as Context));
  return peak - before;
}

/** Collects garbage. Returns the bytes that are still in use on and outside of the heap. */
async function settled(): Promise<number> {
  for (let count = 0; count < 4; count++) {
    // Without a pause, stack frames still reference the garbage.
    await sleep(20);
    globalThis.gc?.();
  }
  return bytesInUse();
}

function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns the maximum of the bytes in use while `work` runs, sampled before and after each asynchronous callback. */
async function peakWhile(work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, bytesInUse());
  };
  const hook = createHook({ before: sample, after: sample }).enable();
  await work();
  hook.disable();
  return peak;
}
