import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { PERSONA_LANGUAGES } from '../../../shared/training/persona.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { jsonResponse, type StandInResponse } from '../common/stand-in-http.ts';
import { type Conversation, type ConversationStore, SIGNED_URL_TTL_MS } from './conversations.ts';
import { conversationJson } from './provider-json.ts';
import { Rehearsal } from './rehearsal.ts';
import { generateConversation } from './script.ts';
import { silentMp3 } from './silent-mp3.ts';
import type { Webhook } from './webhook.ts';
import '../../../shared/platform/zod-english-messages.ts';

export type Ports = { conversations: ConversationStore; webhook: Webhook };

const ENGLISH_SPEECH_MODELS = /^eleven_(?:turbo|flash)_v2$/;
const OTHER_SPEECH_MODELS = /^eleven_(?:turbo|flash)_v2_5$/;

const NewAgent = z.looseObject({
  conversation_config: z.looseObject({
    agent: z.looseObject({ language: z.enum(PERSONA_LANGUAGES), first_message: z.string() }),
    tts: z.optional(z.looseObject({ model_id: z.string() })),
  }),
});

const createId = (prefix: string): string => `${prefix}_${randomBytes(13).toString('hex')}`;

/**
 * Creates the signed URL of a new conversation. Until the URL expires, anyone who has it can start the conversation,
 * but only once.
 */
export function createSignedUrl({ conversations }: Ports, url: URL): StandInResponse {
  const agentId = url.searchParams.get('agent_id') ?? '';
  if (agentId === '') return unprocessable('agent_id');
  const [id, signature] = [createId('conv'), createId('cvtkn')];
  conversations.save({
    id,
    agentId,
    signature,
    signedAtMs: Date.now(),
    state: 'signed',
    language: 'en',
    turns: [],
    startedAtMs: 0,
    seconds: 0,
    told: false,
  });
  const query = new URLSearchParams({ agent_id: agentId, conversation_signature: signature });
  const includesId = url.searchParams.get('include_conversation_id') === 'true';
  const signed_url = `${url.origin.replace(/^http/, 'ws')}/v1/convai/conversation?${query}`;
  return jsonResponse(200, { signed_url, ...(includesId && { conversation_id: id }) });
}

/** Returns a conversation after its start, as ElevenLabs does; undefined before. */
const findStarted = ({ conversations }: Ports, id: string): Conversation | undefined => {
  const conversation = conversations.find(id);
  return conversation?.state === 'signed' ? undefined : conversation;
};

export function getConversation(ports: Ports, id: string): StandInResponse {
  const conversation = findStarted(ports, id);
  return conversation === undefined ? notFound() : jsonResponse(200, conversationJson(conversation));
}

export function getAudio(ports: Ports, id: string): StandInResponse {
  const conversation = findStarted(ports, id);
  if (conversation?.state !== 'held') return notFound();
  return { status: 200, headers: { 'Content-Type': 'audio/mpeg' }, body: silentMp3(conversation.seconds) };
}

export function deleteConversation(ports: Ports, id: string): StandInResponse {
  if (findStarted(ports, id) === undefined) return notFound();
  ports.conversations.delete(id);
  return jsonResponse(200, {});
}

/** Validates an agent. Does not store it, because no request needs a stored agent. */
export function createAgent(body: string): StandInResponse {
  const { data } = NewAgent.safeParse(tryParseJson(body));
  if (data === undefined) return unprocessable('conversation_config');
  const { agent, tts } = data.conversation_config;
  const models = agent.language === 'en' ? ENGLISH_SPEECH_MODELS : OTHER_SPEECH_MODELS;
  if (tts !== undefined && !models.test(tts.model_id)) {
    const message = 'This speech model does not support the language.';
    return jsonResponse(400, { detail: { status: 'input_invalid', message } });
  }
  return jsonResponse(200, { agent_id: createId('agent') });
}

/** Simulates a whole conversation immediately and sends the webhook. ElevenLabs has no such operation. */
export function rehearse({ conversations, webhook }: Ports, body: string): StandInResponse {
  const { data, error } = Rehearsal.safeParse(tryParseJson(body));
  if (data === undefined) return unprocessable(z.prettifyError(error));
  const signature = URL.parse(data.signed_url)?.searchParams.get('conversation_signature');
  const signed = conversations.list().find((one) => one.state === 'signed' && one.signature === signature);
  if (signed === undefined || Date.now() - signed.signedAtMs > SIGNED_URL_TTL_MS) {
    const message = 'The signed URL is unknown, was used or has expired.';
    return jsonResponse(403, { detail: { status: 'invalid_signed_url', message } });
  }
  const conversation =
    data.script === 'unreachable' ? { ...signed, state: 'unreachable' as const } : simulate(data, signed);
  conversations.save(conversation);
  webhook.notify(conversation);
  const { id, seconds, turns } = conversation;
  return jsonResponse(200, { conversation_id: id, seconds, transcript: turns });
}

function simulate(rehearsal: Rehearsal, signed: Conversation): Conversation {
  const { lines, seconds } = generateConversation(rehearsal);
  const turns = lines.map(({ role, text, atSeconds, cutOff }) => ({
    role,
    message: text,
    time_in_call_secs: atSeconds,
    interrupted: cutOff === true,
  }));
  const startedAtMs = Date.now() - seconds * 1_000;
  return { ...signed, state: 'held', language: rehearsal.language, turns, startedAtMs, seconds };
}

export const notFound = (): StandInResponse =>
  jsonResponse(404, { detail: { status: 'not_found', message: 'Not found.' } });

const unprocessable = (what: string): StandInResponse =>
  jsonResponse(422, { detail: [{ loc: ['body'], msg: `Missing or invalid: ${what}`, type: 'value_error' }] });
