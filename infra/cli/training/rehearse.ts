import { requireSetting } from '../../../shared/platform/settings.ts';
import { analyseTranscript } from '../../../shared/training/analysis/analyse-transcript.ts';
import { languageOf } from '../../../shared/training/analysis/language.ts';
import { createDynamoCaseAndPersonaReader } from '../../../shared/training/aws/dynamo-case-and-persona-reader.ts';
import type { TrainingCall } from '../../../shared/training/call.ts';
import type { Persona } from '../../../shared/training/persona.ts';
import type { TrainingCase } from '../../../shared/training/training-case.ts';
import { UserError } from '../../common/user-error.ts';
import type { Rehearsal } from '../../local/elevenlabs/rehearsal.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { argument, type CommandContext, command, flag, option } from '../program/command.ts';
import { parseUuid } from '../program/parameters.ts';
import { type Output, Rendered, toJson } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import { createDynamoCaseAdminRepository } from './dynamo-case-admin-repository.ts';
import { holdRehearsal, type LocalDemo, openSession, readLocalDemo, waitForScore } from './rehearse-api.ts';
import { outcomeText, resultText, turnLine } from './rehearse-text.ts';
import { readTranscriptFile } from './transcript-file.ts';

export const rehearse = command({
  name: 'rehearse',
  description:
    'Simulates a call of a demo case with the local rehearsal agent. Stores the call, and prints the conversation and ' +
    'the score.',
  args: {
    caseId: argument(
      '<case>',
      'id of a case of the demo organization A or, with --organization, of that organization; ' +
        'see "training cases list"',
      parseUuid('case'),
    ),
  },
  options: {
    good: flag('--good', 'simulate a trainee who asks questions, listens and does the dos of the case (default)', [
      'poor',
    ]),
    poor: flag('--poor', 'simulate a trainee who talks about prices and interrupts', ['unreachable']),
    unreachable: flag('--unreachable', 'simulate a customer who cannot be reached', ['good']),
    persona: option(
      '--persona <id>',
      'id of a persona of the demo organization A; see "training personas list" (default: a demo persona who ' +
        'speaks the language of the case)',
      parseUuid('persona'),
    ),
    transcript: option(
      '--transcript <file>',
      'instead of simulating a call, score the conversation in this text file, without a language model, and store ' +
        'nothing; each line of the file begins with "trainee:" or "customer:", optionally after a time in minutes and ' +
        'seconds, such as [01:05]',
      undefined,
      { conflicts: ['good', 'poor', 'unreachable', 'persona'] },
    ),
    organization: option(
      '--organization <id>',
      'with --transcript: id of the organization that has the case (default: the demo organization A)',
      parseUuid('organization'),
    ),
  },
  help: 'Works only in the local environment: the command rejects --stage.',
  json:
    'one JSON object: `script` (`good`, `poor` or `unreachable`) and `call`; with --transcript, `transcript`, ' +
    '`analysis` and `score`',
  check: ({ organization, transcript }, { stage }) => {
    if (organization !== undefined && transcript === undefined) return '--organization needs --transcript';
    return stage === undefined
      ? undefined
      : 'omit --stage: rehearsals need the local environment, because a deployment uses the real voice provider';
  },
  run: ({ caseId, transcript, organization, ...options }, context) =>
    transcript === undefined
      ? runRehearsal(caseId, options, context)
      : scoreTranscript(caseId, { transcript, organization }, context),
});

type RehearseOptions = { poor: boolean; unreachable: boolean; persona: string | undefined };

/**
 * Rehearses a case as member A of the demo through the local HTTP API, and prints the scored call.
 *
 * @throws UserError if the case can't be rehearsed, or if the call has a conversation but gets no score
 */
