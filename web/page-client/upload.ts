import type { Funnel } from './funnel.d.mts';
import { retry } from './retry.ts';
import { parseRetryAfter } from './transport.ts';
import type { UploadError as PublishedUploadError, UploadedFile, UploadOptions } from './upload.d.mts';

/** Larger files are sent directly to S3, because the service does not accept them in a request. */
const FORM_FILE_BYTES_MAX = 4 * 1024 * 1024;
/** A request without progress ends after this time. A slow upload can take longer. */
const STALL_MS = 30_000;
const ATTEMPTS_MAX = 4;

/** Some browsers don't know the media type of these extensions. */
const TYPES: Record<string, string> = { heic: 'image/heic', heif: 'image/heif', webp: 'image/webp' };

type UploadBody = {
  data?: UploadedFile;
  upload?: { url: string; fields: Record<string, string>; expiresAt: string };
  error?: { code: string; message: string };
};

/** `body` is undefined if the response is not JSON. */
type UploadResponse = { status: number; body: UploadBody | undefined; retryAfterMs: number };

export class UploadError extends Error implements PublishedUploadError {
  readonly code: string;
  readonly retryAfterMs: number;

  constructor(code: string, message: string, retryAfterMs = 0) {
    super(message);
    this.name = 'UploadError';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** See `upload.d.mts`. A retry can upload a file twice. This is harmless, because a file without a lead expires. */
export async function uploadFile(funnel: Funnel, file: File, options: UploadOptions): Promise<UploadedFile> {
  const { organizationId, blockId, signal, onProgress } = options;
  const url = funnel.urlOf('/api/v2/public/funnel/upload');
  const sendFile = (to: string, fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    // The file is the last part, because S3 ignores fields after the file.
    form.append('file', file);
    return send(to, form, signal, onProgress);
  };
  const announcement = () => {
    const { name, size } = file;
    const members = { organizationId, blockId, name, size, mimeType: typeOf(file) };
    return new Blob([JSON.stringify(members)], { type: 'application/json' });
  };

  let announced: UploadResponse | undefined;
  async function uploadToStore(): Promise<UploadResponse | undefined> {
    // A retry uses the same form while the form is valid, because each announcement counts against the daily limits.
    if (!(Date.parse(announced?.body?.upload?.expiresAt ?? '') > Date.now()))
      announced = await send(url, announcement(), signal);
    const form = announced?.body?.upload;
    if (!form) return announced?.body?.error && announced;
    const stored = await sendFile(form.url, form.fields);
    if (stored && stored.status >= 300 && stored.status < 500)
      throw new UploadError('store_rejected', `S3 rejected the file with status ${stored.status}.`);
    return stored && stored.status < 300 ? announced : undefined;
  }

  signal?.throwIfAborted();
  const attempt = file.size > FORM_FILE_BYTES_MAX ? uploadToStore : () => sendFile(url, { organizationId, blockId });
  const response = await retry(attempt, { isFinal, attemptsMax: ATTEMPTS_MAX, signal });
  signal?.throwIfAborted();
  const { data, error } = (response && isFinal(response) && response.body) || {};
  if (data) return data;
  if (error) throw new UploadError(error.code, error.message, response?.retryAfterMs);
  throw new UploadError('unreachable', 'The file could not be uploaded. Check the connection, and try again.');
}

/** A 429 with an error in its body is final, because the visitor should see how long to wait. */
const isFinal = ({ status, body }: UploadResponse): boolean => status < 500 && Boolean(body?.data ?? body?.error);

const typeOf = ({ name, type }: File): string =>
  type || TYPES[name.split('.').pop()?.toLowerCase() ?? ''] || 'application/octet-stream';

/**
 * Sends a request once. Uses XMLHttpRequest, because `fetch` does not report the progress of an upload.
 *
 * @returns undefined without a response
 */
function send(
  url: string,
  body: FormData | Blob,
  signal: AbortSignal | undefined,
  onProgress?: (share: number) => void,
): Promise<UploadResponse | undefined> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    let stall = setTimeout(abort, STALL_MS);
    request.upload.onprogress = ({ loaded, total }) => {
      clearTimeout(stall);
      stall = setTimeout(abort, STALL_MS);
      onProgress?.(total > 0 ? loaded / total : 0);
    };
    request.onloadend = () => {
      clearTimeout(stall);
      signal?.removeEventListener('abort', abort);
      resolve(responseOf(request));
    };
    request.open('POST', url);
    onProgress?.(0);
    request.send(body);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
}

function responseOf(request: XMLHttpRequest): UploadResponse | undefined {
  const { status, responseText } = request;
  if (status === 0) return undefined;
  // Reads the header only after a 429. Other responses, such as those of S3, may not expose the header by CORS. If a
  // page reads such a header, browsers log an error.
  const retryAfterMs = status === 429 ? parseRetryAfter(request.getResponseHeader('Retry-After')) : 0;
  try {
    return { status, body: JSON.parse(responseText), retryAfterMs };
  } catch {
    return { status, body: undefined, retryAfterMs };
  }
}
