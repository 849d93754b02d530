import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { WithPrelude } from '../../../infra/local/lambda/globals.ts';

/** The complete interface of the stream that Lambda passes to a handler: it is not a `Writable`. */
const METHODS = [
  ...(['cork', 'destroy', 'end', 'uncork', 'write'] as const),
  ...(['addListener', 'on', 'once', 'prependListener', 'prependOnceListener'] as const),
  ...(['off', 'removeListener', 'removeAllListeners', 'setMaxListeners', 'getMaxListeners'] as const),
  ...(['listeners', 'rawListeners', 'listenerCount', 'eventNames', 'emit'] as const),
];
const STATES = [
  ...(['destroyed', 'writableFinished', 'writableObjectMode', 'writableNeedDrain'] as const),
  ...(['writableHighWaterMark', 'writableCorked', 'writableLength', 'writable'] as const),
];

/** The part of it that the runtime itself uses. */
export type ResponseStream = WithPrelude & { readonly writableEnded: boolean };

/** The trailers that report a handler's failure after its first byte. */
const ERROR_TYPE = 'Lambda-Runtime-Function-Error-Type';
const ERROR_BODY = 'Lambda-Runtime-Function-Error-Body';

type Options = { hostname: string; port: number; path: string; agent: Agent };

/** Opens the response of a streaming invocation: everything written is sent immediately, in chunks. */
export function openResponse(options: Options) {
  const headers = {
    'Lambda-Runtime-Function-Response-Mode': 'streaming',
    'Content-Type': 'application/octet-stream',
    'Transfer-Encoding': 'chunked',
    Trailer: [ERROR_TYPE, ERROR_BODY],
  };
  let resolve: (answer: IncomingMessage) => void;
  const taken = new Promise<IncomingMessage>((done) => {
    resolve = done;
  });
  const inner = request({ ...options, method: 'POST', headers }, (answer) => {
    answer.resume().once('end', () => resolve(answer));
  });
  return {
    stream: handedOut(inner),
    /** Resolves when the API has received the last byte. */
    taken,
    fail: (errorType: string, error: unknown) => {
      inner.addTrailers({
        [ERROR_TYPE]: errorType,
        [ERROR_BODY]: Buffer.from(JSON.stringify(error)).toString('base64'),
      });
      inner.end();
    },
  };
}

function handedOut(inner: ClientRequest): ResponseStream {
  let begun = false;
  const write = inner.write.bind(inner);
  const stream: ResponseStream = {
    setContentType: (type) => {
      if (begun) throw new Error('Cannot set content-type, too late.');
      inner.setHeader('Content-Type', type);
    },
    get writableEnded() {
      return inner.writableEnded;
    },
  };
  Object.assign(inner, {
    write: (chunk: unknown, ...rest: unknown[]) => {
      if (!begun) stream._onBeforeFirstWrite?.((bytes) => void write(bytes));
      begun = true;
      const bytes = typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk : JSON.stringify(chunk);
      return Reflect.apply(write, inner, [bytes, ...rest]);
    },
  });
  for (const name of METHODS) Object.assign(stream, { [name]: Reflect.get(inner, name).bind(inner) });
  for (const name of STATES) Object.defineProperty(stream, name, { get: () => Reflect.get(inner, name) });
  return stream;
}
