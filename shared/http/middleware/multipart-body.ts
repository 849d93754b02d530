import type * as z from 'zod/mini';
import { HttpError } from '../errors.ts';
import { parseBoundary } from '../multipart/boundary.ts';
import type { FormFile } from '../multipart/parse-multipart.ts';
import { JSON_BODY_BYTES_MAX, parseJsonBody } from './json-body.ts';
import type { Middleware } from './middleware.ts';
import type { MiddlewareEvent } from './request-context.ts';
import { parseOrBadRequest } from './request-validation.ts';

const FORM_TYPE = /^multipart\/form-data(?:[\s;]|$)/i;
const NO_TYPE = 'The Content-Type must be multipart/form-data or application/json.';
const NOT_BINARY = 'The Content-Type multipart/form-data must be written in lower case.';

type FormOperation = {
  route: string;
  request: { form: z.ZodMiniObject; body: z.ZodMiniType };
  limits: { formBytesMax: number; fileBytesMax: number };
};

/** 413 before any other check, for a form or for its JSON variant. */
export function limitMultipartBody({ route, limits: { formBytesMax, fileBytesMax } }: FormOperation): Middleware {
  return {
    before: ({ event }) => {
      const [bytesMax, sentence] = isForm(event)
        ? [formBytesMax, tooLarge(route, fileBytesMax)]
        : [JSON_BODY_BYTES_MAX, `The body must have at most ${JSON_BODY_BYTES_MAX} bytes.`];
      if (bytesOf(event) > bytesMax) throw new HttpError(413, sentence);
    },
  };
}

/**
 * Reads the body and parses it as declared: `{ form }` for a form, `{ json }` for its JSON variant. 415 for another
 * Content-Type and for none, 400 for what is malformed; 413 for a file over its limit before its fields are looked at.
 */
export function parseMultipartBody({
  route,
  request: { form, body },
  limits: { fileBytesMax },
}: FormOperation): Middleware {
  const json = parseJsonBody('json', 'removed');
  const texts = Object.keys(form.shape).filter((name) => name !== 'file');
  return {
    before: async (request) => {
      const { event } = request;
      const contentType = event.context.headers['content-type'];
      if (!contentType) throw new HttpError(415, NO_TYPE);
      const boundary = parseBoundary(contentType);
      if (boundary !== undefined) {
        refuseReplacedBytes(event);
        // The parser is for those who send a form.
        const { parseMultipart: readForm } = await import('../multipart/parse-multipart.ts');
        const parts = await readForm(takeBytes(event), boundary, texts);
        if (parts.file.content.length > fileBytesMax) throw new HttpError(413, tooLarge(route, fileBytesMax));
        event.context.body = { form: parseOrBadRequest(form, stripNulFromFields(parts), 'body') };
        return;
      }
      event.context.rawBody = takeBytes(event).toString();
      event.body = event.context.rawBody;
      event.isBase64Encoded = false;
      await json.before?.(request);
      event.context.body = { json: parseOrBadRequest(body, event.context.body, 'body') };
    },
  };
}

/**
 * API Gateway compares its binary media type by case and reads a form under any other spelling as UTF-8: bytes that are not
 * UTF-8 arrive as U+FFFD, and the file is lost.
 */
function refuseReplacedBytes({ body, isBase64Encoded }: MiddlewareEvent): void {
  if (!isBase64Encoded && typeof body === 'string' && body.includes('\uFFFD')) throw new HttpError(415, NOT_BINARY);
}

const tooLarge = (route: string, bytesMax: number): string =>
  `A file in a form must have at most ${bytesMax} bytes. Announce a larger file as JSON: ${route} with Content-Type application/json.`;

const isForm = ({ context: frame }: MiddlewareEvent): boolean => FORM_TYPE.test(frame.headers['content-type'] ?? '');

/** Without decoding it: four characters of base64 stand for three bytes. */
function bytesOf({ body, isBase64Encoded }: MiddlewareEvent): number {
  if (typeof body !== 'string') return 0;
  return Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
}

/** The body's bytes; its text is let go of, so that a large one is held once. */
function takeBytes(event: MiddlewareEvent): Buffer {
  const { body, isBase64Encoded } = event;
  event.body = null;
  return typeof body === 'string' ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : Buffer.alloc(0);
}

function stripNulFromFields({ file, ...texts }: { file: FormFile } & Record<string, unknown>): Record<string, unknown> {
  const cleaned = Object.entries(texts).map(([name, text]) => [name, String(text).replaceAll('\0', '')]);
  return { ...Object.fromEntries(cleaned), file };
}
