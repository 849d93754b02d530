import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator as ids } from '../../../shared/platform/id-generator.ts';
import { UserError } from '../../common/user-error.ts';
import { followUpCommand } from '../environment/environment-options.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { argument, type CommandContext, command, flag, option } from '../program/command.ts';
import { dryRun, funnelArgument, organizationArgument, parseUuid } from '../program/parameters.ts';
import { type Output, Rendered } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { NOTHING_CHANGED } from '../terminal/terminal.ts';
import { readDefinitionFile } from './definition-file.ts';
import { funnelRepository, listFunnels } from './dependencies.ts';
import { describeDiff, describeRisks } from './format.ts';
import { createFunnel, getDefinition, unpublishFunnel } from './funnel-lifecycle.ts';
import {
  applyPublication,
  getPreviousVersionId,
  type PublicationPlan,
  planDefinition,
  planStoredVersion,
  requireFunnel,
} from './publication.ts';

export const FILE = 'a JSON file; "funnels schema" prints its schema';

export const create = command({
  name: 'create',
  description:
    'Creates a funnel from a file and prints the funnel id; visitors can use the funnel once it is published.',
  args: { orgId: organizationArgument, path: argument('<file>', FILE) },
  options: {
    publish: flag('--publish', 'publish the funnel immediately'),
    yes: flag('--yes', 'do not ask for confirmation, even if a funnel with this name exists'),
  },
  json: 'one JSON object: `id`, `publishedVersionId`',
  help: `To store the id in a shell variable:
  FUNNEL=$(npm run -s admin -- funnels create <organization> <file>)`,
  run: async ({ orgId, path, publish: isPublished, yes }, context) => {
    const { terminal, confirm, json } = context;
    const definition = await readDefinitionFile(path, json, terminal);
    await requireOrganization(orgId);
    // A repeated command would create a second funnel, which is rarely intended. Therefore the user must confirm it.
    const same = (await listFunnels(orgId)).find(
      ({ funnel }) => funnel?.name === definition.name && funnel.archivedAt === null,
    );
    if (same !== undefined) {
      const question = `The organization already has a funnel with this name (${same.id}). Create another funnel?`;
      if (terminal.ask === undefined && !yes) {
        throw new UserError(`${question} Confirm with --yes, or publish to the existing funnel. ${NOTHING_CHANGED}`);
      }
      await confirm(question, yes);
    }
    const ports = { funnels: funnelRepository(), clock, ids };
    const { id } = await createFunnel(ports, orgId, definition);
    const publishCommand = followUpCommand(context, `funnels publish ${id}`);
    if (!isPublished) {
      const hints = [`${definition.name} is created. Publish it with: ${publishCommand}`];
      return { json: { id, publishedVersionId: null }, text: id, hints };
    }
    const plan = await planDefinition(ports.funnels, id, definition);
    await applyPublication(ports, plan).catch((cause: unknown) => {
      const why = (cause instanceof Error ? cause.message : String(cause)).replace(/\.?$/, '.');
      throw new UserError(
        `The funnel ${id} was created, but could not be published: ${why} To publish it, run: ${publishCommand}`,
        { cause },
      );
    });
    return {
      json: { id, publishedVersionId: plan.version.id },
      text: id,
      hints: [`${definition.name} is published, as version ${plan.version.id}.`],
    };
  },
});

const publishOptions = {
  dryRun,
  yes: flag('--yes', 'do not ask for confirmation, even if fields or limits are removed or fields change their type'),
};
const json = 'one JSON object: `id` of the funnel, `versionId`, `changed`, `dryRun`, `changes`';

