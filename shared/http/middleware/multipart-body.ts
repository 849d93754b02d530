import type * as z from 'zod/mini';
import { HttpError } from '../errors.ts';
import { parseBoundary } from '../multipart/boundary.ts';
import type { FormFile } from '../multipart/parse-multipart.ts';
import { isJsonType, JSON_BODY_BYTES_MAX, parseJsonBody } from './json-body.ts';
import type { Middleware, MiddlewareEvent } from './middleware.ts';
import { parseOrBadRequest } from './request-validation.ts';

const FORM_TYPE = /^multipart\/form-data(?:[\s;]|$)/i;

type FormOperation = {
  route: string;
  request: { form: z.ZodMiniObject; body: z.ZodMiniType };
  limits: { formBytesMax: number; fileBytesMax: number };
};

/** Responds with 413 to a form over `formBytesMax`, or another body over the limit of JSON. Runs first. */
export function limitMultipartBody({ route, limits: { formBytesMax, fileBytesMax } }: FormOperation): Middleware {
  return {
    before: ({ event }) => {
      const [bytesMax, message] = isForm(event)
        ? [formBytesMax, `A form must have at most ${formBytesMax} bytes. ${fileTooLarge(route, fileBytesMax)}`]
        : [JSON_BODY_BYTES_MAX, `The body must have at most ${JSON_BODY_BYTES_MAX} bytes.`];
      if (bodySize(event) > bytesMax) throw new HttpError(413, message);
    },
  };
}

/**
 * Parses the body as declared: `{ form }` for a form, `{ json }` for the JSON variant of the form. Responds with 415 to
 * a wrong or missing Content-Type, with 400 to a malformed body, and with 413 to a file over its limit. The size of the
 * file is checked before the schema of the form.
 */
export function parseMultipartBody({
  route,
  request: { form, body },
  limits: { fileBytesMax },
}: FormOperation): Middleware {
  const jsonParser = parseJsonBody('json', 'strip_nul');
  const textNames = Object.keys(form.shape).filter((name) => name !== 'file');
  return {
    before: async (request) => {
      const { event } = request;
      const contentType = event.requestState.headers['content-type'];
      const boundary = contentType === undefined ? undefined : parseBoundary(contentType);
      if (boundary !== undefined) {
        rejectReplacedBytes(event);
        // Loaded on demand, because requests with the JSON variant don't need the parser.
        const { parseMultipart } = await import('../multipart/parse-multipart.ts');
        const parts = await parseMultipart(takeBodyBytes(event), boundary, textNames);
        if (parts.file.content.length > fileBytesMax) throw new HttpError(413, fileTooLarge(route, fileBytesMax));
        event.requestState.body = { form: parseOrBadRequest(form, stripNulFromFields(parts), 'body') };
        return;
      }
      if (contentType === undefined || !isJsonType(contentType)) {
        throw new HttpError(415, 'The Content-Type must be multipart/form-data or application/json.');
      }
      event.requestState.rawBody = takeBodyBytes(event).toString();
      event.body = event.requestState.rawBody;
      event.isBase64Encoded = false;
      await jsonParser.before?.(request);
      event.requestState.body = { json: parseOrBadRequest(body, event.requestState.body, 'body') };
    },
  };
}

/**
 * Responds with 415 to a form in which API Gateway has replaced bytes. API Gateway compares binary media types
 * case-sensitively. If the Content-Type contains capital letters, such as `Multipart/Form-Data`, API Gateway decodes
 * the body as UTF-8. Bytes that are not UTF-8 then become U+FFFD, and the file is corrupted.
 */
function rejectReplacedBytes({ body, isBase64Encoded }: MiddlewareEvent): void {
  if (!isBase64Encoded && typeof body === 'string' && body.includes('\uFFFD')) {
    throw new HttpError(415, 'The Content-Type multipart/form-data must be written in lower case.');
  }
}

const fileTooLarge = (route: string, bytesMax: number): string =>
  `A file in a form must have at most ${bytesMax} bytes. Announce a larger file with JSON: ${route} with Content-Type application/json.`;

const isForm = ({ requestState }: MiddlewareEvent): boolean =>
  FORM_TYPE.test(requestState.headers['content-type'] ?? '');

/** Returns the size of the body in bytes, without decoding base64. */
function bodySize({ body, isBase64Encoded }: MiddlewareEvent): number {
  if (typeof body !== 'string') return 0;
  return Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
}

/** Returns the bytes of the body and releases its text, so that a large body is in memory only once. */
function takeBodyBytes(event: MiddlewareEvent): Buffer {
  const { body, isBase64Encoded } = event;
  event.body = null;
  return typeof body === 'string' ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : Buffer.alloc(0);
}

function stripNulFromFields({ file, ...texts }: { file: FormFile } & Record<string, unknown>): Record<string, unknown> {
  const stripped = Object.entries(texts).map(([name, text]) => [name, String(text).replaceAll('\0', '')]);
  return { ...Object.fromEntries(stripped), file };
}
