/** The provider is unavailable, slow, rejects a request, or returns an invalid response. For logs and operators only. */
export class VoiceProviderError extends Error {
  override readonly name = 'VoiceProviderError';
}

/** About ten hours of speech. A recording passes through the temporary folder of a function, which holds 512 MB. */
export const RECORDING_BYTES_MAX = 300 * 1024 * 1024;

/** A recording of more than `RECORDING_BYTES_MAX` bytes. A retry cannot help. */
export class RecordingTooLargeError extends VoiceProviderError {
  constructor() {
    super('The recording of a call at the voice provider is larger than 300 MB.');
  }
}
