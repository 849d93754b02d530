import type { CallIds } from './call.ts';

export const TRANSCRIPTS_PREFIX = 'transcripts/';
export const RECORDINGS_PREFIX = 'recordings/';

/**
 * Key in the training bucket. Contains the digest of the content, so that storing the same transcript again writes the
 * same object.
 */
export const transcriptKey = ({ orgId, callId }: CallIds, digest: string): string =>
  `${TRANSCRIPTS_PREFIX}${orgId}/${callId}/${digest}.json.gz`;

/** Prefixes of all objects of a call, including transcripts that the call's item does not name. */
export const callPrefixes = ({ orgId, callId }: CallIds) => ({
  transcripts: `${TRANSCRIPTS_PREFIX}${orgId}/${callId}/`,
  recordings: `${RECORDINGS_PREFIX}${orgId}/${callId}.`,
});

/** @param extension without a dot */
export const recordingKey = ({ orgId, callId }: CallIds, extension: string): string =>
  `${RECORDINGS_PREFIX}${orgId}/${callId}.${extension}`;
