import { HttpError } from '../http/errors.ts';
import { hasAtLeastRole, type Role } from '../organizations/membership.ts';
import type { CallIds, TrainingCall, TranscriptTurn } from './call.ts';
import type { StoredTranscript } from './ports.ts';
import { TranscriptMissingError } from './transcripts.ts';

/** A call as it is kept: its transcript may lie elsewhere. */
export type CallWithStoredTranscript = Omit<TrainingCall, 'transcript'> & {
  storedTranscript: StoredTranscript | undefined;
};

export type CallReader = {
  /** Strongly consistent; undefined where the organization has no such call. @throws Problem 503 */
  find(ids: CallIds): Promise<CallWithStoredTranscript | undefined>;
};

export type ReadCallPorts = {
  calls: CallReader;
  /** @throws `TranscriptMissing` when it is not where the call says, others when it can't be read */
  transcript: (stored: StoredTranscript) => Promise<TranscriptTurn[]>;
};

/**
 * A call for its own user, or for an admin of its organization.
 *
 * @throws Problem 404 for a call that the organization does not have, 403 for another member's
 */
export async function readCall(
  ports: ReadCallPorts,
  ids: CallIds,
  reader: { userId: string; role: Role },
): Promise<TrainingCall> {
  const found = await ports.calls.find(ids);
  if (found === undefined) throw noSuchCall();
  if (found.userId !== reader.userId && !hasAtLeastRole(reader.role, 'admin')) {
    throw new HttpError(
      403,
      "Reading another member's training call requires the role admin or higher in the organization.",
    );
  }
  const { storedTranscript, ...call } = found;
  if (storedTranscript === undefined) return { ...call, transcript: null };
  try {
    return { ...call, transcript: await ports.transcript(storedTranscript) };
  } catch (cause) {
    // A call is erased with its transcript, which goes last.
    const isErased = cause instanceof TranscriptMissingError && (await ports.calls.find(ids)) === undefined;
    throw isErased ? noSuchCall() : cause;
  }
}

const noSuchCall = () => new HttpError(404, 'There is no training call with this id in the organization (path.id).');
