import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { TrainingCall } from '../../../shared/training/call.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { errorCode, UserError } from '../../common/user-error.ts';
import type { Rehearsal } from '../../local/elevenlabs/rehearsal.ts';

/** The part of the local environment's `demo.json` that a rehearsal needs. */
const Demo = z.object({
  baseUrl: z.string(),
  organizations: z.object({ a: z.object({ id: z.string() }) }),
  tokens: z.object({ memberA: z.string() }),
  personaIds: z.array(z.string()),
});
export type Laptop = z.infer<typeof Demo>;

const Session = z.object({ token: z.string(), firstMessage: z.string(), trainingCallId: z.string() });
export type Session = z.infer<typeof Session>;

const Held = z.object({
  transcript: z.array(z.object({ role: z.string(), message: z.string(), time_in_call_secs: z.number() })),
});
export type Held = z.infer<typeof Held>;

const Refused = z.object({ error: z.object({ message: z.string() }) });

const REQUEST_MS = 30_000;
const POLL_MS = 500;
const SETTLED_MS = 120_000;

/** @throws UserError while it is starting */
export function laptopIn(state: string): Laptop {
  const { data } = Demo.safeParse(tryParseJson(textOf(join(resolve(state), 'demo.json'))));
  if (data === undefined) throw new UserError('Tributary is still starting: try again in a moment.');
  return data;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Starts a session as member A. @throws UserError with the API's own message on an error response */
export const openSession = (laptop: Laptop, asked: { caseId: string; personaId: string }): Promise<Session> =>
  replyOf(laptop, '/training/session', Session, { method: 'POST', body: JSON.stringify(asked) });

const readCall = (laptop: Laptop, callId: string): Promise<TrainingCall> =>
  replyOf(laptop, `/training/calls/${callId}`, TrainingCall);

/** The call in its final state or, after two minutes, in its current state. */
export async function settledCall(laptop: Laptop, callId: string): Promise<TrainingCall> {
  for (const deadline = Date.now() + SETTLED_MS; ; ) {
    const call = await readCall(laptop, callId);
    if ((call.status !== 'pending' && call.status !== 'processing') || Date.now() > deadline) return call;
    await sleep(POLL_MS);
  }
}

/** Has the rehearsal agent hold the conversation of a session. */
export function holdRehearsal(voiceBaseUrl: string, rehearsal: Rehearsal): Promise<Held> {
  const init = { method: 'POST', body: JSON.stringify(rehearsal) };
  return requestJson(`${voiceBaseUrl}/rehearsals`, 'The rehearsal agent', Held, init);
}

function replyOf<T>({ baseUrl, organizations, tokens }: Laptop, path: string, schema: z.ZodMiniType<T>, init = {}) {
  const url = `${baseUrl}/api/v2/organizations/${organizations.a.id}${path}`;
  return requestJson(url, 'The API', schema, init, { authorization: `Bearer ${tokens.memberA}` });
}

async function requestJson<T>(
  url: string,
  who: string,
  schema: z.ZodMiniType<T>,
  init: RequestInit,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(url, {
    ...init,
    headers: { ...headers, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(REQUEST_MS),
  }).catch((cause: unknown) => {
    throw new UserError(`${who} does not respond: does "npm start" still run in the other terminal?`, { cause });
  });
  const reply = tryParseJson(await response.text());
  if (response.status === 401) {
    throw new UserError('The tokens of the demo are valid for eight hours and have expired: start Tributary again.');
  }
  if (!response.ok) {
    const said = Refused.safeParse(reply).data?.error.message;
    throw new UserError(`${who} returned ${response.status}${said === undefined ? '.' : `: ${said}`}`);
  }
  return schema.parse(reply);
}
