import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { storePersona } from '../../../../infra/cli/training/dynamo-persona-repository.ts';
import { createDynamoCaseAndPersonaReader } from '../../../../shared/training/aws/dynamo-case-and-persona-reader.ts';
import { Persona } from '../../../../shared/training/persona.ts';
import { anOrganization, training, trainingJson } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { KEY, useElevenLabs } from '../../../support/training/elevenlabs-server.ts';

useDynamo();
const { server: provider } = useElevenLabs();

let orgId: string;
beforeEach(async () => {
  orgId = await anOrganization();
  vi.stubEnv('VOICE_API_KEY', KEY);
  vi.stubEnv('VOICE_SECRET_ID', 'voice');
  vi.stubEnv('VOICE_BASE_URL', provider().baseUrl);
});

const ROBIN = [
  '--name',
  'Robin Muster',
  '--language',
  'de',
  '--character',
  'Eilig und direkt.',
  '--mood',
  'ungeduldig',
];
const OBJECTIONS = ['--objection', 'Zu teuer', '--objection', 'Keine Zeit'];
const ON_A_STAGE = ['--stage', 'dev'];

const personas = async () => (await trainingJson('personas', 'list', orgId)).personas;

test('add: creates an agent at the provider and stores the persona', async () => {
  const added = await trainingJson('personas', 'add', orgId, ...ROBIN, ...OBJECTIONS, ...ON_A_STAGE);
  const expected = { name: 'Robin Muster', language: 'de', objections: ['Zu teuer', 'Keine Zeit'], agentId: 'agent_1' };
  expect(added).toMatchObject(expected);
  expect(provider().calls).toMatchObject([{ method: 'POST', url: '/v1/convai/agents/create' }]);
  const { persona } = await createDynamoCaseAndPersonaReader().find(orgId, {
    caseId: randomUUID(),
    personaId: added.id,
  });
  expect(persona).toEqual(added);
});

test('add: reads the persona from --file, and options override the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-persona-'));
  const file = join(folder, 'persona.json');
  const described = { name: 'Alex', language: 'en', character: 'Careful.', mood: 'calm', objections: ['Too dear'] };
  await writeFile(file, JSON.stringify(described));
  const added = await trainingJson('personas', 'add', orgId, '--file', file, '--mood', 'cross', ...ON_A_STAGE);
  expect(added).toMatchObject({ ...described, mood: 'cross' });
  await writeFile(file, 'no json');
  expect(await training('personas', 'add', orgId, '--file', file)).toMatchObject({
    code: 1,
    out: '',
    err: `${file} is not a JSON object.\n`,
  });
  await rm(folder, { recursive: true });
  expect((await training('personas', 'add', orgId, '--file', file)).err).toBe(`${file} does not exist.\n`);
  expect(await personas()).toHaveLength(1);
});

test('add: --agent stores the id of an existing agent, without a request to the provider and without an API key', async () => {
  vi.stubEnv('VOICE_API_KEY', '');
  const added = await trainingJson('personas', 'add', orgId, ...ROBIN, '--agent', 'agent_of_mine', ...ON_A_STAGE);
  expect(added.agentId).toBe('agent_of_mine');
  expect(provider().calls).toEqual([]);
});

test.each([
  [[...ROBIN, '--mood', 'x'.repeat(201)], 'mood: must have 1 to 200 characters'],
  [[...ROBIN, ...Array.from({ length: 11 }, () => ['--objection', 'No']).flat()], 'objections: '],
])('1: add rejects the invalid persona %j with a message and creates no agent', async (args, sentence) => {
  const { code, out, err } = await training('personas', 'add', orgId, ...args, ...ON_A_STAGE);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^The persona is not valid: /);
  expect(err).toContain(sentence);
  expect([provider().calls, await personas()]).toEqual([[], []]);
});

test('1: add names the missing options and creates no agent', async () => {
  const { code, out, err } = await training('personas', 'add', orgId, '--name', 'Robin', ...ON_A_STAGE);
  expect([code, out]).toEqual([1, '']);
  expect(err).toBe('The persona is incomplete: give --language, --character, and --mood, or a --file with them.\n');
  expect([provider().calls, await personas()]).toEqual([[], []]);
});

test('1: add reports that VOICE_API_KEY is not set, and creates nothing', async () => {
  vi.stubEnv('VOICE_API_KEY', '');
  const { code, err } = await training('personas', 'add', orgId, ...ROBIN, ...ON_A_STAGE);
  expect([code, err]).toEqual([1, expect.stringMatching(/^VOICE_API_KEY is not set: /)]);
  expect([provider().calls, await personas()]).toEqual([[], []]);
});

test('1: add stores no persona if the provider fails, and does not print the API key', async () => {
  provider().faults.push((response) => response.writeHead(500).end('{}'));
  const { code, out, err } = await training('personas', 'add', orgId, ...ROBIN, ...ON_A_STAGE);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/voice provider/);
  expect(err).not.toContain(KEY);
  expect(await personas()).toEqual([]);
});

test('if a persona cannot be stored, the error contains the option --agent with the id of its agent', async () => {
  const failing = { add: () => Promise.reject(new Error('no connection')) };
  const persona = Persona.parse({
    name: 'Alex',
    language: 'en',
    character: 'Calm.',
    mood: 'calm',
    id: randomUUID(),
    agentId: 'agent_7',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  await expect(storePersona(failing, orgId, persona)).rejects.toThrow('--agent agent_7');
});

test('list sorts personas by name; list and show print them as text and as JSON', async () => {
  const robin = await trainingJson('personas', 'add', orgId, ...ROBIN, ...OBJECTIONS, ...ON_A_STAGE);
  const alex = await trainingJson('personas', 'add', orgId, ...ROBIN, '--name', 'Alex', '--voice', 'v1', ...ON_A_STAGE);
  const { out } = await training('personas', 'list', orgId);
  expect(out).toMatch(new RegExp(`^PERSONA.*\\n${alex.id} .* de +Alex\\n${robin.id} .* de +Robin Muster\\n$`));
  expect(await personas()).toEqual([alex, robin]);
  expect((await training('personas', 'show', orgId, robin.id)).out).toMatch(
    /voice +the provider's choice\nagent +agent_1\n.*\nmood +ungeduldig\nobjections +Zu teuer\n +Keine Zeit\n/,
  );
  expect(await trainingJson('personas', 'show', orgId, alex.id)).toEqual(alex);
});

test('1: show does not find a persona of another organization', async () => {
  const robin = await trainingJson('personas', 'add', orgId, ...ROBIN, ...ON_A_STAGE);
  const result = await training('personas', 'show', await anOrganization(), robin.id);
  expect(result).toMatchObject({
    code: 1,
    out: '',
    err: `The organization has no persona ${robin.id}: see "training personas list".\n`,
  });
});
