import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FUNCTION_FILE_BYTES_MAX } from '../../../shared/uploads/upload.ts';
import { UploadError, uploadFile } from '../../../web/page-client/upload.ts';
import { advance, createFunnelStub, settle, usePage } from './part-world.ts';

const page = usePage();

type Response = { status: number; body?: unknown; retryAfter?: string };
/** `parts`: the parts of a form. For another body, `json` is the text and `type` the media type. */
type Request = { url: string; parts: [string, FormDataEntryValue][]; type: string; json: Promise<string> };
/** `hangs`: nothing happens after half of the body. `is silent`: nothing happens at all. */
type Answer = Response | 'breaks' | 'hangs' | 'is silent';

const requests: Request[] = [];
/** The responses to the next requests. The last response is repeated. A function chooses a response by the request. */
let responses: (Answer | ((request: Request) => Answer))[] = [];
/** The time between two steps of a request. */
let stepMs = 50;
let aborts = 0;
let headersRead = 0;

/** Sends half of a body, then the rest, then gets the response. */
class FakeXmlHttpRequest {
  status = 0;
  responseText = '';
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  onloadend?: () => void;
  #url = '';
  #retryAfter: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  open(method: string, url: string) {
    expect(method).toBe('POST');
    this.#url = url;
  }

  send(body: FormData | Blob) {
    const [form, blob] = body instanceof FormData ? [body, new Blob()] : [new FormData(), body];
    const request = { url: this.#url, parts: [...form], type: blob.type, json: blob.text() };
    requests.push(request);
    const next = responses.length > 1 ? responses.shift() : responses[0];
    const answer = typeof next === 'function' ? next(request) : (next ?? 'hangs');
    if (answer === 'is silent') return;
    this.#after(() => {
      this.upload.onprogress?.({ loaded: 1, total: 2 });
      if (answer === 'hangs') return;
      this.#after(() => {
        this.upload.onprogress?.({ loaded: 2, total: 2 });
        this.#after(() => this.#end(answer));
      });
    });
  }

  abort() {
    aborts += 1;
    clearTimeout(this.#timer);
    this.#end('breaks');
  }

  getResponseHeader(name: string): string | null {
    headersRead += 1;
    return (name === 'Retry-After' && this.#retryAfter) || null;
  }

  #after(run: () => void) {
    this.#timer = setTimeout(run, stepMs);
  }

  #end(answer: Answer) {
    if (typeof answer === 'object') {
      this.status = answer.status;
      this.responseText = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '');
      this.#retryAfter = answer.retryAfter;
    }
    this.onloadend?.();
  }
}

beforeEach(() => {
  requests.length = 0;
  stepMs = 50;
  aborts = 0;
  headersRead = 0;
  vi.stubGlobal('XMLHttpRequest', FakeXmlHttpRequest);
});
afterEach(() => expect(vi.getTimerCount()).toBe(0));

const RECORD = { uuid: 'u-1', name: 'roof.png', size: 3, mimeType: 'image/png', storagePath: 'o/b/u-1.png' };
const STORED: Response = { status: 200, body: { data: RECORD } };
const error = (status: number, code: string, retryAfter?: string): Response => ({
  status,
  body: { error: { code, message: 'A message.' } },
  ...(retryAfter && { retryAfter }),
});
const API_URL = 'https://api.example/api/v2/public/funnel/upload';
const STORE_URL = 'https://store.example/';
const announced = (expiresInMs = 900_000): Response => {
  const upload = { url: STORE_URL, fields: { key: 'k', policy: 'p' }, expiresAt: new Date(Date.now() + expiresInMs) };
  return { status: 200, body: { data: RECORD, upload } };
};

const fileOf = (bytes: number, name = 'roof.png', type = 'image/png') =>
  new File([new Uint8Array(bytes)], name, { type });
const LARGE = FUNCTION_FILE_BYTES_MAX + 1;

function upload(file: File, signal?: AbortSignal) {
  const shares: number[] = [];
  const target = { organizationId: 'o', blockId: 'b', signal, onProgress: (share: number) => void shares.push(share) };
  return { shares, uploaded: uploadFile(createFunnelStub(), file, target) };
}

test('a file of 4 MiB is sent to the API as a form', async () => {
  responses = [STORED];
  const file = fileOf(FUNCTION_FILE_BYTES_MAX);
  const { shares, uploaded } = upload(file);
  expect(await settle(uploaded)).toEqual(RECORD);
  expect(shares).toEqual([0, 0.5, 1]);
  const [request] = requests;
  expect(request?.url).toBe(API_URL);
  expect(request?.parts).toEqual([
    ['organizationId', 'o'],
    ['blockId', 'b'],
    ['file', file],
  ]);
  expect(requests).toHaveLength(1);
});

test('a larger file is announced to the API, and then sent to S3 with the form from the API', async () => {
  responses = [announced(), { status: 204 }];
  const file = fileOf(LARGE);
  const { shares, uploaded } = upload(file);
  expect(await settle(uploaded)).toEqual(RECORD);
  expect(shares).toEqual([0, 0.5, 1]);
  const [announcement, form] = requests;
  expect([announcement?.url, form?.url]).toEqual([API_URL, STORE_URL]);
  expect(announcement?.type).toBe('application/json');
  const body = JSON.parse((await announcement?.json) ?? '');
  expect(body).toEqual({ organizationId: 'o', blockId: 'b', name: 'roof.png', size: LARGE, mimeType: 'image/png' });
  expect(form?.parts).toEqual([
    ['key', 'k'],
    ['policy', 'p'],
    ['file', file],
  ]);
});

