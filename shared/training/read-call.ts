import { HttpError } from '../http/errors.ts';
import { hasAtLeastRole, type Role } from '../organizations/membership.ts';
import type { CallIds, TrainingCall, TranscriptTurn } from './call.ts';
import type { CallReader, StoredTranscript } from './ports.ts';
import { TranscriptMissingError } from './transcripts.ts';

export type ReadCallPorts = {
  calls: CallReader;
  /** @throws TranscriptMissingError when the object does not exist */
  readTranscript: (stored: StoredTranscript, callId: string) => Promise<TranscriptTurn[]>;
};

/**
 * Returns a call to its user, or to an admin or owner of the organization.
 *
 * @throws HttpError 404 for an unknown call, 403 if the caller may not read the call
 * @throws UnavailableError while the call or its transcript can't be read
 */
export async function readCall(
  ports: ReadCallPorts,
  ids: CallIds,
  caller: { userId: string; role: Role },
): Promise<TrainingCall> {
  const found = await ports.calls.find(ids);
  if (found === undefined) throw noSuchCall();
  if (found.userId !== caller.userId && !hasAtLeastRole(caller.role, 'admin')) {
    throw new HttpError(
      403,
      "Reading another member's training call requires the role admin or higher in the organization.",
    );
  }
  const { storedTranscript, ...call } = found;
  if (storedTranscript === undefined) return { ...call, transcript: null };
  try {
    return { ...call, transcript: await ports.readTranscript(storedTranscript, ids.callId) };
  } catch (cause) {
    // An erasure deletes the call's item before the transcript. A missing transcript can therefore mean that the call
    // was erased.
    const isErased = cause instanceof TranscriptMissingError && (await ports.calls.find(ids)) === undefined;
    throw isErased ? noSuchCall() : cause;
  }
}

const noSuchCall = () => new HttpError(404, 'There is no training call with this id in the organization (path.id).');
