import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { listOfOrganization } from '../organizations/list-command.ts';
import { command, group } from '../program/command.ts';
import { idArgument, organizationArgument } from '../program/parameters.ts';
import { formatMinute, formatUtc } from '../terminal/format.ts';
import { Fields } from '../terminal/output.ts';
import { createDynamoCaseAdminRepository } from './dynamo-case-admin-repository.ts';

const caseArgs = { orgId: organizationArgument, caseId: idArgument('case') };
const unknownCase = (caseId: string) =>
  new UserError(`The organization has no case ${caseId}: see "training cases list".`);

const list = listOfOrganization({
  name: 'cases',
  description: 'Lists cases, newest first; archived cases are marked.',
  list: (orgId) => createDynamoCaseAdminRepository().list(orgId),
  compare: (one, other) => (one.createdAt > other.createdAt ? -1 : 1),
  columns: [
    { head: 'CASE', width: 36, value: ({ id }) => id },
    { head: 'CREATED, UTC', width: 16, value: ({ createdAt }) => formatMinute(createdAt) },
    { head: 'LEVEL', width: 6, value: ({ difficulty }) => difficulty },
    { head: 'NAME', value: ({ name, archivedAt }) => `${name}${archivedAt === null ? '' : ' (archived)'}` },
  ],
  empty: 'There are no cases yet.',
});

const show = command({
  name: 'show',
  description: 'Shows all stored data of a case.',
  args: caseArgs,
  json: 'one JSON object: the case',
  run: async ({ orgId, caseId }) => {
    await requireOrganization(orgId);
    const found = await createDynamoCaseAdminRepository().find(orgId, caseId);
    if (found === undefined) throw unknownCase(caseId);
    return {
      json: found,
      text: new Fields(
        ['id', found.id],
        ['name', found.name],
        ['description', found.description],
        ['situation', found.situation],
        ['objective', found.objective],
        ['success', found.successCriteria],
        ['difficulty', found.difficulty],
        ['created', formatUtc(found.createdAt)],
        ['archived', formatUtc(found.archivedAt) ?? 'no'],
        ['dos', found.dos.map(({ id, label }) => `${label} (${id})`)],
      ),
    };
  },
});

const archiving = (name: 'archive' | 'restore', description: string) =>
  command({
    name,
    description,
    args: caseArgs,
    json: 'one JSON object: `id`, `archived`, and `changed` (false if `archived` already had this value)',
    run: async ({ orgId, caseId }) => {
      await requireOrganization(orgId);
      const archived = name === 'archive';
      const archivedAt = archived ? new Date(systemClock.now()).toISOString() : null;
      const result = await createDynamoCaseAdminRepository().setArchivedAt(orgId, caseId, archivedAt);
      if (result === 'unknown') throw unknownCase(caseId);
      const changed = result === 'done';
      const effect = archived ? 'New training sessions cannot use it.' : 'New training sessions can use it.';
      const text = `The case is ${changed ? 'now' : 'already'} ${archived ? 'archived' : 'active'}. ${effect}`;
      return { json: { id: caseId, archived, changed }, text };
    },
  });

export const cases = group('cases', 'Training cases: list, show, archive and restore them.', [
  ...[list, show],
  archiving(
    'archive',
    'Archives a case: new training sessions cannot use it; existing calls keep their copy of the case.',
  ),
  archiving('restore', 'Restores an archived case, so that new training sessions can use it.'),
]);
