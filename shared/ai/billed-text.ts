import type { FinishReason, TextDeltas } from '../http/stack/stream-format.ts';
import type { Bill } from './bill.ts';
import { ModelFailure, type ModelPart } from './text-model.ts';

/** A model's text within its limit, while its bill is drawn up. @throws ModelFailure, also when there is no text at all */
export async function* billedText(parts: AsyncIterable<ModelPart>, { output, counted, hidden }: Bill): TextDeltas {
  let finish: FinishReason = 'stop';
  for await (const part of parts) {
    if ('usage' in part) counted(part.usage);
    else if ('finish' in part) finish = part.finish;
    else if ('hiddenBytes' in part) hidden(part.hiddenBytes);
    else {
      const text = output.take(part.text);
      if (text !== '') yield text;
      if (output.cut()) return 'length';
    }
  }
  const rest = output.rest();
  if (rest !== '') yield rest;
  if (output.bytes() === 0) throw new ModelFailure('The model gave no text at all.', { billable: true });
  return finish;
}
