import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { operations } from '../../functions/declarations.ts';
import { createCaseOperation } from '../../functions/training/create-case/operation.ts';
import { openSessionOperation } from '../../functions/training/open-session/operation.ts';
import { readCallOperation } from '../../functions/training/read-call/operation.ts';
import { buildOpenApiDocument } from '../../infra/openapi/document.ts';

type Schema = { properties: Record<string, object>; required?: string[] };

/** Returns the JSON schema. If the schema has a name, resolves the reference to its definition. */
function schemaOf(schema: z.ZodMiniType): Schema {
  const { $ref, $defs, ...inline } = z.toJSONSchema(schema, { io: 'input' });
  return ($ref === undefined ? inline : $defs?.[$ref.slice('#/$defs/'.length)]) as unknown as Schema;
}

/** Returns the members of a schema, and whether each may be null. */
const nullable = ({ shape }: z.ZodMiniObject) =>
  Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, z.safeParse(member, null).success]));

/** The members of a call in the documented interface, and whether each may be null. */
const CALL: Record<string, boolean> = {
  id: false,
  orgId: false,
  userId: false,
  caseId: false,
  personaId: false,
  status: false,
  conversationId: true,
  agentId: true,
  durationSeconds: true,
  recordingKey: true,
  failureReason: true,
  createdAt: false,
  updatedAt: false,
  caseSnapshot: true,
  transcript: true,
  analysis: true,
  score: true,
};
const CASE = {
  id: false,
  name: false,
  description: false,
  situation: false,
  objective: false,
  successCriteria: false,
  difficulty: false,
  dos: false,
  archivedAt: true,
};

test('a training call has the documented properties, and all except transcript, analysis and score are required', () => {
  const reply = readCallOperation.responses[200];
  expect(nullable(reply)).toEqual(CALL);
  const optional = new Set(['transcript', 'analysis', 'score']);
  const required = Object.keys(CALL).filter((name) => !optional.has(name));
  expect(schemaOf(reply).required?.toSorted()).toEqual(required.sort());
});

test('the case snapshot of a call and the response of create-case have the documented properties, all of them required', () => {
  const reply = createCaseOperation.responses[201];
  expect(nullable(reply)).toEqual(CASE);
  expect(schemaOf(reply).required?.toSorted()).toEqual(Object.keys(CASE).sort());
  expect(readCallOperation.responses[200].shape.caseSnapshot.def.innerType).toBe(reply);
});

test('open-session requires two ids, and returns three texts and the id of the call, as documented', () => {
  const body = schemaOf(openSessionOperation.request.body);
  expect([Object.keys(body.properties), body.required]).toEqual(new Array(2).fill(['caseId', 'personaId']));
  const reply = schemaOf(openSessionOperation.responses[201]);
  expect(reply.required).toEqual(['token', 'systemPrompt', 'firstMessage', 'trainingCallId']);
  expect(Object.values(reply.properties)).toMatchObject([
    ...[{ type: 'string' }, { type: 'string' }, { type: 'string' }],
    { type: 'string', format: 'uuid' },
  ]);
});

test.each([
  [createCaseOperation, 'post', '/api/v2/organizations/{orgId}/training/cases', [201, 400, 401, 403, 429, 500]],
  [
    openSessionOperation,
    'post',
    '/api/v2/organizations/{orgId}/training/session',
    [201, 400, 401, 403, 404, 429, 500, 503],
  ],
  [readCallOperation, 'get', '/api/v2/organizations/{orgId}/training/calls/{id}', [200, 400, 401, 403, 404, 429, 500]],
] as const)('$id: has the documented path, method and statuses', (declared, method, path, statuses) => {
  expect(operations).toContain(declared);
  const { paths } = buildOpenApiDocument(operations) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const described = Object.keys(paths[path]?.[method]?.responses ?? {});
  expect(described).toEqual(expect.arrayContaining(statuses.map(String)));
});
