import { type EraseCallPorts, LATE_WRITES_MS } from './erase-call.ts';
import { callPrefixes } from './object-keys.ts';
import type { CallRetentionRepository, RetainedCall } from './retained-call.ts';

export type EraseRecordingPorts = Omit<EraseCallPorts, 'erasures'> & {
  calls: Pick<CallRetentionRepository, 'markRecordingErased'>;
};

/** `gone`: it was erased before. `under_way`: somebody may still be about to store it, and nothing was erased. */
export type EraseRecordingResult = 'erased' | 'gone' | 'under_way';

/**
 * Erases the recording of a call, and leaves the rest of it. The provider deletes conversations as a whole: what was said
 * stays with us alone. Only a call for which nobody does anything any more, since what an analysis has just fetched would
 * come after. Each step can be repeated.
 *
 * @throws VoiceFailure when the provider can't be asked; nothing was erased then
 */
export async function eraseRecording(
  { objects, voice, clock, calls }: EraseRecordingPorts,
  call: RetainedCall,
): Promise<EraseRecordingResult> {
  if (call.isRecordingErased) return 'gone';
  if (call.isInProgress || call.isDue || (call.updatedAtMs ?? 0) > clock.now() - LATE_WRITES_MS) return 'under_way';
  if (call.conversationId !== undefined) await voice.deleteConversation(call.conversationId);
  await objects.deleteAll(callPrefixes(call).recordings);
  return (await calls.markRecordingErased(call)) ? 'erased' : 'under_way';
}
