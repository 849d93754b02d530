import { retryAfterMsOf, sendUntilAnswered, untilAnswered } from './request.js';

/** Maximum size of an upload through the service. Larger files are posted to S3 with a presigned form. */
const DIRECT_BYTES = 4 * 1024 * 1024;
/** An upload without progress fails after this time. A slow upload can take longer. */
const STALLED_MS = 30_000;
const ATTEMPTS = 4;

/** Some browsers don't know the media type of these extensions. */
const TYPES = { heic: 'image/heic', heif: 'image/heif', webp: 'image/webp' };

/** The service or S3 rejected the file. `status` is the service's HTTP status, or 0 if S3 rejected the file. */
export class Refused extends Error {
  constructor(status, retryAfterMs = 0) {
    super('The file was refused.');
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Uploads a file, with retries. A file that is uploaded twice is harmless, because a file without a lead expires.
 *
 * @param place {url, blockId, organizationId}
 * @param onProgress called with the sent share, 0 to 1
 * @returns {Promise<{uuid: string, name: string, size: number, mimeType: string}>}
 * @throws Refused, Unreachable, or the signal's reason
 */
export function uploadFile(file, place, { signal, onProgress }) {
  return file.size > DIRECT_BYTES
    ? uploadToStore(file, place, { signal, onProgress })
    : uploadDirectly(file, place, { signal, onProgress });
}

async function uploadDirectly(file, { url, blockId, organizationId }, { signal, onProgress }) {
  const form = formOf({ blockId, organizationId, file });
  const answer = await untilAnswered(() => postForm(url, form, { signal, onProgress }), options(signal));
  return recordIn(answer).data;
}

async function uploadToStore(file, { url, blockId, organizationId }, { signal, onProgress }) {
  const { name, size } = file;
  const body = JSON.stringify({ blockId, organizationId, name, size, mimeType: typeOf(file) });
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
  const { data, upload } = recordIn(await sendUntilAnswered(url, init, options(signal)));
  // The file must be last, because S3 ignores fields after the file.
  const form = formOf({ ...upload.fields, file });
  const stored = await untilAnswered(() => postForm(upload.url, form, { signal, onProgress }), options(signal));
  if (stored.status >= 300) throw new Refused(0);
  return data;
}

/** A 429 is not retried, because the visitor sees how long to wait. */
const options = (signal) => ({ signal, attempts: ATTEMPTS, isFinal: ({ status }) => status < 500 });

function recordIn({ status, body, retryAfterMs }) {
  if (status >= 300) throw new Refused(status, retryAfterMs);
  return body;
}

const typeOf = ({ name, type }) => type || TYPES[name.split('.').at(-1).toLowerCase()] || 'application/octet-stream';

function formOf(parts) {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value);
  return form;
}

/** Sends a form once. Uses XMLHttpRequest, because `fetch` reports no upload progress. */
function postForm(url, form, { signal, onProgress }) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    let watch;
    const moves = () => {
      clearTimeout(watch);
      watch = setTimeout(() => request.abort(), STALLED_MS);
    };
    const abort = () => request.abort();
    request.upload.onprogress = ({ loaded, total }) => {
      moves();
      onProgress(total > 0 ? loaded / total : 0);
    };
    request.onloadend = () => {
      clearTimeout(watch);
      signal.removeEventListener('abort', abort);
      resolve(answerOf(request));
    };
    request.open('POST', url);
    moves();
    onProgress(0);
    request.send(form);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}

function answerOf(request) {
  if (request.status === 0) return undefined;
  // Reads the header only for a 429, because browsers log an error for a header that the other origin does not expose.
  const retryAfterMs = request.status === 429 ? retryAfterMsOf(request.getResponseHeader('Retry-After')) : 0;
  try {
    return { status: request.status, body: JSON.parse(request.responseText), retryAfterMs };
  } catch {
    return { status: request.status, body: {}, retryAfterMs };
  }
}
