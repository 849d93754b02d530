import type { FinishReason, TextDeltaStream } from '../http/text-stream.ts';
import { ModelError, type ModelPart } from './language-model.ts';
import type { UsageMeter } from './usage-meter.ts';

/** A model's text within its limit, while its bill is drawn up. @throws ModelFailure, also when there is no text at all */
export async function* meterText(
  parts: AsyncIterable<ModelPart>,
  { output, recordUsage: counted, recordReasoning: hidden }: UsageMeter,
): TextDeltaStream {
  let finish: FinishReason = 'stop';
  for await (const part of parts) {
    if ('usage' in part) counted(part.usage);
    else if ('finish' in part) finish = part.finish;
    else if ('hiddenBytes' in part) hidden(part.hiddenBytes);
    else {
      const text = output.push(part.text);
      if (text !== '') yield text;
      if (output.isTruncated()) return 'length';
    }
  }
  const rest = output.flush();
  if (rest !== '') yield rest;
  if (output.bytes() === 0) throw new ModelError('The model gave no text at all.', { billable: true });
  return finish;
}
