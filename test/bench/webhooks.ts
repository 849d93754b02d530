import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { CREDENTIALS } from '../../infra/local/runtime/environment.ts';
import type { Demo } from '../../infra/local/seed/demo-json.ts';
import { uuidV7 } from '../../shared/platform/uuid-v7.ts';
import { toNewCallItem } from '../../shared/training/aws/call-item.ts';
import { trainingKey } from '../../shared/training/aws/training-table.ts';
import { aTrainingCase } from '../support/training/calls.ts';
import { type Call, quantiles, send } from './load.ts';

/**
 * With 600 calls, the p99 is the seventh-largest time. With 200 calls, it would be the third-largest time, which varies
 * by a third.
 */
const CALLS = 600;
/** The first calls are not counted, because compilation and work after the start slow them down. */
const WARM_UP = 50;
/** Number of transcript turns of a call of two hours, one every four seconds. */
const TURNS = 1_800;
const SCORED_WITHIN_MS = 10_000;
const LOOK_MS = 20;

type OpenCall = { orgId: string; callId: string; conversationId: string };

/**
 * Sends a voice webhook with a two-hour transcript of 1 MB for each call. Waits for the score of the call before the
 * next webhook. Measures the milliseconds until the response, and from the response until the score.
 */
export async function webhooks(demo: Demo) {
  const endpoint = { endpoint: demo.aws.dynamodb, region: demo.aws.region, credentials: CREDENTIALS };
  const tables = DynamoDBDocumentClient.from(new DynamoDBClient(endpoint));
  const calls = await openCalls(demo, tables);
  const agent = new Agent({ keepAlive: true });
  const body = Buffer.from(longTranscription());
  const place = body.indexOf(CONVERSATION);
  const [answers, scores]: [number[], number[]] = [[], []];
  let failed = 0;
  for (const call of calls) {
    // Change the body in place. A new body of 1 MB for each call could cause a garbage collection during a measurement.
    body.write(call.conversationId, place);
    const event = signed(demo, body);
    const sent = performance.now();
    if (!(await send(event, agent))) failed++;
    const answered = performance.now();
    answers.push(answered - sent);
    if (await isScored(demo, tables, call)) scores.push(performance.now() - answered);
  }
  agent.destroy();
  tables.destroy();
  const measured = (times: number[]) => quantiles(times.slice(WARM_UP));
  return {
    answer: measured(answers),
    score: measured(scores),
    failed: failed + calls.length - scores.length,
    bytes: body.length,
  };
}

/** Writes calls as they are stored when their training sessions are opened. */
async function openCalls({ organizations, aws }: Demo, tables: DynamoDBDocumentClient): Promise<OpenCall[]> {
  const createdAtMs = Date.now();
  const persona = { id: randomUUID(), agentId: 'agent', name: 'Erika', language: 'de' as const, character: 'calm' };
  const session = {
    userId: randomUUID(),
    trainingCase: aTrainingCase(),
    createdAtMs,
    dueAtMs: createdAtMs + 3_600_000,
    persona: { ...persona, mood: 'busy', objections: [], createdAt: new Date(createdAtMs).toISOString() },
  };
  const calls: OpenCall[] = [];
  for (let index = 0; index < WARM_UP + CALLS; index++) {
    const ids = { orgId: organizations.a.id, callId: uuidV7(createdAtMs) };
    const conversationId = `conv_${randomUUID().replaceAll('-', '')}`;
    const lookUp = { ...trainingKey.conversation(conversationId), ...ids };
    const puts = [toNewCallItem({ ...session, ...ids, conversationId }), lookUp].map((Item) => ({
      PutRequest: { Item },
    }));
    await tables.send(new BatchWriteCommand({ RequestItems: { [aws.tables.training]: puts } }));
    calls.push({ ...ids, conversationId });
  }
  return calls;
}

/** Placeholder for the conversation id, with the same length. */
const CONVERSATION = `conv_${'0'.repeat(32)}`;
/** Enough different words that the transcript compresses as badly as real speech. */
const WORDS =
  `was kostet das im monat und davon ist schon enthalten den sie mir vorhin genannt haben ich verstehe darf fragen womit heute
arbeiten ihnen daran am meisten zeit nimmt ehrlich gesagt sind wir mit dem zufrieden es nur an manchen stellen etwas langsam angebot preis
termin nächste woche donnerstag besprechen kollegin entscheidet budget quartal einführung schulung vertrag laufzeit kündigen wechsel`.split(
    /\s+/,
  );

/** The text of a transcript turn: pseudorandom words, which are the same in each run. */
function said(turn: number): string {
  let state = turn + 1;
  const word = () => {
    state = (state * 48_271) % 2_147_483_647;
    return WORDS[state % WORDS.length];
  };
  return `${Array.from({ length: 32 }, word).join(' ')}?`;
}

/** The body of a voice webhook, with all members that the provider sends. */
function longTranscription(): string {
  const transcript = Array.from({ length: TURNS }, (_, at) => ({
    role: at % 2 === 0 ? 'agent' : 'user',
    message: said(at),
    time_in_call_secs: at * 4,
    agent_metadata: null,
    multivoice_message: null,
    tool_calls: [],
    tool_results: [],
    feedback: null,
    llm_override: null,
    rag_retrieval_info: null,
    llm_usage: null,
    interrupted: at % 50 === 0,
    conversation_turn_metrics: { metrics: { convai_tts_service_ttfb: { elapsed_time: 0.18307536099746358 } } },
  }));
  const data = {
    agent_id: 'agent',
    conversation_id: CONVERSATION,
    status: 'done',
    transcript,
    has_audio: false,
    metadata: { start_time_unix_secs: 1_739_537_297, call_duration_secs: 4 * TURNS, cost: 296 },
    analysis: { call_successful: 'success', transcript_summary: said(0) },
  };
  return JSON.stringify({ type: 'post_call_transcription', event_timestamp: 1_739_537_297, data });
}

function signed({ webhook }: Demo, body: Buffer): Call {
  const time = Math.floor(Date.now() / 1_000);
  const hash = createHmac('sha256', webhook.secret).update(`${time}.`).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'ElevenLabs-Signature': `t=${time},v0=${hash}` };
  return { url: webhook.url, method: 'POST', headers, body };
}

/** Waits for a call's score. @returns false if the call has no score within 10 s */
async function isScored({ aws }: Demo, tables: DynamoDBDocumentClient, call: OpenCall): Promise<boolean> {
  const end = performance.now() + SCORED_WITHIN_MS;
  while (performance.now() < end) {
    await sleep(LOOK_MS);
    const state = { ProjectionExpression: '#status', ExpressionAttributeNames: { '#status': 'status' } };
    const get = new GetCommand({ TableName: aws.tables.training, Key: trainingKey.call(call), ...state });
    const { Item } = await tables.send(get);
    if (Item?.status === 'ready') return true;
  }
  return false;
}
