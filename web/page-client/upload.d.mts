/** The published types of the page client's upload part. The build copies this file. */
import type { Funnel } from './funnel.d.mts';

export type UploadedFile = {
  /** The value for a file field. */
  uuid: string;
  name: string;
  /** Bytes. */
  size: number;
  mimeType: string;
  storagePath: string;
};

export type UploadOptions = {
  organizationId: string;
  /** The upload block of the funnel. */
  blockId: string;
  signal?: AbortSignal | undefined;
  /** Called with the sent share, from 0 to 1. A retry starts at 0 again. */
  onProgress?: ((share: number) => void) | undefined;
};

/** The file was not uploaded. */
export declare class UploadError extends Error {
  /**
   * Code of the API, for example `payload_too_large`, `unsupported_media_type` or `rate_limited`. `store_rejected`: S3
   * rejected a large file. `unreachable`: all attempts failed, because the connection, the service or S3 failed.
   */
  readonly code: string;
  /** With `rate_limited`: milliseconds until an upload is allowed. Otherwise 0. */
  readonly retryAfterMs: number;
}

/**
 * Uploads a file of up to 4 MiB to the service, and a larger file directly to S3. Retries after network errors and 5xx.
 *
 * @throws UploadError, or the reason of `signal`
 */
export declare function uploadFile(funnel: Funnel, file: File, options: UploadOptions): Promise<UploadedFile>;
