import { requireSetting } from '../../../shared/platform/settings.ts';
import { languageOf } from '../../../shared/training/analysis/language.ts';
import { createDynamoCaseAndPersonaReader } from '../../../shared/training/aws/dynamo-sessions.ts';
import type { TrainingCall } from '../../../shared/training/call.ts';
import type { Persona } from '../../../shared/training/persona.ts';
import type { TrainingCase } from '../../../shared/training/training-case.ts';
import { UserError } from '../../common/user-error.ts';
import type { Rehearsal } from '../../local/elevenlabs/rehearsal.ts';
import type { CommandContext } from '../program/command.ts';
import { toJson } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import { holdRehearsal, type Laptop, laptopIn, openSession, settledCall } from './rehearse-api.ts';
import { outcomeText, turnLine } from './rehearse-text.ts';

type RehearseOptions = { poor: boolean; unreachable: boolean; persona: string | undefined };

/**
 * Rehearses a case as member A of the demo, from the session to the scored call, through the local HTTP API.
 *
 * @throws UserError for a case that can't be rehearsed, and if the call gets no score
 */
export async function runRehearsal(
  caseId: string,
  { persona: personaId, ...options }: RehearseOptions,
  { state, json, terminal: { write, note, columns } }: CommandContext,
): Promise<void> {
  const script = scriptOf(options);
  const laptop = laptopIn(state);
  const { trainingCase, persona } = await materialOf(laptop, caseId, personaId);
  const print = async (text: string) => (json ? undefined : write(text));
  await print(`${printableLine(trainingCase.name)}, with ${printableLine(persona.name)} (${persona.language})\n\n`);
  const session = await openSession(laptop, { caseId: trainingCase.id, personaId: persona.id });
  const { transcript } = await holdRehearsal(requireSetting('voiceBaseUrl'), {
    ...{ signed_url: session.token, first_message: session.firstMessage, script, language: persona.language },
    case: { objective: trainingCase.objective, dos: trainingCase.dos },
    persona: { name: persona.name, objections: persona.objections },
  });
  for (const turn of transcript) await print(turnLine(turn, columns));
  const progress = '\nThe conversation has ended; its analysis follows.';
  if (!json) note(transcript.length === 0 ? 'The customer did not answer.' : progress);
  const call = await settledCall(laptop, session.trainingCallId);
  await write(json ? `${toJson({ script, call })}\n` : `\n${outcomeText(call, columns)}`);
  requireScore(call, script);
}

const scriptOf = ({ poor, unreachable }: Omit<RehearseOptions, 'persona'>): Rehearsal['script'] =>
  unreachable ? 'unreachable' : poor ? 'poor' : 'good';

function requireScore({ status }: TrainingCall, script: Rehearsal['script']): void {
  if (script === 'unreachable' || status === 'ready') return;
  throw new UserError(`The call is ${status} and has no score: see functions.log in the state folder.`);
}

async function materialOf(
  { organizations, personaIds }: Laptop,
  caseId: string,
  wanted: string | undefined,
): Promise<{ trainingCase: TrainingCase; persona: Persona }> {
  const asked = wanted === undefined ? personaIds : [wanted];
  const found = await Promise.all(
    asked.map((personaId) => createDynamoCaseAndPersonaReader().find(organizations.a.id, { caseId, personaId })),
  );
  const trainingCase = found[0]?.trainingCase;
  if (trainingCase === undefined) throw new UserError(`Organization A of the demo has no case ${caseId}.`);
  if (trainingCase.archivedAt !== null) {
    throw new UserError(
      `The case “${trainingCase.name}” was archived on ${trainingCase.archivedAt.slice(0, 10)}: it can no longer be rehearsed.`,
    );
  }
  const personas = found.flatMap(({ persona }) => persona ?? []);
  const language = languageOf([trainingCase.situation, trainingCase.objective].join(' '));
  const persona = personas.find((one) => one.language === language) ?? personas[0];
  if (persona === undefined) throw new UserError(`Organization A of the demo has no persona ${asked.join(', ')}.`);
  return { trainingCase, persona };
}
