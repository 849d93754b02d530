import * as z from 'zod/mini';

type Handler = (...given: never[]) => unknown;

/** Key in `globalThis`. A process can load this module several times, and all copies must share their records. */
const STATE_KEY = Symbol.for('tributary.function-io');

function recordedIo(): unknown[] {
  const holder: { [STATE_KEY]?: unknown[] } = globalThis as object;
  holder[STATE_KEY] ??= [];
  return holder[STATE_KEY];
}

/** Wraps a handler so that its input and its output are recorded. */
export const recordFunctionIo = <H extends Handler>(handler: H): H =>
  new Proxy(handler, {
    apply: (target, self, args) => {
      recordedIo().push(args[0]);
      const result: unknown = Reflect.apply(target, self, args);
      void Promise.resolve(result).then(
        (value) => recordedIo().push(value),
        () => undefined,
      );
      return result;
    },
  });

export const takeRecordedIo = (): unknown[] => recordedIo().splice(0);

const Texts = z.record(z.string(), z.optional(z.string()));
const Request = z.object({
  headers: Texts,
  queryStringParameters: z.nullable(Texts),
  multiValueQueryStringParameters: z.nullable(z.record(z.string(), z.optional(z.array(z.string())))),
  pathParameters: z.nullable(Texts),
  requestContext: z.object({ identity: z.object({ sourceIp: z.string() }) }),
  body: z.nullable(z.string()),
  isBase64Encoded: z.boolean(),
});
const Answer = z.object({ statusCode: z.number(), body: z.string() });
const Records = z.object({ Records: z.array(z.object({ kinesis: z.object({ data: z.string() }) })) });

/** Headers that contain no personal data. */
const TECHNICAL: ReadonlySet<string> = new Set(['content-type', 'content-length', 'accept']);

/**
 * Finds texts that may be personal data in the input and output of functions: in requests (except technical headers),
 * in bodies of successful responses, and in stream records.
 */
export function* extractPersonalTexts(given: readonly unknown[]): Generator<string> {
  for (const one of given) {
    const request = Request.safeParse(one);
    yield* request.success ? requestTexts(request.data) : otherTexts(one);
  }
}

function* requestTexts(request: z.infer<typeof Request>): Generator<string> {
  const { headers, queryStringParameters, multiValueQueryStringParameters, pathParameters, requestContext } = request;
  for (const [name, value] of Object.entries(headers)) if (!TECHNICAL.has(name.toLowerCase())) yield* leaves(value);
  yield* leaves([queryStringParameters, multiValueQueryStringParameters, requestContext.identity.sourceIp]);
  yield* leaves(Object.values(pathParameters ?? {}));
  const { body, isBase64Encoded } = request;
  if (body !== null) yield* bodyTexts(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
}

function* otherTexts(given: unknown): Generator<string> {
  const answer = Answer.safeParse(given);
  if (answer.success && answer.data.statusCode < 300) yield* bodyTexts(answer.data.body);
  const records = Records.safeParse(given);
  for (const { kinesis } of records.data?.Records ?? [])
    yield* bodyTexts(Buffer.from(kinesis.data, 'base64').toString());
}

/** Returns the names and values of JSON (one document, or one per line), or the lines and quoted texts of a form. */
function* bodyTexts(body: string): Generator<string> {
  const whole = parsed(body);
  if (whole !== undefined) return yield* leaves(whole);
  for (const line of body.split(/\r?\n/, 1_000)) {
    const value = parsed(line);
    if (value !== undefined) yield* leaves(value);
    else yield* [line, ...Array.from(line.matchAll(/"([^"]*)"/g), ([, quoted = '']) => quoted)];
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Finds all texts and numbers in a value, including names and the query values of URLs. */
function* leaves(value: unknown): Generator<string> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') yield* withQuery(one);
    else if (typeof one === 'object' && one !== null) {
      for (const [name, inner] of Object.entries(one)) {
        if (!Array.isArray(one)) yield name;
        left.push(inner);
      }
    } else if (typeof one === 'number') yield String(one);
  }
}

function* withQuery(text: string): Generator<string> {
  yield text;
  if (text.length < 2_048 && URL.canParse(text)) yield* new URL(text).searchParams.values();
}
