import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DemoTokens } from '../../infra/local/seed/people.ts';
import { useLocalRuntime } from '../support/local/use-local-runtime.ts';

// Uses a new service, because other test files open training sessions, and a user may open only ten per minute.
const runtime = useLocalRuntime({ isNew: true });

type Asked = { as?: keyof DemoTokens; body?: unknown; organization?: 'a' | 'b' };

async function training(path: string, { as = 'memberA', body, organization = 'a' }: Asked = {}) {
  const { baseUrl, organizations, tokens } = runtime.demo;
  const answer = await fetch(`${baseUrl}/api/v2/organizations/${organizations[organization].id}/training/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${tokens[as]}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, headers: answer.headers };
}

/** Returns everything by which a caller can distinguish two responses. */
async function seen(asked: ReturnType<typeof training>): Promise<string> {
  const { status, body, headers } = await asked;
  const varying = ['x-request-id', 'date'];
  return JSON.stringify([status, body, [...headers].filter(([name]) => !varying.includes(name))]);
}

const both = () => ({ caseId: runtime.demo.caseId, personaId: runtime.demo.personaIds[0] });

test('a training session of a new case creates a call that only the trainee, admins and owners can read', async () => {
  const said = {
    name: 'A late delivery',
    description: 'The customer waits',
    situation: 'The panels are two weeks late.',
    objective: 'Keep the order',
    successCriteria: 'A date is agreed',
    dos: [{ label: 'Say sorry once' }],
  };
  const created = await training('cases', { as: 'adminA', body: said });
  expect(created.status).toBe(201);
  const opened = await training('session', { body: { ...both(), caseId: created.body.id } });
  expect(opened).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^wss?:/) } });
  expect(opened.body.systemPrompt).toContain('> The panels are two weeks late.');
  const call = `calls/${opened.body.trainingCallId}`;
  for (const as of ['memberA', 'adminA', 'ownerA'] as const) {
    expect(await training(call, { as })).toMatchObject({
      status: 200,
      body: { status: 'pending', caseSnapshot: created.body, transcript: null, analysis: null, score: null },
    });
  }
  for (const as of ['secondMemberA', 'adminB', 'outsider'] as const)
    expect((await training(call, { as })).status).toBe(403);
  expect((await training(call, { as: 'expired' })).status).toBe(401);
});

test('404: another organization’s cases, personas and calls are not found; an archived case is not found either', async () => {
  const { archivedCaseId, readyCallId, caseId } = runtime.demo;
  const unknown = await seen(training('session', { as: 'adminB', organization: 'b', body: strangers() }));
  expect(unknown).toMatch(/^\[404,/);
  expect(await seen(training('session', { as: 'adminB', organization: 'b', body: both() }))).toBe(unknown);
  const archived = await training('session', { body: { ...both(), caseId: archivedCaseId } });
  expect(archived).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  const random = await seen(training(`calls/${randomUUID()}`, { as: 'adminB', organization: 'b' }));
  expect(random).toMatch(/^\[404,/);
  for (const id of [readyCallId, caseId])
    expect(await seen(training(`calls/${id}`, { as: 'adminB', organization: 'b' }))).toBe(random);
});

const strangers = () => ({ caseId: randomUUID(), personaId: randomUUID() });
