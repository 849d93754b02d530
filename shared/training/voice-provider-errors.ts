/**
 * The voice provider is unavailable or slow, rejects a request or returns an invalid response, or the settings for the
 * provider are invalid. The message is for logs and operators only.
 */
export class VoiceProviderError extends Error {
  override readonly name = 'VoiceProviderError';
}

/** A recording of more than `RECORDING_BYTES_MAX` bytes (`recordings.ts`). A retry cannot help. */
export class RecordingTooLargeError extends VoiceProviderError {
  constructor() {
    super('The recording of a call at the voice provider is larger than 300 MB.');
  }
}
