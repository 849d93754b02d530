import middyMultipartParser from '@middy/http-multipart-body-parser';
import { HttpError } from '../errors.ts';
import { type MultipartPart, rejectBody, scanMultipart } from './scan-multipart.ts';

export type FormFile = { content: Buffer; name: string };

/** The file of a form and the texts of the requested parts. */
export type ParsedForm = { file: FormFile } & Record<string, unknown>;

const TEXT_BYTES_MAX = 200;

/**
 * Parses a form with one file, in the part `file`, and exactly one part for each name in `texts`. The order of the
 * parts does not matter. Ignores other text parts.
 *
 * @param body must not be used afterwards, because the result refers to its memory
 * @throws HttpError 400 that names the defect
 */
export async function parseMultipart(body: Buffer, boundary: string, texts: readonly string[]): Promise<ParsedForm> {
  const { bytes, parts } = scanMultipart(body, boundary);
  const filePart = onlyFile(parts);
  for (const name of texts) requireOneText(parts, name);
  const parsed = await parse(bytes, boundary);
  const file = parsed.file;
  // If the parser disagrees with the scan, the body is ambiguous, so it is rejected.
  if (!isParsedFile(file) || file.content.length !== filePart.end - filePart.start)
    return rejectBody('body must be valid multipart/form-data (RFC 7578)');
  const read = texts.map((name) => [name, parsed[name]] as const);
  return { ...Object.fromEntries(read), file: { content: file.content, name: file.filename } };
}

function onlyFile(parts: readonly MultipartPart[]): MultipartPart {
  const [file, ...others] = parts.filter(({ isFile }) => isFile);
  if (file?.name !== 'file' || others.length > 0) {
    return rejectBody('body must contain exactly one file, in a part named file with a filename');
  }
  // The parser treats a name that ends with a bracket as a list, and some of these names crash the process.
  if (parts.some(({ name }) => name.endsWith(']')))
    rejectBody('The name of a part of body must not end with a bracket');
  if (parts.some(({ name }) => name.length > NAME_CHARACTERS_MAX))
    rejectBody(`The name of a part of body must have at most ${NAME_CHARACTERS_MAX} characters`);
  if (parts.filter(({ name }) => name === 'file').length > 1) rejectBody('body.file must not be repeated');
  return file;
}

function requireOneText(parts: readonly MultipartPart[], name: string): void {
  const [part, ...others] = parts.filter((one) => one.name === name);
  if (part === undefined) throw new HttpError(400, `body.${name} is required.`);
  if (others.length > 0) throw new HttpError(400, `body.${name} must not be repeated.`);
  if (part.end - part.start > TEXT_BYTES_MAX) {
    throw new HttpError(400, `body.${name} must have at most ${TEXT_BYTES_MAX} bytes.`);
  }
}

const NAME_CHARACTERS_MAX = 100;

type Parsed = Record<string, unknown>;
type ParserRequest = { event: { headers: Record<string, string>; body: unknown; isBase64Encoded: boolean } };

const parser = middyMultipartParser({
  disableContentTypeCheck: true,
  busboy: {
    // A part with a file name is a file, as in `scanMultipart`. The parser's default rule also depends on the content
    // type.
    isPartAFile: (_name: string | undefined, _type: string | undefined, filename: string | undefined) =>
      filename !== undefined,
    limits: { fieldSize: TEXT_BYTES_MAX },
  },
}).before as unknown as (request: ParserRequest) => Promise<void>;

/** Runs middy's parser. Quotes the boundary, because some boundaries that RFC 2046 allows are valid only in quotes. */
async function parse(bytes: Buffer, boundary: string): Promise<Parsed> {
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const request: ParserRequest = { event: { headers, body: bytes, isBase64Encoded: false } };
  try {
    await parser(request);
  } catch {
    // The error is dropped because its cause contains the whole body.
    return rejectBody('body must be valid multipart/form-data (RFC 7578)');
  }
  return request.event.body as Parsed;
}

const isParsedFile = (value: unknown): value is { content: Buffer; filename: string } =>
  typeof value === 'object' &&
  value !== null &&
  Buffer.isBuffer(Reflect.get(value, 'content')) &&
  typeof Reflect.get(value, 'filename') === 'string';
