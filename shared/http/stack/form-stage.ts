import type * as z from 'zod/mini';
import { formBoundary } from '../multipart/form-boundary.ts';
import type { FormFile } from '../multipart/read-form.ts';
import { Problem } from '../problem.ts';
import { bodyStage, JSON_BODY_BYTES_MAX } from './body-stage.ts';
import type { StackEvent } from './frame.ts';
import { parseAs } from './parse-stage.ts';
import type { Stage } from './stage.ts';

const FORM_TYPE = /^multipart\/form-data(?:[\s;]|$)/i;
const NO_TYPE = 'The Content-Type must be multipart/form-data or application/json.';
const NOT_BINARY = 'The Content-Type multipart/form-data must be written in lower case.';

type FormOperation = {
  route: string;
  request: { form: z.ZodMiniObject; body: z.ZodMiniType };
  limits: { formBytesMax: number; fileBytesMax: number };
};

/** 413 before any other check, for a form or for its JSON variant. */
export function formLimitStage({ route, limits: { formBytesMax, fileBytesMax } }: FormOperation): Stage {
  return {
    before: ({ event }) => {
      const [bytesMax, sentence] = isForm(event)
        ? [formBytesMax, tooLarge(route, fileBytesMax)]
        : [JSON_BODY_BYTES_MAX, `The body must have at most ${JSON_BODY_BYTES_MAX} bytes.`];
      if (bytesOf(event) > bytesMax) throw new Problem(413, sentence);
    },
  };
}

/**
 * Reads the body and parses it as declared: `{ form }` for a form, `{ json }` for its JSON variant. 415 for another
 * Content-Type and for none, 400 for what is malformed; 413 for a file over its limit before its fields are looked at.
 */
export function formStage({ route, request: { form, body }, limits: { fileBytesMax } }: FormOperation): Stage {
  const json = bodyStage('json', 'removed');
  const texts = Object.keys(form.shape).filter((name) => name !== 'file');
  return {
    before: async (request) => {
      const { event } = request;
      const contentType = event.frame.headers['content-type'];
      if (!contentType) throw new Problem(415, NO_TYPE);
      const boundary = formBoundary(contentType);
      if (boundary !== undefined) {
        refuseReplacedBytes(event);
        // The parser is for those who send a form.
        const { readForm } = await import('../multipart/read-form.ts');
        const parts = await readForm(takeBytes(event), boundary, texts);
        if (parts.file.content.length > fileBytesMax) throw new Problem(413, tooLarge(route, fileBytesMax));
        event.frame.body = { form: parseAs(form, withoutNul(parts), 'body') };
        return;
      }
      event.frame.rawBody = takeBytes(event).toString();
      event.body = event.frame.rawBody;
      event.isBase64Encoded = false;
      await json.before?.(request);
      event.frame.body = { json: parseAs(body, event.frame.body, 'body') };
    },
  };
}

/**
 * API Gateway compares its binary media type by case and reads a form under any other spelling as UTF-8: bytes that are not
 * UTF-8 arrive as U+FFFD, and the file is lost.
 */
function refuseReplacedBytes({ body, isBase64Encoded }: StackEvent): void {
  if (!isBase64Encoded && typeof body === 'string' && body.includes('\uFFFD')) throw new Problem(415, NOT_BINARY);
}

const tooLarge = (route: string, bytesMax: number): string =>
  `A file in a form must have at most ${bytesMax} bytes. Announce a larger file as JSON: ${route} with Content-Type application/json.`;

const isForm = ({ frame }: StackEvent): boolean => FORM_TYPE.test(frame.headers['content-type'] ?? '');

/** Without decoding it: four characters of base64 stand for three bytes. */
function bytesOf({ body, isBase64Encoded }: StackEvent): number {
  if (typeof body !== 'string') return 0;
  return Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
}

/** The body's bytes; its text is let go of, so that a large one is held once. */
function takeBytes(event: StackEvent): Buffer {
  const { body, isBase64Encoded } = event;
  event.body = null;
  return typeof body === 'string' ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : Buffer.alloc(0);
}

function withoutNul({ file, ...texts }: { file: FormFile } & Record<string, unknown>): Record<string, unknown> {
  const cleaned = Object.entries(texts).map(([name, text]) => [name, String(text).replaceAll('\0', '')]);
  return { ...Object.fromEntries(cleaned), file };
}
