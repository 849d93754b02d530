import { readFile } from 'node:fs/promises';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import type { SecretStore } from '../../../shared/platform/secret-store.ts';
import { createVoiceProvider } from '../../../shared/training/elevenlabs/create-voice-provider.ts';
import { NewPersona, PERSONA_LANGUAGES, type Persona } from '../../../shared/training/persona.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { collect } from '../collect.ts';
import { choice, command, group, option } from '../program/command.ts';
import { idArgument, organizationArgument } from '../program/parameters.ts';
import { formatList, formatMinute, formatUtc } from '../terminal/format.ts';
import { Fields, table } from '../terminal/output.ts';
import { recordsFor } from './dependencies.ts';
import { createDynamoPersonaRepository } from './dynamo-persona-repository.ts';
import { addPersona } from './persona-repository.ts';
import '../../../shared/platform/zod-english-messages.ts';

const personaRepository = async (orgId: string) => createDynamoPersonaRepository(await recordsFor(orgId));

const add = command({
  name: 'add',
  description: 'Adds a simulated customer, with its own agent at the voice provider.',
  args: { orgId: organizationArgument },
  options: {
    name: option('--name <text>', 'name with which the customer introduces themselves, 1 to 80 characters'),
    language: choice('--language <code>', 'language of the customer', PERSONA_LANGUAGES),
    character: option('--character <text>', 'who they are and how they talk, up to 500 characters'),
    mood: option('--mood <text>', 'how they feel today, up to 200 characters'),
    objection: option<string[]>(
      '--objection <text>',
      'an objection of theirs, up to 200 characters; up to ten times',
      (given, before: string[] = []) => [...before, given],
    ),
    voice: option('--voice <id>', "a voice of the provider (default: the provider's choice)"),
    file: option(
      '--file <json>',
      'a file with these as `name`, `language`, `character`, `mood`, `objections`, `voiceId`',
    ),
    agent: option('--agent <id>', 'an existing agent of the provider, instead of a new one'),
  },
  json: 'one JSON object',
  help: `Required are --name, --language, --character and --mood, or a --file with them.
With --stage, the API key of the voice provider is read from VOICE_API_KEY.`,
  run: async ({ orgId, file, agent, ...given }, { stage }) => {
    const input = await parsePersona(file, {
      ...{ name: given.name, language: given.language, voiceId: given.voice },
      ...{ character: given.character, mood: given.mood, objections: given.objection },
    });
    const ports = {
      personas: await personaRepository(orgId),
      voice: createVoiceProvider(stage === undefined ? createExtensionSecretStore() : operatorKey(agent)),
      clock: systemClock,
      newId: systemIdGenerator.uuid,
    };
    const persona = await addPersona(ports, orgId, input, agent);
    return { json: persona, text: personaFields(persona) };
  },
});

/** Only functions can read the secret of a deployment. @throws UserError where a key is needed and missing */
function operatorKey(agent: string | undefined): SecretStore {
  const key = process.env.VOICE_API_KEY ?? '';
  if (key === '' && agent === undefined) {
    throw new UserError(
      'VOICE_API_KEY is not set: set it to the API key of the voice provider, or name an existing agent with --agent.',
    );
  }
  return { read: async () => key };
}

const REQUIRED = ['name', 'language', 'character', 'mood'] as const;

/** The persona of a file; options override it. */
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

const list = command({
  name: 'list',
  description: 'Lists personas by name.',
  args: { orgId: organizationArgument },
  json: 'one JSON object: `personas`',
  run: async ({ orgId }) => {
    const found = await collect((await personaRepository(orgId)).list(orgId));
    found.sort((one, other) => one.name.localeCompare(other.name, 'en'));
    const columns = [
      { head: 'PERSONA', width: 36, value: ({ id }: Persona) => id },
      { head: 'CREATED, UTC', width: 16, value: ({ createdAt }: Persona) => formatMinute(createdAt) },
      { head: 'SPEAKS', width: 6, value: ({ language }: Persona) => language },
      { head: 'NAME', value: ({ name }: Persona) => name },
    ];
    return { json: { personas: found }, text: table(found, columns, 'There are no personas yet.') };
  },
});

const show = command({
  name: 'show',
  description: 'Shows all stored data of a persona.',
  args: { orgId: organizationArgument, personaId: idArgument('persona') },
  json: 'one JSON object',
  run: async ({ orgId, personaId }) => {
    const persona = await (await personaRepository(orgId)).find(orgId, personaId);
    if (persona === undefined) throw new UserError(`The organization has no persona ${personaId}.`);
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
