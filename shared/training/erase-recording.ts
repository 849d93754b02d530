import { type EraseCallPorts, LATE_WRITES_MS } from './erase-call.ts';
import { callPrefixes } from './object-keys.ts';
import type { CallRetentionRepository, RetainedCall } from './ports.ts';

export type EraseRecordingPorts = Omit<EraseCallPorts, 'erasures'> & {
  calls: Pick<CallRetentionRepository, 'markRecordingErased'>;
};

/**
 * `gone`: the recording was erased earlier. `in_progress`: a function can still store the recording, or has changed the
 * call; the erasure must be repeated later.
 */
export type EraseRecordingResult = 'erased' | 'gone' | 'in_progress';

/**
 * Erases the recording of a call and keeps the rest of the call. The provider can only delete a whole conversation; our
 * transcript stays. Skips a call that is in progress, due or recently changed, because a function could still store its
 * recording. Can be repeated.
 *
 * @throws VoiceProviderError when the provider can't delete the conversation; in that case nothing was erased
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