async function runRehearsal(
  caseId: string,
  { persona: personaId, ...options }: RehearseOptions,
  { state, json, terminal: { write, note, columns } }: CommandContext,
): Promise<void> {
  const script = scriptOf(options);
  const demo = readLocalDemo(state);
  const { trainingCase, persona } = await findCaseAndPersona(demo, caseId, personaId);
  const print = async (text: string) => (json ? undefined : write(text));
  await print(`${printableLine(trainingCase.name)}, with ${printableLine(persona.name)} (${persona.language})\n\n`);
  const session = await openSession(demo, { caseId: trainingCase.id, personaId: persona.id });
  const { transcript } = await holdRehearsal(requireSetting('voiceBaseUrl'), {
    signed_url: session.token,
    first_message: session.firstMessage,
    script,
    language: persona.language,
    case: { objective: trainingCase.objective, dos: trainingCase.dos },
    persona: { name: persona.name, objections: persona.objections },
  });
  for (const turn of transcript) await print(turnLine(turn, columns));
  const progress = '\nThe conversation has ended; its analysis follows.';
  if (!json) note(transcript.length === 0 ? 'The customer could not be reached.' : progress);
  const call = await waitForScore(demo, session.trainingCallId);
  await write(json ? `${toJson({ script, call })}\n` : `\n${outcomeText(call, columns)}`);
  requireScore(call, script);
}

const scriptOf = ({ poor, unreachable }: Omit<RehearseOptions, 'persona'>): Rehearsal['script'] =>
  unreachable ? 'unreachable' : poor ? 'poor' : 'good';

function requireScore({ status }: TrainingCall, script: Rehearsal['script']): void {
  if (script === 'unreachable' || status === 'ready') return;
  throw new UserError(`The call has the status "${status}" and no score: see functions.log in the state folder.`);
}

async function findCaseAndPersona(
  { organizations, personaIds }: LocalDemo,
  caseId: string,
  wanted: string | undefined,
): Promise<{ trainingCase: TrainingCase; persona: Persona }> {
  const candidateIds = wanted === undefined ? personaIds : [wanted];
  const found = await Promise.all(
    candidateIds.map((personaId) => createDynamoCaseAndPersonaReader().find(organizations.a.id, { caseId, personaId })),
  );
  const trainingCase = found[0]?.trainingCase;
  if (trainingCase === undefined)
    throw new UserError(`Organization A of the demo has no case ${caseId}: see "training cases list".`);
  if (trainingCase.archivedAt !== null) {
    throw new UserError(
      `The case “${trainingCase.name}” was archived on ${trainingCase.archivedAt.slice(0, 10)}: ` +
        'restore the case with "training cases restore", and try again.',
    );
  }
  const personas = found.flatMap(({ persona }) => persona ?? []);
  const language = languageOf([trainingCase.situation, trainingCase.objective].join(' '));
  const persona = personas.find((one) => one.language === language) ?? personas[0];
  if (persona === undefined)
    throw new UserError(
      `Organization A of the demo has no persona ${candidateIds.join(', ')}: see "training personas list".`,
    );
  return { trainingCase, persona };
}

/**
 * Scores a written transcript like a call of the case, without a language model. Stores nothing.
 *
 * @throws UserError for an invalid transcript, and for an unknown organization or case
 */
async function scoreTranscript(
  caseId: string,
  { transcript, organization }: { transcript: string; organization: string | undefined },
  { state, terminal: { columns } }: CommandContext,
): Promise<Output> {
  const turns = await readTranscriptFile(transcript);
  const orgId = organization ?? readLocalDemo(state).organizations.a.id;
  await requireOrganization(orgId);
  const trainingCase = await createDynamoCaseAdminRepository().find(orgId, caseId);
  if (trainingCase === undefined) {
    throw new UserError(
      `The organization ${orgId} has no case ${caseId}: see "training cases list", or give another --organization.`,
    );
  }
  const result = analyseTranscript({ trainingCase, turns, durationSeconds: null, interruptions: null });
  const lines = turns.map(({ timeInCallSecs, ...turn }) =>
    turnLine({ ...turn, time_in_call_secs: timeInCallSecs }, columns),
  );
  const text = `${printableLine(trainingCase.name)}\n\n${lines.join('')}\n${resultText(result, columns)}`;
  return { json: { transcript: turns, ...result }, text: new Rendered(text) };
}
