import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type LanguageModel, ModelError, type ModelPart, type ModelRequest } from '../language-model.ts';
import {
  capabilityParameters,
  INITIAL_OPENAI_CAPABILITIES,
  type OpenAiCapabilities,
  openAiFallbackFor,
} from './openai-capabilities.ts';
import { DONE, partsOf } from './openai-chunk.ts';
import { completionsUrl } from './openai-endpoint.ts';

type Settings = {
  baseUrl: string;
  /** The model where a request names none. */
  model: string;
  /** The key; undefined for a server that needs none. */
  apiKey: () => Promise<string | undefined>;
};

/** What an event may have at most, in characters: a server that never ends one must not fill the memory. */
const EVENT_CHARACTERS_MAX = 256 * 1024;
const REFUSAL_BYTES_MAX = 4_096;

/**
 * Any server that speaks OpenAI's chat completions as a stream: OpenAI itself, vLLM, Ollama, llama.cpp and many more.
 * What it costs is only known where the server tells.
 */
export function createOpenAiModel({ baseUrl, model, apiKey }: Settings): LanguageModel {
  const url = completionsUrl(baseUrl);
  // Kept only when it succeeded: a refusal may repeat a visitor's words.
  let dialect = INITIAL_OPENAI_CAPABILITIES;
  const ask = async (request: ModelRequest): Promise<ReadableStream<Uint8Array>> => {
    const key = await apiKey();
    const named = { ...request, model: request.model ?? model };
    for (let tried = dialect; ; ) {
      const answer = await post(url, key, bodyOf(named, tried), request.signal);
      if (answer.ok && answer.body !== null) {
        dialect = tried;
        return answer.body;
      }
      const other = openAiFallbackFor(tried, named, answer.status, await beginningOf(answer));
      if (other === undefined) throw refused(`The model's server answered ${answer.status}.`);
      tried = other;
    }
  };
  return {
    kind: 'model',
    async *stream(request) {
      yield* partsIn(await ask(request));
    },
  };
}

const refused = (sentence: string) => new ModelError(sentence, { billable: false });

function bodyOf(request: ModelRequest, dialect: OpenAiCapabilities) {
  const { system, prompt, model } = request;
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ],
    stream: true,
    ...capabilityParameters(request, dialect),
  });
}

/** Failures before a connection stands cost nothing. */
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

async function post(url: URL, key: string | undefined, body: string, signal: AbortSignal): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'text/event-stream',
    // Whoever compresses a stream also collects it.
    'Accept-Encoding': 'identity',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  };
  try {
    // A redirect would carry the prompt to where nobody configured.
    return await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  } catch (error) {
    const code = codeOf(error);
    throw new ModelError(`The model's server could not be reached (${code}).`, { billable: !UNCONNECTED.has(code) });
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'no connection';
}

/** As much of a refusal as tells why; it is read by us only, and kept nowhere. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= REFUSAL_BYTES_MAX) break;
    }
  } catch {
    // What came until then has to do.
  }
  return text;
}

/** @throws ModelFailure when the stream ends before the model has said that it is done */
async function* partsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ModelPart> {
  let finished = false;
  for await (const event of eventsIn(body)) {
    if (event.data === DONE) return;
    const parts = partsOf(event);
    finished ||= parts.some((part) => 'finish' in part);
    yield* parts;
  }
  if (!finished) throw broken("The model's answer ended without its end.");
}

const broken = (sentence: string) => new ModelError(sentence, { billable: true });

/** The events in a body, whose pieces may end anywhere, within a character too. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const decoder = new TextDecoder();
  const events: EventSourceMessage[] = [];
  let endless = false;
  const parser = createParser({
    maxBufferSize: EVENT_CHARACTERS_MAX,
    onEvent: (event) => events.push(event),
    onError: ({ type }) => {
      endless ||= type === 'max-buffer-size-exceeded';
    },
  });
  try {
    for await (const bytes of body) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      if (endless) throw broken('The model sent an event that does not end.');
      yield* events.splice(0);
    }
    // A server may close after its last event without the empty line.
    parser.feed('\n\n');
    yield* events;
  } catch (error) {
    if (error instanceof ModelError) throw error;
    throw broken("The connection to the model's server broke.");
  }
}
