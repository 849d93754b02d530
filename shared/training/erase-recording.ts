import { type EraseCallPorts, LATE_WRITES_MS } from './erase-call.ts';
import { callPrefixes } from './object-keys.ts';
import type { CallRetentionRepository, RetainedCall } from './ports.ts';

export type EraseRecordingPorts = Pick<EraseCallPorts, 'objects' | 'voice' | 'clock'> & {
  calls: Pick<CallRetentionRepository, 'markRecordingErased'>;
};

/**
 * `gone`: the recording was erased earlier. `in_progress`: erase it later, because a function may still work on the
 * call or has just changed it.
 */
export type EraseRecordingResult = 'erased' | 'gone' | 'in_progress';

/**
 * Erases the recording of a call in the bucket and at the provider. Deletes the whole conversation at the provider,
 * because the provider cannot delete only the recording. Our copy of the transcript stays. Skips a call while a
 * function may still work on it, because the function could store the recording again. Can be repeated.
 *
 * @throws VoiceProviderError when the provider can't delete the conversation (in that case nothing was erased). Also
 *   rethrows the errors of the table and the bucket
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
