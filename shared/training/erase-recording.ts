import { type EraseCallPorts, LATE_WRITES_MS } from './erase-call.ts';
import { callPrefixes } from './object-keys.ts';
import type { CallRetentionRepository, RetainedCall } from './ports.ts';

export type EraseRecordingPorts = Omit<EraseCallPorts, 'erasures'> & {
  calls: Pick<CallRetentionRepository, 'markRecordingErased'>;
};

/** `gone`: the recording was erased before. `in_progress`: it may still be stored, and nothing was erased. */
export type EraseRecordingResult = 'erased' | 'gone' | 'in_progress';

/**
 * Erases the recording of a call and keeps the rest. The provider can only delete a whole conversation; our transcript
 * stays. Skips a call that is still processed, because its analysis could store the recording afterwards. Can be repeated.
 *
 * @throws VoiceProviderError when the provider can't delete the conversation; nothing was erased then
 */
export async function eraseRecording(
  { objects, voice, clock, calls }: EraseRecordingPorts,
  call: RetainedCall,
): Promise<EraseRecordingResult> {
  if (call.isRecordingErased) return 'gone';
  if (call.isInProgress || call.isDue || (call.updatedAtMs ?? 0) > clock.now() - LATE_WRITES_MS) return 'in_progress';
  if (call.conversationId !== undefined) await voice.deleteConversation(call.conversationId);
  await objects.deleteAll(callPrefixes(call).recordings);
  return (await calls.markRecordingErased(call)) ? 'erased' : 'in_progress';
}
