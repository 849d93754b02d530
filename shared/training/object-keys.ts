import type { CallIds } from './call.ts';

/** In the bucket of training: what is too large for a call's item, and what was said in sound. */
export const TRANSCRIPTS_PREFIX = 'transcripts/';
export const RECORDINGS_PREFIX = 'recordings/';

/** The same conversation has the same key, so that whoever stores it twice stores it once. @param digest of its content */
export const transcriptKey = ({ orgId, callId }: CallIds, digest: string): string =>
  `${TRANSCRIPTS_PREFIX}${orgId}/${callId}/${digest}.json.gz`;

/** All that the bucket may hold of a call: what was told twice leaves a transcript that no item names. */
export const callPrefixes = ({ orgId, callId }: CallIds) => ({
  transcripts: `${TRANSCRIPTS_PREFIX}${orgId}/${callId}/`,
  recordings: `${RECORDINGS_PREFIX}${orgId}/${callId}.`,
});

/** @param extension by the sound's type, without a dot */
export const recordingKey = ({ orgId, callId }: CallIds, extension: string): string =>
  `${RECORDINGS_PREFIX}${orgId}/${callId}.${extension}`;
