import { readFile } from 'node:fs/promises';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { NewPersona, PERSONA_LANGUAGES, type Persona } from '../../../shared/training/persona.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { listOfOrganization } from '../organizations/list-command.ts';
import { choice, command, group, option } from '../program/command.ts';
import { idArgument, organizationArgument } from '../program/parameters.ts';
import { formatList, formatMinute, formatUtc } from '../terminal/format.ts';
import { Fields } from '../terminal/output.ts';
import { createDynamoPersonaRepository, storePersona } from './dynamo-persona-repository.ts';
import { operatorVoiceProvider } from './voice-provider.ts';
import '../../../shared/platform/zod-english-messages.ts';

const add = command({
  name: 'add',
  description:
    'Adds a persona: a simulated customer, whom an agent at the voice provider plays. Without --agent, creates this ' +
    'agent.',
  args: { orgId: organizationArgument },
  options: {
    name: option('--name <text>', 'name of the customer, 1 to 80 characters'),
    language: choice('--language <code>', 'language of the customer', PERSONA_LANGUAGES),
    character: option('--character <text>', 'who the customer is and how they talk, up to 500 characters'),
    mood: option('--mood <text>', 'how the customer feels today, up to 200 characters'),
    objection: option<string[]>(
      '--objection <text>',
      'objection that the customer raises, up to 200 characters; repeatable, for at most ten objections',
      (given, before: string[] = []) => [...before, given],
    ),
    voice: option('--voice <id>', "id of a voice of the voice provider (default: the provider's choice)"),
    file: option(
      '--file <file>',
      'JSON file with `name`, `language`, `character`, `mood`, `objections`, `voiceId`; an option replaces the value ' +
        'in the file; --objection replaces all objections in the file',
    ),
    agent: option(
      '--agent <id>',
      'id of an existing agent at the voice provider, instead of a new agent; the agent keeps its own voice, even ' +
        'with --voice',
    ),
  },
  json: 'one JSON object: the persona',
  help: `--name, --language, --character and --mood are required, unless the file has them.
With --stage and without --agent, set the environment variable VOICE_API_KEY to
the API key of the voice provider.`,
  run: async ({ orgId, file, agent, ...given }, { stage }) => {
    const input = await parsePersona(file, {
      name: given.name,
      language: given.language,
      voiceId: given.voice,
      character: given.character,
      mood: given.mood,
      objections: given.objection,
    });
    await requireOrganization(orgId);
    const createAgent = () => operatorVoiceProvider(stage, 'or give an existing agent with --agent').createAgent(input);
    const agentId = agent ?? (await createAgent());
    const createdAt = new Date(systemClock.now()).toISOString();
    const persona = { ...input, id: systemIdGenerator.uuid(), agentId, createdAt };
    await storePersona(createDynamoPersonaRepository(), orgId, persona);
    return { json: persona, text: personaFields(persona) };
  },
});

const REQUIRED = ['name', 'language', 'character', 'mood'] as const;

/** Reads the persona from a file and from options, which override the file. @throws UserError if it is not valid */
async function parsePersona(file: string | undefined, options: Record<string, unknown>): Promise<NewPersona> {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const persona: object = { ...(file !== undefined && (await readObject(file))), ...given };
  const missing = REQUIRED.filter((part) => !(part in persona)).map((part) => `--${part}`);
  if (missing.length > 0) {
    throw new UserError(`The persona is incomplete: give ${formatList(missing)}, or a --file with them.`);
  }
  const parsed = NewPersona.safeParse(persona);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'persona'}: ${message}`);
  throw new UserError(`The persona is not valid: ${issues.join('; ')}.`);
}

async function readObject(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw notReadable(file, cause);
  });
  const value = tryParseJson(text);
  if (typeof value === 'object' && value !== null) return value;
  throw new UserError(`${file} is not a JSON object.`);
}

const list = listOfOrganization({
  name: 'personas',
  description: 'Lists personas ordered by name.',
  list: (orgId) => createDynamoPersonaRepository().list(orgId),
  compare: (one, other) => one.name.localeCompare(other.name, 'en'),
  columns: [
    { head: 'PERSONA', width: 36, value: ({ id }) => id },
    { head: 'CREATED, UTC', width: 16, value: ({ createdAt }) => formatMinute(createdAt) },
    { head: 'SPEAKS', width: 6, value: ({ language }) => language },
    { head: 'NAME', value: ({ name }) => name },
  ],
  empty: 'There are no personas yet: see "training personas add".',
});

const show = command({
  name: 'show',
  description: 'Shows all stored data of a persona.',
  args: { orgId: organizationArgument, personaId: idArgument('persona') },
  json: 'one JSON object: the persona',
  run: async ({ orgId, personaId }) => {
    await requireOrganization(orgId);
    const persona = await createDynamoPersonaRepository().find(orgId, personaId);
    if (persona === undefined)
      throw new UserError(`The organization has no persona ${personaId}: see "training personas list".`);
    return { json: persona, text: personaFields(persona) };
  },
});

const personaFields = (persona: Persona): Fields =>
  new Fields(
    ['id', persona.id],
    ['name', persona.name],
    ['language', persona.language],
    ['voice', persona.voiceId ?? "the provider's choice"],
    ['agent', persona.agentId],
    ['character', persona.character],
    ['mood', persona.mood],
    ['objections', persona.objections],
    ['created', formatUtc(persona.createdAt)],
  );

export const personas = group('personas', 'Simulated customers: add, list and show them.', [add, list, show]);
