import { callPrefixes } from '../lifecycle/training-objects.ts';
import { type ErasePorts, SETTLED_AFTER_MS } from './erase-call.ts';
import type { OldCall, OldCalls } from './old-calls.ts';

export type EraseRecordingPorts = Omit<ErasePorts, 'erasures'> & { calls: Pick<OldCalls, 'withoutRecording'> };

/** `gone`: it was erased before. `under_way`: somebody may still be about to store it, and nothing was erased. */
export type ErasedRecording = 'erased' | 'gone' | 'under_way';

/**
 * Erases the recording of a call, and leaves the rest of it. The provider deletes conversations as a whole: what was said
 * stays with us alone. Only a call for which nobody does anything any more, since what an analysis has just fetched would
 * come after. Each step can be repeated.
 *
 * @throws VoiceFailure when the provider can't be asked; nothing was erased then
 */
export async function eraseRecording(
  { objects, voice, clock, calls }: EraseRecordingPorts,
  call: OldCall,
): Promise<ErasedRecording> {
  if (call.isWithoutRecording) return 'gone';
  if (call.isUnderWay || call.isDue || (call.updatedAtMs ?? 0) > clock.now() - SETTLED_AFTER_MS) return 'under_way';
  if (call.conversationId !== undefined) await voice.forget(call.conversationId);
  await objects.removeAll(callPrefixes(call).recordings);
  return (await calls.withoutRecording(call)) ? 'erased' : 'under_way';
}
