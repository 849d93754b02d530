import { analyseCall } from '../../../shared/training/analysis/analyse-call.ts';
import { UserError } from '../../common/user-error.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { recordsFor } from './dependencies.ts';
import { createDynamoCaseAdminRepository } from './dynamo-case-admin-repository.ts';
import { laptopIn } from './rehearse-api.ts';
import { resultText, turnLine } from './rehearse-text.ts';
import { readTranscriptFile } from './transcript-file.ts';

type Options = EnvironmentOptions & { transcript: string; organization?: string; json?: true };

/**
 * Scores a transcript that a person wrote as a call of a case, without a language model. Nothing is stored.
 *
 * @throws FriendlyError for a file that is no transcript, and for an unknown organization or case
 */
export async function rehearseTranscript(caseId: string, options: Options, { write, columns }: Terminal) {
  const turns = await readTranscriptFile(options.transcript);
  const orgId = options.organization ?? laptopIn(options.state).organizations.a.id;
  const trainingCase = await createDynamoCaseAdminRepository(await recordsFor(orgId)).find(orgId, caseId);
  if (trainingCase === undefined) {
    throw new UserError(`The organization ${orgId} has no case ${caseId}: name its own with --organization.`);
  }
  const result = analyseCall({ trainingCase, turns, durationSeconds: null, interruptions: null });
  if (options.json) return write(`${printableJson(JSON.stringify({ transcript: turns, ...result }))}\n`);
  await write(`${printableLine(trainingCase.name)}\n\n`);
  for (const { timeInCallSecs, ...turn } of turns) {
    await write(turnLine({ ...turn, time_in_call_secs: timeInCallSecs }, columns));
  }
  await write(`\n${resultText(result, columns)}`);
}