export const publish = command({
  name: 'publish',
  description:
    'Publishes a version of a funnel and prints the version id; visitors who have the funnel open keep their version.',
  args: {
    funnelId: funnelArgument,
    path: argument<string | undefined>(
      '[file]',
      `${FILE} (default: the last published version, or the draft if no version was published)`,
    ),
  },
  options: {
    version: option('--version <id>', 'id of an existing version to publish instead of a file', parseUuid('version')),
    ...publishOptions,
  },
  json,
  run: async ({ funnelId, path, version, ...options }, context) => {
    if (path !== undefined && version !== undefined) throw new UserError('Give a file or --version, not both.');
    const definition = path === undefined ? undefined : await readDefinitionFile(path, context.json, context.terminal);
    const funnels = funnelRepository();
    if (definition) return publishPlan(await planDefinition(funnels, funnelId, definition), options, context);
    const versionId = version ?? (await requireFunnel(funnels, funnelId)).publishedVersionId;
    const plan =
      versionId === null
        ? await planDefinition(funnels, funnelId, await getDefinition(funnels, funnelId))
        : await planStoredVersion(funnels, funnelId, versionId);
    return publishPlan(plan, options, context);
  },
});

export const rollback = command({
  name: 'rollback',
  description:
    'Publishes the previous version again. Settings such as limits and allowed origins are set to those in the file ' +
    'of that version.',
  args: { funnelId: funnelArgument },
  options: {
    to: option('--to <version>', 'id of another version to publish; see "funnels versions"', parseUuid('version')),
    ...publishOptions,
  },
  json,
  run: async ({ funnelId, to, ...options }, context) => {
    const funnels = funnelRepository();
    const versionId = to ?? (await getPreviousVersionId(funnels, funnelId));
    return publishPlan(await planStoredVersion(funnels, funnelId, versionId), options, context);
  },
});

async function publishPlan(
  plan: PublicationPlan,
  { dryRun: isDryRun, yes }: { dryRun: boolean; yes: boolean },
  { terminal, confirm, json: isJson }: CommandContext,
): Promise<Output> {
  const { funnel, version, changes, isAlreadyPublished } = plan;
  if (!isDryRun) {
    if (!isJson) terminal.note(describePlan(plan));
    const risks = describeRisks(changes);
    if (risks !== undefined && !isAlreadyPublished) await confirm(`After this publication, ${risks}. Publish?`, yes);
    await applyPublication({ funnels: funnelRepository(), clock }, plan);
  }
  const done = isAlreadyPublished
    ? 'This version is already published.'
    : 'Published. Visitors who open the funnel get this version within 30 seconds.';
  return {
    json: { id: funnel.id, versionId: version.id, changed: !isAlreadyPublished, dryRun: isDryRun, changes },
    text: isDryRun ? new Rendered(`${describePlan(plan)}\n`) : version.id,
    hints: [isDryRun ? NOTHING_CHANGED : done],
  };
}

function describePlan({ funnel, changes, isAlreadyPublished }: PublicationPlan): string {
  if (isAlreadyPublished) return 'This is the published version.';
  const lines = describeDiff(changes);
  if (funnel.publishedVersionId === null) return printable(['First publication, with:', ...lines].join('\n'));
  const base = funnel.unpublishedAt === null ? 'the published version' : 'the last published version';
  if (lines.length === 0) return `No changes against ${base}.`;
  return printable([`Changes against ${base} (${funnel.publishedVersionId}):`, ...lines].join('\n'));
}

export const unpublish = command({
  name: 'unpublish',
  description: 'Unpublishes a funnel; visitors who have the funnel open can submit for 24 more hours.',
  args: { funnelId: funnelArgument },
  json: 'one JSON object: `id`, `published`, `changed`',
  run: async ({ funnelId }) => {
    const result = await unpublishFunnel({ funnels: funnelRepository(), clock }, funnelId);
    if (result === 'never published') throw new UserError(`The funnel was never published. ${NOTHING_CHANGED}`);
    const changed = result === 'done';
    return {
      json: { id: funnelId, published: false, changed },
      text: changed
        ? 'The funnel is unpublished. Visitors who have it open can submit for 24 more hours.'
        : 'The funnel is already unpublished.',
    };
  },
});
