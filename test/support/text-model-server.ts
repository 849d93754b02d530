import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

/** How the server responds. By default, it streams `deltas` and reports their usage. */
export type ModelAnswer = {
  /** With a status other than 200, the response is an error with the body `said`. */
  status?: number;
  said?: string;
  deltas?: Iterable<string>;
  /** Null: the server reports no usage. */
  usage?: { input: number; output: number } | null;
  /** The finish reason. Null: the server sends none. */
  finish?: string | null;
  firstDelayMs?: number;
  betweenMs?: number;
  /**
   * What happens instead of the delta with the index `delta`, counted from 0. With `reset`, bytes that the client has
   * not read yet are lost.
   */
  at?: { delta: number; happens: 'silence' | 'end' | 'cut' | 'reset' | 'error' | 'garbage' };
  /** Whether the stream ends without its end marker. */
  unended?: boolean;
  /** Splits each message into the chunks that are written. By default, a message is one chunk. */
  cut?: (bytes: Buffer) => Buffer[];
};

export type ModelCall = {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** `performance.now()` when the first delta was written. */
  firstAt?: number;
  bytesWritten: number;
  /** Resolves when the connection is closed: `answered` if the response was completed, `left` otherwise. */
  over: Promise<'answered' | 'left'>;
};

/**
 * Starts an HTTP server with OpenAI's chat completions below `/v1` and Bedrock's ConverseStream below `/model`. If a
 * ConverseStream request has a tool, the server sends `deltas` as the input of a tool call.
 */
export async function startTextModelServer() {
  let answers: (call: ModelCall) => ModelAnswer = () => ({ deltas: ['Hello', ' there'] });
  const calls: ModelCall[] = [];
  const server = createServer((request, response) => {
    void receive(request, response).then((call) => {
      calls.push(call);
      return respond(call, answers(call), response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    calls,
    answer: (given: ModelAnswer | typeof answers) => {
      answers = typeof given === 'function' ? given : () => given;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<ModelCall> {
  const over = new Promise<'answered' | 'left'>((resolve) => {
    response.once('close', () => resolve(response.writableFinished ? 'answered' : 'left'));
  });
  let text = '';
  for await (const bytes of request.setEncoding('utf8')) text += bytes;
  return { path: request.url ?? '', headers: request.headers, body: JSON.parse(text), bytesWritten: 0, over };
}

async function respond(call: ModelCall, answer: ModelAnswer, response: ServerResponse): Promise<void> {
  const { status = 200, said = '', cut = (bytes) => [bytes], firstDelayMs = 0, betweenMs = 0, at } = answer;
  const speech = speechOf(call);
  if (status !== 200) {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(said);
    return;
  }
  const write = async (bytes: Buffer) => {
    for (const piece of cut(bytes)) {
      call.bytesWritten += piece.length;
      if (!response.write(piece)) await roomIn(response);
      if (cut === answer.cut) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  response.writeHead(200, { 'Content-Type': speech.type }).flushHeaders();
  await sleep(firstDelayMs);
  let index = 0;
  for (const delta of answer.deltas ?? []) {
    if (response.destroyed) return;
    if (at?.delta === index) return happen(at.happens, speech, response);
    if (index++ > 0 && betweenMs > 0) await sleep(betweenMs);
    call.firstAt ??= performance.now();
    await write(speech.delta(delta));
  }
  if (at?.delta === index) return happen(at.happens, speech, response);
  if (answer.finish !== null) await write(speech.finish(answer.finish ?? speech.stop));
  const { usage = { input: 12, output: index } } = answer;
  if (usage !== null) await write(speech.usage(usage));
  response.end(answer.unended ? '' : speech.end);
}

function speechOf({ path, body }: ModelCall): Speech {
  if (path.startsWith('/v1/')) return OPENAI;
  return 'toolConfig' in body ? BEDROCK_TOOL : BEDROCK;
}

/** Waits until the response accepts more bytes or the client has disconnected. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

type Speech = {
  type: string;
  stop: string;
  delta(text: string): Buffer;
  finish(reason: string): Buffer;
  usage(usage: { input: number; output: number }): Buffer;
  error: Buffer;
  garbage: Buffer;
  end: string;
};

function happen(what: NonNullable<ModelAnswer['at']>['happens'], speech: Speech, response: ServerResponse): void {
  if (what === 'silence') return;
  if (what === 'reset') response.socket?.resetAndDestroy();
  // The bytes that were written still arrive, and the body is truncated.
  else if (what === 'cut') response.socket?.destroySoon();
  else if (what === 'error') response.end(speech.error);
  else if (what === 'garbage') response.end(speech.garbage);
  else response.end();
}

const sse = (data: unknown) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
const chunk = (choices: unknown[], more: object = {}) =>
  sse({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more });

const OPENAI: Speech = {
  type: 'text/event-stream',
  stop: 'stop',
  delta: (content) => chunk([{ index: 0, delta: { content }, finish_reason: null }]),
  finish: (reason) => chunk([{ index: 0, delta: {}, finish_reason: reason }]),
  usage: ({ input, output }) =>
    chunk([], { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } }),
  error: sse({ error: { message: 'the prompt was: {{prompt}}', type: 'server_error' } }),
  garbage: Buffer.from('data: {"choices": [\n\n'),
  end: 'data: [DONE]\n\n',
};

/** Encodes a message in AWS's event stream encoding: prelude, headers, payload and two CRC-32 checksums. */
function eventStreamMessage(headers: Record<string, string>, payload: unknown): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const bytes = Buffer.alloc(4 + name.length + Buffer.byteLength(value));
      bytes.writeUInt8(name.length, 0);
      bytes.write(name, 1);
      bytes.writeUInt8(7, 1 + name.length);
      bytes.writeUInt16BE(Buffer.byteLength(value), 2 + name.length);
      bytes.write(value, 4 + name.length);
      return bytes;
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const checked = Buffer.concat([prelude, crcOf(prelude), head, body]);
  return Buffer.concat([checked, crcOf(checked)]);
}

function crcOf(bytes: Buffer): Buffer {
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(bytes), 0);
  return crc;
}

const event = (type: string, payload: unknown) =>
  eventStreamMessage({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload);

const BEDROCK: Speech = {
  type: 'application/vnd.amazon.eventstream',
  stop: 'end_turn',
  delta: (text) => event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
  finish: (stopReason) => event('messageStop', { stopReason }),
  usage: ({ input, output }) =>
    event('metadata', {
      usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
      metrics: { latencyMs: 5 },
    }),
  error: eventStreamMessage(
    {
      ':exception-type': 'modelStreamErrorException',
      ':content-type': 'application/json',
      ':message-type': 'exception',
    },
    { message: 'the prompt was: {{prompt}}' },
  ),
  garbage: Buffer.from([0, 0, 0, 40, 0, 0, 0, 0, 1, 2, 3, 4, ...Array<number>(28).fill(9)]),
  end: '',
};

/** If a model must call a tool, its output is the input of the tool call. */
const BEDROCK_TOOL: Speech = {
  ...BEDROCK,
  stop: 'tool_use',
  delta: (input) => event('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input } } }),
};
