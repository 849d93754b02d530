import { analyseCall } from '../../../shared/training/analysis/analyse-call.ts';
import { UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import type { CommandContext } from '../program/command.ts';
import { type Output, Rendered } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import { createDynamoCaseAdminRepository } from './dynamo-case-admin-repository.ts';
import { laptopIn } from './rehearse-api.ts';
import { resultText, turnLine } from './rehearse-text.ts';
import { readTranscriptFile } from './transcript-file.ts';

/**
 * Scores a written transcript as a call of a case, without a language model. Stores nothing.
 *
 * @throws UserError for an invalid transcript, and for an unknown organization or case
 */
export async function scoreTranscript(
  caseId: string,
  { transcript, organization }: { transcript: string; organization: string | undefined },
  { state, terminal: { columns } }: CommandContext,
): Promise<Output> {
  const turns = await readTranscriptFile(transcript);
  const orgId = organization ?? laptopIn(state).organizations.a.id;
  await requireOrganization(orgId);
  const trainingCase = await createDynamoCaseAdminRepository().find(orgId, caseId);
  if (trainingCase === undefined) {
    throw new UserError(`The organization ${orgId} has no case ${caseId}: give its organization with --organization.`);
  }
  const result = analyseCall({ trainingCase, turns, durationSeconds: null, interruptions: null });
  const lines = turns.map(({ timeInCallSecs, ...turn }) =>
    turnLine({ ...turn, time_in_call_secs: timeInCallSecs }, columns),
  );
  const text = `${printableLine(trainingCase.name)}\n\n${lines.join('')}\n${resultText(result, columns)}`;
  return { json: { transcript: turns, ...result }, text: new Rendered(text) };
}
