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
  /** Used when a request names no model. */
  modelId: string;
  /** Returns undefined for a server that needs no key. */
  apiKey: () => Promise<string | undefined>;
};

/** Limits the memory of a response. Without a limit, a server could send an endless event. */
const EVENT_CHARACTERS_MAX = 256 * 1024;
const REFUSAL_CHARACTERS_MAX = 4_096;

/**
 * A model behind OpenAI's streaming chat completions API: OpenAI, vLLM, Ollama, llama.cpp and others. Usage is known
 * only if the server reports it.
 */
export function createOpenAiModel({ baseUrl, modelId, apiKey }: Settings): LanguageModel {
  const url = completionsUrl(baseUrl);
  // Changed only after a request has succeeded with other capabilities. Before that, they are a guess from the server's
  // error message. The guess can be wrong, because the message can quote a visitor's text.
  let capabilities = INITIAL_OPENAI_CAPABILITIES;
  const send = async (request: ModelRequest): Promise<ReadableStream<Uint8Array>> => {
    const key = await apiKey();
    const named = { ...request, modelId: request.modelId ?? modelId };
    for (let tried = capabilities; ; ) {
      const response = await post(url, key, bodyOf(named, tried), request.signal);
      if (response.ok && response.body !== null) {
        capabilities = tried;
        return response.body;
      }
      const other = openAiFallbackFor(tried, named, response.status, await beginningOf(response));
      if (other === undefined)
        throw refused(`The model's server ${url.origin} responded with status ${response.status}.`);
      tried = other;
    }
  };
  return {
    kind: 'model',
    async *stream(request) {
      yield* partsIn(await send(request));
    },
  };
}

const refused = (sentence: string) => new ModelError(sentence, { billable: false });

function bodyOf(request: ModelRequest, capabilities: OpenAiCapabilities) {
  const { system, prompt, modelId } = request;
  return JSON.stringify({
    model: modelId,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ],
    stream: true,
    ...capabilityParameters(request, capabilities),
  });
}

/** Connection errors that occur before the request is sent. Such a request is not billable. */
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

async function post(url: URL, key: string | undefined, body: string, signal: AbortSignal): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'text/event-stream',
    // Servers that compress a stream also buffer it, so its parts would arrive late.
    'Accept-Encoding': 'identity',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  };
  try {
    // A redirect would send the prompt to a server that the operator did not configure.
    return await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  } catch (error) {
    const reason = reasonOf(error);
    throw new ModelError(`The request to the model's server ${url.origin} (setting aiBaseUrl) failed: ${reason}.`, {
      billable: !UNCONNECTED.has(reason),
    });
  }
}

/**
 * Returns the code of the error's cause, or the message of a cause without a code. Never returns the error's own
 * message, because the message may quote the header with the API key.
 */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause !== 'object' || cause === null) return 'the cause is unknown';
  if ('code' in cause) return String(cause.code);
  return 'message' in cause ? String(cause.message) : 'the cause is unknown';
}

/** Reads the start of an error response. The text names the reason of the error. It is neither stored nor logged. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= REFUSAL_CHARACTERS_MAX) break;
    }
  } catch {
    // The connection broke. The part that has arrived is used.
  }
  return text;
}

/**
 * @throws ModelError when the stream breaks, contains an error or a malformed event, or ends early (without a finish
 *   reason and without `[DONE]`)
 */
async function* partsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ModelPart> {
  let finished = false;
  for await (const event of eventsIn(body)) {
    if (event.data === DONE) return;
    const parts = partsOf(event);
    finished ||= parts.some((part) => 'finish' in part);
    yield* parts;
  }
  if (!finished) throw broken("The model's response ended before it was complete.");
}

const broken = (sentence: string) => new ModelError(sentence, { billable: true });

/** Parses the events of a body. A chunk of the body can end anywhere, even within a character. */
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
      if (endless) throw broken('The model sent an event that is too large.');
      yield* events.splice(0);
    }
    // A server may omit the empty line after its last event.
    parser.feed('\n\n');
    yield* events;
  } catch (error) {
    if (error instanceof ModelError) throw error;
    throw broken("The connection to the model's server broke.");
  }
}
