import { readFile } from 'node:fs/promises';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import type { SecretStore } from '../../../shared/platform/secret-store.ts';
import { createVoiceProvider } from '../../../shared/training/elevenlabs/create-voice-provider.ts';
import { NewPersona, type Persona } from '../../../shared/training/persona.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { formatFields, formatMinute, formatSecond } from '../terminal/format.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { recordsFor } from './dependencies.ts';
import { createDynamoPersonaRepository } from './dynamo-persona-repository.ts';
import { addPersona } from './persona-repository.ts';
import '../../../shared/platform/zod-english-messages.ts';

type Json = { json?: true };

export type NewPersonaOptions = Json & {
  stage?: string;
  file?: string;
  agent?: string;
  name?: string;
  language?: string;
  voice?: string;
  character?: string;
  mood?: string;
  objection?: string[];
};

/** Gives an organization a simulated customer. @throws FriendlyError for what does not describe one */
export async function addPersonaTo(orgId: string, options: NewPersonaOptions, { write }: Terminal): Promise<void> {
  const said = await saidIn(options);
  const ports = {
    personas: createDynamoPersonaRepository(await recordsFor(orgId)),
    voice: createVoiceProvider(options.stage === undefined ? createExtensionSecretStore() : operatorsKey(options)),
    clock: systemClock,
    newId: systemIdGenerator.uuid,
  };
  const persona = await addPersona(ports, orgId, said, options.agent);
  await write(options.json ? jsonOf(persona) : personaText(persona));
}

/** A deployment's secret is read by its functions alone. @throws FriendlyError where a key is needed and none is given */
function operatorsKey({ agent }: NewPersonaOptions): SecretStore {
  const key = process.env.VOICE_API_KEY ?? '';
  if (key === '' && agent === undefined) {
    throw new UserError(
      'VOICE_API_KEY is not set: put the API key of the voice provider there, or name an agent of yours with --agent.',
    );
  }
  return { read: async () => key };
}

/** Without these there is no customer; each is an option too. */
const NEEDED = ['name', 'language', 'character', 'mood'] as const;

const listOf = (parts: readonly string[]): string => new Intl.ListFormat('en').format(parts.map((part) => `--${part}`));

/** What a file says, and options in place of it. */
async function saidIn(options: NewPersonaOptions): Promise<NewPersona> {
  const { file, name, language, voice: voiceId, character, mood, objection } = options;
  const given = { name, language, voiceId, character, mood, objections: objection };
  const told = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const said: object = { ...(file !== undefined && (await objectIn(file))), ...told };
  const missing = NEEDED.filter((part) => !(part in said));
  if (missing.length > 0) {
    throw new UserError(`A persona needs more: give ${listOf(missing)}, or a --file that tells them.`);
  }
  const parsed = NewPersona.safeParse(said);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'persona'}: ${message}`);
  throw new UserError(`This does not describe a persona: ${faults.join('; ')}.`);
}

async function objectIn(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw notReadable(file, cause);
  });
  const value = tryParseJson(text);
  if (typeof value === 'object' && value !== null) return value;
  throw new UserError(`${file} is not JSON of a persona.`);
}

/** An organization's personas by name. */
export async function listPersonas(orgId: string, { json }: Json, { columns, write, note }: Terminal): Promise<void> {
  const personas: Persona[] = [];
  for await (const persona of createDynamoPersonaRepository(await recordsFor(orgId)).list(orgId))
    personas.push(persona);
  personas.sort((one, other) => one.name.localeCompare(other.name, 'en'));
  if (json) return write(`${printableJson(JSON.stringify({ personas }))}\n`);
  if (personas.length === 0) return note('There are no personas yet.');
  const rows = personas.map(({ id, createdAt, language, name }) => [
    ...[id, formatMinute(createdAt), language],
    printableLine(name),
  ]);
  await write(formatTable({ head: ['PERSONA', 'MADE, UTC', 'SPEAKS', 'NAME'], widths: [36, 16, 6], columns }, rows));
}

/** Everything that is kept of a persona. @throws FriendlyError when there is no such persona */
export async function showPersona(
  orgId: string,
  personaId: string,
  { json }: Json,
  { write }: Terminal,
): Promise<void> {
  const persona = await createDynamoPersonaRepository(await recordsFor(orgId)).find(orgId, personaId);
  if (persona === undefined) throw new UserError(`The organization has no persona ${personaId}.`);
  await write(json ? jsonOf(persona) : personaText(persona));
}

const jsonOf = (persona: Persona): string => `${printableJson(JSON.stringify(persona))}\n`;

const personaText = (persona: Persona): string =>
  formatFields([
    ['id', persona.id],
    ['name', printableLine(persona.name)],
    ['language', persona.language],
    ['voice', printableLine(persona.voiceId ?? "the provider's choice")],
    ['agent', printableLine(persona.agentId)],
    ['character', printableLine(persona.character)],
    ['mood', printableLine(persona.mood)],
    ...persona.objections.map((objection, at): [string, string] => [
      at === 0 ? 'objections' : '',
      printableLine(objection),
    ]),
    ['made', `${formatSecond(persona.createdAt)} UTC`],
  ]);
