import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { collect } from '../collect.ts';
import { command, group } from '../program/command.ts';
import { idArgument, organizationArgument } from '../program/parameters.ts';
import { formatMinute, formatUtc } from '../terminal/format.ts';
import { Fields, table } from '../terminal/output.ts';
import type { CaseSummary } from './case-admin-repository.ts';
import { recordsFor } from './dependencies.ts';
import { createDynamoCaseAdminRepository } from './dynamo-case-admin-repository.ts';

const caseArgs = { orgId: organizationArgument, caseId: idArgument('case') };
const caseRepository = async (orgId: string) => createDynamoCaseAdminRepository(await recordsFor(orgId));
const unknownCase = (caseId: string) => new UserError(`The organization has no case ${caseId}.`);

const list = command({
  name: 'list',
  description: 'Lists cases, newest first; archived ones are marked.',
  args: { orgId: organizationArgument },
  json: 'one JSON object: `cases`',
  run: async ({ orgId }) => {
    const found = await collect((await caseRepository(orgId)).list(orgId));
    found.sort((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
    const columns = [
      { head: 'CASE', width: 36, value: ({ id }: CaseSummary) => id },
      { head: 'CREATED, UTC', width: 16, value: ({ createdAt }: CaseSummary) => formatMinute(createdAt) },
      { head: 'LEVEL', width: 6, value: ({ difficulty }: CaseSummary) => difficulty },
      {
        head: 'NAME',
        value: ({ name, archivedAt }: CaseSummary) => `${name}${archivedAt === null ? '' : ' (archived)'}`,
      },
    ];
    return { json: { cases: found }, text: table(found, columns, 'There are no cases yet.') };
  },
});

const show = command({
  name: 'show',
  description: 'Shows all stored data of a case.',
  args: caseArgs,
  json: 'one JSON object',
  run: async ({ orgId, caseId }) => {
    const found = await (await caseRepository(orgId)).find(orgId, caseId);
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
    ...{ name, description },
    args: caseArgs,
    json: 'one JSON object',
    run: async ({ orgId, caseId }) => {
      const repository = await caseRepository(orgId);
      const archived = name === 'archive';
      const result = await (archived
        ? repository.archive(orgId, caseId, systemClock.now())
        : repository.restore(orgId, caseId));
      if (result === 'unknown') throw unknownCase(caseId);
      const changed = result === 'done';
      const effect = archived ? 'No session can be opened with it.' : 'Sessions can be opened with it.';
      const text = `The case is ${changed ? 'now' : 'already'} ${archived ? 'archived' : 'active'}. ${effect}`;
      return { json: { id: caseId, archived, changed }, text };
    },
  });

export const cases = group('cases', 'Cases for rehearsals: list, show, archive and restore them.', [
  ...[list, show],
  archiving('archive', 'Prevents new sessions with a case; calls keep their copy of it.'),
  archiving('restore', 'Allows sessions with an archived case again.'),
]);
