import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { PERSONA_LANGUAGES } from '../../../shared/training/persona.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { type Conversation, type ConversationStore, SIGNED_MS } from './conversations.ts';
import { conversationJson } from './provider-json.ts';
import { Rehearsal } from './rehearsal.ts';
import { generateConversation } from './script.ts';
import { silentMp3 } from './silent-mp3.ts';
import type { Webhook } from './webhook.ts';
import '../../../shared/platform/zod-english-messages.ts';

export type Answer = { status: number; type: string; body: string | Buffer };
export type Asked = { method: string; url: URL; origin: string; body: string };
type Parts = { conversations: ConversationStore; webhook: Webhook };

const ENGLISH_SPEECH = /^eleven_(?:turbo|flash)_v2$/;
const OTHER_SPEECH = /^eleven_(?:turbo|flash)_v2_5$/;

const NewAgent = z.looseObject({
  conversation_config: z.looseObject({
    agent: z.looseObject({ language: z.enum(PERSONA_LANGUAGES), first_message: z.string() }),
    tts: z.optional(z.looseObject({ model_id: z.string() })),
  }),
});

const newId = (kind: string): string => `${kind}_${randomBytes(13).toString('hex')}`;

/** A conversation to come: who holds its URL may begin it, once. */
export function signUrl({ conversations }: Parts, { url, origin }: Asked): Answer {
  const agentId = url.searchParams.get('agent_id') ?? '';
  if (agentId === '') return unprocessable('agent_id');
  const [id, signature] = [newId('conv'), newId('cvtkn')];
  conversations.save({
    ...{ id, agentId, signature, signedAtMs: Date.now(), state: 'signed', language: 'en' },
    ...{ turns: [], startedAtMs: 0, seconds: 0, told: false },
  });
  const query = new URLSearchParams({ agent_id: agentId, conversation_signature: signature });
  const withId = url.searchParams.get('include_conversation_id') === 'true';
  const signed_url = `${origin.replace(/^http/, 'ws')}/v1/convai/conversation?${query}`;
  return json(200, { signed_url, ...(withId && { conversation_id: id }) });
}

/** Nobody has connected to a conversation that is only signed for: there is none yet. */
const begun = ({ conversations }: Parts, id: string): Conversation | undefined => {
  const found = conversations.find(id);
  return found?.state === 'signed' ? undefined : found;
};

export function showConversation(parts: Parts, id: string): Answer {
  const found = begun(parts, id);
  return found === undefined ? notFound() : json(200, conversationJson(found));
}

export function playConversation(parts: Parts, id: string): Answer {
  const found = begun(parts, id);
  if (found?.state !== 'held') return notFound();
  return { status: 200, type: 'audio/mpeg', body: silentMp3(found.seconds) };
}

export function deleteConversation(parts: Parts, id: string): Answer {
  if (begun(parts, id) === undefined) return notFound();
  parts.conversations.delete(id);
  return json(200, {});
}

/** An agent that nobody needs to remember: what it says comes with a session, and from the script. */
export function createAgent(_: Parts, { body }: Asked): Answer {
  const { data } = NewAgent.safeParse(tryParseJson(body));
  if (data === undefined) return unprocessable('conversation_config');
  const { agent, tts } = data.conversation_config;
  const models = agent.language === 'en' ? ENGLISH_SPEECH : OTHER_SPEECH;
  if (tts !== undefined && !models.test(tts.model_id)) {
    return json(400, {
      detail: { status: 'input_invalid', message: 'This speech model does not speak the language.' },
    });
  }
  return json(200, { agent_id: newId('agent') });
}

/** Holds a conversation by its script, at once, and tells of it: what is no API of ElevenLabs'. */
export function rehearse({ conversations, webhook }: Parts, { body }: Asked): Answer {
  const { data, error } = Rehearsal.safeParse(tryParseJson(body));
  if (data === undefined) return unprocessable(z.prettifyError(error));
  const signature = URL.parse(data.signed_url)?.searchParams.get('conversation_signature');
  const signed = conversations.list().find((one) => one.state === 'signed' && one.signature === signature);
  if (signed === undefined || Date.now() - signed.signedAtMs > SIGNED_MS) {
    return json(403, { detail: { status: 'invalid_signed_url', message: 'The signed URL was used, or has expired.' } });
  }
  const held = data.script === 'unreachable' ? { ...signed, state: 'unreachable' as const } : heldBy(data, signed);
  conversations.save(held);
  webhook.notify(held);
  return json(200, { conversation_id: held.id, seconds: held.seconds, transcript: held.turns });
}

function heldBy(rehearsal: Rehearsal, signed: Conversation): Conversation {
  const { lines, seconds } = generateConversation(rehearsal);
  const turns = lines.map(({ role, text, atSeconds, cutOff }) => ({
    ...{ role, message: text, time_in_call_secs: atSeconds, interrupted: cutOff === true },
  }));
  const startedAtMs = Date.now() - seconds * 1_000;
  return { ...signed, state: 'held', language: rehearsal.language, turns, startedAtMs, seconds };
}

export const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

export const notFound = (): Answer =>
  json(404, { detail: { status: 'not_found', message: 'There is no such thing.' } });

const unprocessable = (what: string): Answer =>
  json(422, { detail: [{ loc: ['body'], msg: `Missing or wrong: ${what}`, type: 'value_error' }] });
