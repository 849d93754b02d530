import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { adminOf } from '../support/cli/npm-admin.ts';
import { useLocalRuntime } from '../support/local/use-local-runtime.ts';

// Uses a new service, because other test files open training sessions, and a user may open only ten per minute.
const runtime = useLocalRuntime({ isNew: true });

const PATIENCE = { timeout: 30_000, interval: 200 };

type Line = Record<string, unknown>;

/** Returns all log lines with a request id, as the saved query `One request` does. */
async function linesOf(requestId: string): Promise<Line[]> {
  const files = ['functions.log', 'metrics.log'].map((name) => readFile(join(runtime.state, name), 'utf8'));
  const lines = (await Promise.all(files))
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Line).filter((line) => line.requestId === requestId);
}

const idOf = (answer: Response): string => answer.headers.get('x-request-id') ?? '';

async function webhook(data: Record<string, unknown>): Promise<Response> {
  const { url, secret } = runtime.demo.webhook;
  const seconds = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({ type: 'post_call_transcription', event_timestamp: seconds, data });
  const hash = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'ElevenLabs-Signature': `t=${seconds},v0=${hash}` };
  return fetch(url, { method: 'POST', headers, body });
}

test('a search of the logs for a voice webhook’s request id also finds lines and metrics of the analysis', async () => {
  const { baseUrl, organizations, tokens, caseId, personaIds } = runtime.demo;
  const training = `${baseUrl}/api/v2/organizations/${organizations.a.id}/training`;
  const headers = { authorization: `Bearer ${tokens.memberA}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ caseId, personaId: personaIds[0] });
  const opened = await fetch(`${training}/session`, { method: 'POST', headers, body });
  const { trainingCallId } = z.object({ trainingCallId: z.string() }).parse(await opened.json());
  const call = await (await fetch(`${training}/calls/${trainingCallId}`, { headers })).json();
  const { agentId, conversationId } = z.object({ agentId: z.string(), conversationId: z.string() }).parse(call);
  const delivered = await webhook({
    agent_id: agentId,
    conversation_id: conversationId,
    status: 'done',
    has_audio: false,
    metadata: { call_duration_secs: 9, start_time_unix_secs: 1 },
    transcript: [{ role: 'user', message: 'What do you need?', time_in_call_secs: 3, tool_calls: [] }],
  });
  expect([opened.status, delivered.status]).toEqual([201, 200]);
  await vi.waitFor(async () => {
    const lines = await linesOf(idOf(delivered));
    // A sweeper may continue the work under another request id. The call id connects that work with this request.
    expect(lines).toContainEqual(
      expect.objectContaining({ function: 'training/voice-webhook', callId: trainingCallId }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        function: 'background/analyse-call',
        service: 'tributary-local',
        Analyses_completed: 1,
      }),
    );
  }, PATIENCE);
}, 90_000);

test('functions.log has one readable line per request with its id, and metrics are in metrics.log', async () => {
  const { baseUrl, organizations, funnel, tokens } = runtime.demo;
  const path = `/api/v2/organizations/${organizations.a.id}/funnels/${funnel.id}/analytics/overview`;
  const read = await fetch(`${baseUrl}${path}?range=today`, { headers: { authorization: `Bearer ${tokens.memberA}` } });
  const unknown = await fetch(`${baseUrl}/api/v2/unknown`);
  await vi.waitFor(async () => {
    const log = await readFile(join(runtime.state, 'functions.log'), 'utf8');
    const linesWith = (id: string) => log.split('\n').filter((line) => line.includes(id) && !line.startsWith('{'));
    const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
    expect(linesWith(idOf(read))).toEqual([
      expect.stringMatching(new RegExp(`^${time} 200 GET ${path} \\d+ ms analytics/overview \\S+$`)),
    ]);
    expect(linesWith(idOf(unknown))).toEqual([
      expect.stringMatching(new RegExp(`^${time} 404 GET /api/v2/unknown \\d+ ms - \\S+$`)),
    ]);
    expect(log).not.toContain('"_aws"');
    expect(await readFile(join(runtime.state, 'metrics.log'), 'utf8')).toContain('"_aws"');
  }, PATIENCE);
}, 90_000);

test('a search of the logs for the request id of a domain’s deletion also finds lines of remove-domain', async () => {
  const { baseUrl, organizations, tokens } = runtime.demo;
  const org = organizations.a.id;
  const added = await adminOf(runtime, 'domains', 'add', org, 'request.example.com', '--json');
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(added.out).domain ?? JSON.parse(added.out));
  const answer = await fetch(`${baseUrl}/api/v2/organizations/${org}/domains/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${tokens.adminA}` },
  });
  expect(answer.status).toBe(200);
  await vi.waitFor(async () => {
    const lines = await linesOf(idOf(answer));
    expect(lines).toContainEqual(expect.objectContaining({ function: 'domains/delete', domainId: id }));
    expect(lines).toContainEqual(
      expect.objectContaining({ function: 'background/remove-domain', DomainRemovals_removed: 1 }),
    );
    // Logs must not contain the hostname, because it may be personal data.
    expect(JSON.stringify(lines)).not.toContain('request.example.com');
  }, PATIENCE);
}, 90_000);