test.each([
  ['IMG_1.HEIC', '', 'image/heic'],
  ['photo.webp', '', 'image/webp'],
  ['plan.pdf', 'application/pdf', 'application/pdf'],
  ['unknown', '', 'application/octet-stream'],
])('a file "%s" with the media type "%s" is announced with the media type %s', async (name, type, expected) => {
  responses = [announced(), { status: 204 }];
  await settle(upload(fileOf(LARGE, name, type)).uploaded);
  expect(JSON.parse((await requests[0]?.json) ?? '').mimeType).toBe(expected);
});

test.each([
  ['a lost connection', 'breaks'],
  ['503', error(503, 'service_unavailable')],
  ['a login page', { status: 200, body: '<html>Log in</html>' }],
] as [string, Answer][])('%s: the form is sent again, and the progress starts at 0 again', async (_what, answer) => {
  responses = [answer, answer, answer, STORED];
  const { shares, uploaded } = upload(fileOf(3));
  expect(await settle(uploaded)).toEqual(RECORD);
  expect(shares).toEqual([0, 0.5, 1, 0, 0.5, 1, 0, 0.5, 1, 0, 0.5, 1]);
});

test.each(['breaks' as Answer, error(503, 'service_unavailable')])(
  'after four attempts that end with %o, the upload fails with the code unreachable',
  async (answer) => {
    responses = [answer];
    const failure = { name: 'UploadError', code: 'unreachable' };
    await expect(settle(upload(fileOf(3)).uploaded)).rejects.toMatchObject(failure);
    expect(requests).toHaveLength(4);
  },
);

test('a retry starts as soon as the browser goes online', async () => {
  responses = ['breaks', STORED];
  const { uploaded } = upload(fileOf(3));
  await advance(160);
  page.goOnline();
  await advance(160);
  expect(await uploaded).toEqual(RECORD);
});

test.each([
  [400, 'bad_request'],
  [404, 'not_found'],
  [413, 'payload_too_large'],
  [415, 'unsupported_media_type'],
])('%i %s: the upload of a small or large file fails without a retry', async (status, code) => {
  responses = [error(status, code)];
  for (const bytes of [3, LARGE]) {
    const failed = await settle(upload(fileOf(bytes)).uploaded).catch((cause) => cause);
    expect(failed).toBeInstanceOf(UploadError);
    expect(failed).toMatchObject({ code, message: 'A message.', retryAfterMs: 0 });
  }
  expect(requests).toHaveLength(2);
  // Browsers log an error if a page reads a header that CORS does not expose.
  expect(headersRead).toBe(0);
});

test('429: the upload fails without a retry, and the error has the delay', async () => {
  responses = [error(429, 'rate_limited', '42')];
  const failed = { code: 'rate_limited', retryAfterMs: 42_000 };
  await expect(settle(upload(fileOf(3)).uploaded)).rejects.toMatchObject(failed);
  expect(requests).toHaveLength(1);
});

test('while the S3 form is valid, retries do not announce the file again', async () => {
  responses = [announced(), 'breaks', { status: 500 }, { status: 204 }];
  expect(await settle(upload(fileOf(LARGE)).uploaded)).toEqual(RECORD);
  expect(requests.map(({ url }) => url)).toEqual([API_URL, STORE_URL, STORE_URL, STORE_URL]);
});

test('when the S3 form has expired, a retry announces the file again', async () => {
  responses = [() => announced(200), 'breaks', () => announced(), { status: 204 }];
  expect(await settle(upload(fileOf(LARGE)).uploaded)).toEqual(RECORD);
  expect(requests.map(({ url }) => url)).toEqual([API_URL, STORE_URL, API_URL, STORE_URL]);
});

test('the upload of a large file fails if the API never returns a form for S3', async () => {
  responses = [STORED];
  await expect(settle(upload(fileOf(LARGE)).uploaded)).rejects.toMatchObject({ code: 'unreachable' });
});

test('if S3 responds with 403, the upload fails without a retry', async () => {
  responses = [announced(), { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }];
  await expect(settle(upload(fileOf(LARGE)).uploaded)).rejects.toMatchObject({ code: 'store_rejected' });
  expect(requests).toHaveLength(2);
});

test.each(['hangs', 'is silent'] as const)(
  'an attempt that %s is aborted after 30 seconds without progress, and retried',
  async (answer) => {
    responses = [answer, STORED];
    const { uploaded } = upload(fileOf(3));
    await advance(29_000);
    expect(aborts).toBe(0);
    await advance(1_100);
    expect(aborts).toBe(1);
    expect(await settle(uploaded)).toEqual(RECORD);
  },
);

test('a slow upload is not aborted while it makes progress', async () => {
  responses = [STORED];
  stepMs = 25_000;
  const { uploaded } = upload(fileOf(3));
  await advance(80_000);
  expect(await uploaded).toEqual(RECORD);
  expect([requests.length, aborts]).toEqual([1, 0]);
});

test('an abort before, during or between attempts ends the upload with the reason of the abort', async () => {
  const reason = new Error('The visitor cancelled.');
  await expect(upload(fileOf(3), AbortSignal.abort(reason)).uploaded).rejects.toBe(reason);
  expect(requests).toHaveLength(0);
  for (const [answer, ms] of [
    ['hangs', 60],
    ['breaks', 160],
  ] as const) {
    responses = [answer];
    const controller = new AbortController();
    const { uploaded } = upload(fileOf(3), controller.signal);
    await advance(ms);
    controller.abort(reason);
    await expect(uploaded).rejects.toBe(reason);
  }
  expect(requests).toHaveLength(2);
  expect(aborts).toBe(1);
});
