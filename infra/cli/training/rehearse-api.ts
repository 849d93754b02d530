import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { TrainingCall } from '../../../shared/training/call.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { UserError } from '../../common/user-error.ts';
import type { Rehearsal } from '../../local/elevenlabs/rehearsal.ts';
import { readJsonFile } from '../environment/target-environment.ts';

/** The part of the local environment's `demo.json` that a rehearsal needs. */
const Demo = z.object({
  baseUrl: z.string(),
  organizations: z.object({ a: z.object({ id: z.string() }) }),
  tokens: z.object({ memberA: z.string() }),
  personaIds: z.array(z.string()),
});
export type LocalDemo = z.infer<typeof Demo>;

const Session = z.object({ token: z.string(), firstMessage: z.string(), trainingCallId: z.string() });
export type Session = z.infer<typeof Session>;

const Conversation = z.object({
  transcript: z.array(z.object({ role: z.string(), message: z.string(), time_in_call_secs: z.number() })),
});
export type Conversation = z.infer<typeof Conversation>;

const ErrorBody = z.object({ error: z.object({ message: z.string() }) });

const REQUEST_MS = 30_000;
const POLL_MS = 500;
const SCORE_TIMEOUT_MS = 120_000;

/** Reads `demo.json`. @throws UserError if the file does not exist yet */
export function readLocalDemo(state: string): LocalDemo {
  const demo = readJsonFile(join(resolve(state), 'demo.json'), Demo);
  if (demo === undefined) throw new UserError('Tributary is still starting: try again in a moment.');
  return demo;
}

/** Opens a training session as member A. @throws UserError if the API does not respond, or responds with an error */
export const openSession = (demo: LocalDemo, ids: { caseId: string; personaId: string }): Promise<Session> =>
  requestApi(demo, '/training/session', Session, { method: 'POST', body: JSON.stringify(ids) });

const readCall = (demo: LocalDemo, callId: string): Promise<TrainingCall> =>
  requestApi(demo, `/training/calls/${callId}`, TrainingCall);

/** Waits for at most two minutes until the call is in a final state. Returns the latest state of the call. */
export async function waitForScore(demo: LocalDemo, callId: string): Promise<TrainingCall> {
  for (const deadline = Date.now() + SCORE_TIMEOUT_MS; ; ) {
    const call = await readCall(demo, callId);
    if ((call.status !== 'pending' && call.status !== 'processing') || Date.now() > deadline) return call;
    await sleep(POLL_MS);
  }
}

/** Makes the rehearsal agent simulate the conversation of a training session. */
export function holdRehearsal(voiceBaseUrl: string, rehearsal: Rehearsal): Promise<Conversation> {
  const init = { method: 'POST', body: JSON.stringify(rehearsal) };
  return requestJson(`${voiceBaseUrl}/rehearsals`, 'The rehearsal agent', Conversation, init);
}

function requestApi<T>(
  { baseUrl, organizations, tokens }: LocalDemo,
  path: string,
  schema: z.ZodMiniType<T>,
  init = {},
) {
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
    throw new UserError(`${who} does not respond: check that "npm start" still runs.`, { cause });
  });
  const body = tryParseJson(await response.text());
  if (response.status === 401) {
    throw new UserError('The tokens of the demo are valid for eight hours and have expired: start Tributary again.');
  }
  if (!response.ok) {
    const message = ErrorBody.safeParse(body).data?.error.message;
    throw new UserError(`${who} returned status ${response.status}${message === undefined ? '.' : `: ${message}`}`);
  }
  return schema.parse(body);
}
