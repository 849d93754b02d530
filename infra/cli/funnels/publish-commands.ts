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

export const FILE = 'funnel file (JSON); "funnels schema" prints the JSON Schema';

export const create = command({
  name: 'create',
  description:
    'Creates a funnel from a file and prints the funnel id; visitors can use the funnel once it is published.',
  args: { orgId: organizationArgument, path: argument('<file>', FILE) },
  options: {
    publish: flag('--publish', 'publish the funnel immediately'),
    yes: flag(
      '--yes',
      'do not ask for the confirmation that is needed if the organization has a funnel with the name in the file',
    ),
  },
  json: 'one JSON object: `id`, `publishedVersionId` (null without --publish)',
  help: `To store the funnel id in a shell variable:
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
  yes: flag(
    '--yes',
    'do not ask for the confirmation that is needed if the publication removes fields or limits, or changes the type ' +
      'of a field',
  ),
};
const json =
  'one JSON object: `id` of the funnel, `versionId`, `changed` (false if this version is already published with ' +
  'the settings in its file), `dryRun` (true with --dry-run), and `changes` (compared with the version that was ' +
  'published last)';

export const publish = command({
  name: 'publish',
  description:
    'Publishes a new version from a funnel file, or an existing version, and prints the version id. Visitors who ' +
    'have the funnel open keep their version.',
  args: {
    funnelId: funnelArgument,
    path: argument<string | undefined>('[file]', FILE),
  },
  options: {
    version: option(
      '--version <id>',
      'id of an existing version to publish instead of a file; see "funnels versions"',
      parseUuid('version'),
    ),
    ...publishOptions,
  },
  json,
  help: `If you give neither a file nor --version, the command publishes the version that
was published last or, if no version was ever published, the draft. The draft is
the funnel file that was given to "funnels create".
The settings in the funnel file of the version, such as limits and allowed
origins, replace the current settings of the funnel.`,
  check: ({ path, version }) =>
    path !== undefined && version !== undefined ? 'give a file or --version, not both' : undefined,
  run: async ({ funnelId, path, version, ...options }, context) => {
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
    'Publishes an earlier version again: the previous version, or the version that --to names. The settings in the ' +
    'funnel file of that version, such as limits and allowed origins, replace the current settings of the funnel.',
  args: { funnelId: funnelArgument },
  options: {
    to: option(
      '--to <version>',
      'id of the version to publish instead of the previous version; see "funnels versions"',
      parseUuid('version'),
    ),
    ...publishOptions,
  },
  json,
  help: `Each version records which version it replaced. A rollback publishes that
version: after v1, v2 and v3, the first rollback publishes v2, and the second
publishes v1. To return to v3, use --to. For an unpublished funnel, --to is
required.`,
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
  description:
    'Unpublishes a funnel. The funnel accepts requests for 24 more hours, so that visitors who use it can finish.',
  args: { funnelId: funnelArgument },
  json: 'one JSON object: `id`, `published`, and `changed` (false if the funnel was already unpublished)',
  run: async ({ funnelId }) => {
    const result = await unpublishFunnel({ funnels: funnelRepository(), clock }, funnelId);
    if (result === 'never published') throw new UserError(`The funnel was never published. ${NOTHING_CHANGED}`);
    const changed = result === 'done';
    return {
      json: { id: funnelId, published: false, changed },
      text: changed
        ? 'The funnel is unpublished. It accepts requests for 24 more hours.'
        : 'The funnel is already unpublished.',
    };
  },
});
