import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { followUpCommand } from '../environment/environment-options.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { argument, command, group, option } from '../program/command.ts';
import { funnelArgument, organizationArgument, parseUuid, yes } from '../program/parameters.ts';
import { formatCount, formatMinute, formatUtc } from '../terminal/format.ts';
import { Fields, Rendered, table } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type FunnelDefinition, funnelDefinitionSchema } from './definition/funnel-definition.ts';
import { readDefinitionFile } from './definition-file.ts';
import { funnelRepository, type ListedFunnel, listFunnels } from './dependencies.ts';
import { describeState } from './format.ts';
import { archiveFunnel, getDefinition, listVersions, restoreFunnel } from './funnel-lifecycle.ts';
import { requireFunnel, requireStoredVersion } from './publication.ts';
import { create, FILE, publish, rollback, unpublish } from './publish-commands.ts';

const args = { funnelId: funnelArgument };
const OFFLINE = 'Works offline: --state, --stage and --outputs have no effect.';

const schema = command({
  name: 'schema',
  description: 'Prints the JSON Schema of funnel files. Code editors use the schema to complete and check these files.',
  help: OFFLINE,
  isOffline: true,
  run: async () => ({ text: new Rendered(`${JSON.stringify(funnelDefinitionSchema(), null, 2)}\n`) }),
});

const validate = command({
  name: 'validate',
  description: 'Checks a funnel file, lists at most 50 issues with line and column, and changes nothing.',
  args: { path: argument('<file>', FILE) },
  json: 'one JSON object: `valid`, `issues`, and `more`, the number of issues that are not listed',
  help: `The exit code is 1 if the file is not valid.\n${OFFLINE}`,
  isOffline: true,
  run: async ({ path }, { json, terminal }) => {
    const { fields, steps = [] } = await readDefinitionFile(path, json, terminal);
    return {
      json: { valid: true, issues: [], more: 0 },
      text: `${path} is valid: ${formatCount(fields.length, 'field')}, ${formatCount(steps.length, 'step')}.`,
    };
  },
});

const exportFile = command({
  name: 'export',
  description:
    'Prints the funnel file of the version that was published last or, if no version was ever published, the draft.',
  args,
  options: {
    version: option(
      '--version <id>',
      'id of the version whose funnel file to print instead; see "funnels versions"',
      parseUuid('version'),
    ),
  },
  help: `The draft is the funnel file that was given to "funnels create".
The printed file of the version that was published last contains the current
settings of the funnel, for example the limits from "limits set".`,
  run: async ({ funnelId, version }) => {
    const definition = await getDefinition(funnelRepository(), funnelId, version);
    return { text: new Rendered(`${printable(JSON.stringify(definition, null, 2))}\n`) };
  },
});

const list = command({
  name: 'list',
  description: 'Lists the funnels of an organization and their states (such as published or archived), newest first.',
  args: { orgId: organizationArgument },
  json: 'one JSON object: `funnels`',
  run: async ({ orgId }) => {
    await requireOrganization(orgId);
    const found = await listFunnels(orgId);
    const stateOf = ({ funnel }: ListedFunnel) => funnel && describeState(funnel, clock.now());
    const columns = [
      { head: 'FUNNEL', width: 36, value: ({ id }: ListedFunnel) => id },
      {
        head: 'STATE',
        width: 17,
        value: (of: ListedFunnel) => stateOf(of) ?? 'not created: "funnels create" was interrupted',
      },
      { head: 'NAME', value: ({ funnel }: ListedFunnel) => funnel?.name ?? '(no name)' },
    ];
    const funnelsJson = found.map((of) => ({
      id: of.id,
      name: of.funnel?.name ?? null,
      state: stateOf(of) ?? 'not created',
      publishedVersionId: of.funnel?.publishedVersionId ?? null,
      createdAt: of.funnel?.createdAt ?? null,
      publishedAt: of.funnel?.publishedAt ?? null,
    }));
    const empty = 'There are no funnels yet: see "funnels create".';
    return { json: { funnels: funnelsJson }, text: table(found, columns, empty) };
  },
});

const show = command({
  name: 'show',
  description:
    'Shows a funnel, its settings, and the ids of its upload blocks (the parts of the page that accept uploads).',
  args,
  json: 'one JSON object: the funnel, with `file` (the funnel file) and `uploadBlocks`',
  run: async ({ funnelId }) => {
    const repository = funnelRepository();
    const funnel = await requireFunnel(repository, funnelId);
    const { publishedVersionId: versionId, leadRetentionDays: days } = funnel;
    const blocks = versionId === null ? [] : (await requireStoredVersion(repository, funnel, versionId)).source.blocks;
    const file = await getDefinition(repository, funnelId);
    return {
      json: { ...funnel, file, uploadBlocks: blocks },
      text: new Fields(
        ['id', funnel.id],
        ['name', file.name],
        ['organization', funnel.orgId],
        ['state', describeState(funnel, clock.now())],
        ['version', versionId ?? 'none yet'],
        ['created', formatUtc(funnel.createdAt)],
        ['published', formatUtc(funnel.publishedAt)],
        ['unpublished', formatUtc(funnel.unpublishedAt)],
        ['archived', formatUtc(funnel.archivedAt)],
        ['origins', funnel.allowedOrigins.length === 0 ? 'any' : funnel.allowedOrigins],
        [
          'leads kept',
          days === undefined ? 'for the period of the organization' : `${days} days after their last submit`,
        ],
        ['limits', Object.entries(funnel.limits).map(([name, value]) => `${name} ${value?.toLocaleString('en')}`)],
        ['codes from', funnel.verification.sender ?? "the organization's name"],
        ['steps', (file.steps ?? []).map(({ id, title }) => (title === undefined ? id : `${id}: ${title}`))],
        ['fields', file.fields.map(describeField)],
        ['upload blocks', blocks.map(({ id, name }) => `${id} ${name}`)],
        ['AI block', file.ai === undefined ? 'none' : (file.ai.model ?? "yes, with the deployment's model")],
      ),
    };
  },
});

const describeField = ({ id, type, required, step, verifiable }: FunnelDefinition['fields'][number]): string =>
  `${id}: ${[type, required && 'required', verifiable && 'verifiable', step && `step ${step}`].filter(Boolean).join(', ')}`;

const versions = command({
  name: 'versions',
  description: 'Lists the versions of a funnel, newest first.',
  args,
  json: 'one JSON object: `versions`',
  run: async ({ funnelId }, context) => {
    const repository = funnelRepository();
    const { publishedVersionId, unpublishedAt } = await requireFunnel(repository, funnelId);
    const found = (await listVersions(repository, funnelId)).map((version) => ({
      ...version,
      published: version.id === publishedVersionId && unpublishedAt === null,
    }));
    type Version = (typeof found)[number];
    const stateOf = ({ id, createdAt, publishedAt, published }: Version): string[] => {
      if (id === publishedVersionId) return [published ? 'published' : 'last published'];
      return createdAt !== undefined && publishedAt === undefined ? ['never published'] : [];
    };
    const minuteOf = (at: string | undefined) => (at === undefined ? [] : [formatMinute(at)]);
    const columns = [
      { head: 'VERSION', width: 36, value: ({ id }: Version) => id },
      { head: 'CREATED, UTC', width: 16, value: ({ createdAt }: Version) => minuteOf(createdAt) },
      {
        head: 'FIRST PUBLISHED, STATE',
        value: (version: Version) => [...minuteOf(version.publishedAt), ...stateOf(version)].join(', '),
      },
    ];
    const empty = `There is no version yet. Publish one with: ${followUpCommand(context, `funnels publish ${funnelId}`)}`;
    return { json: { versions: found }, text: table(found, columns, empty) };
  },
});

const archive = command({
  name: 'archive',
  description:
    'Archives a funnel: within 30 seconds, visitors can no longer use it. Its leads and analytics stay readable.',
  args,
  options: { yes },
  json: 'one JSON object: `id`, `archived`, and `changed` (false if `archived` already had this value)',
  run: async ({ funnelId, yes: isConfirmed }, { confirm }) => {
    const repository = funnelRepository();
    const state = describeState(await requireFunnel(repository, funnelId), clock.now());
    if (state === 'published' || state.startsWith('closing')) {
      await confirm(
        `The funnel is ${state}. After archiving, visitors can no longer submit to it. Archive it?`,
        isConfirmed,
      );
    }
    const changed = (await archiveFunnel({ funnels: repository, clock }, funnelId)) === 'done';
    const text = `The funnel is ${changed ? 'now' : 'already'} archived. Its leads and analytics stay readable.`;
    return { json: { id: funnelId, archived: true, changed }, text };
  },
});

const restore = command({
  name: 'restore',
  description: 'Restores an archived funnel to the state that it had before it was archived.',
  args,
  json: 'one JSON object: `id`, `archived`, and `changed` (false if `archived` already had this value)',
  run: async ({ funnelId }) => {
    const repository = funnelRepository();
    const changed = (await restoreFunnel({ funnels: repository, clock }, funnelId)) === 'done';
    const state = describeState(await requireFunnel(repository, funnelId), clock.now());
    const text = `The funnel is ${changed ? 'restored' : 'not archived'}: ${state}.`;
    return { json: { id: funnelId, archived: false, changed }, text };
  },
});

const EXAMPLE = `To create and publish a funnel (infra/local/seed/example-funnel.json is an
example of a funnel file):
  npm run admin -- funnels validate cakes.json
  npm run admin -- funnels create <organization> cakes.json --publish
To publish the next version of the funnel: export the funnel file and edit it,
then show what would change, then publish:
  npm run -s admin -- funnels export <funnel> > cakes.json
  npm run admin -- funnels publish <funnel> cakes.json --dry-run
  npm run admin -- funnels publish <funnel> cakes.json`;

export const funnels = group(
  'funnels',
  'Funnels and their versions: create them from JSON files, publish them and roll them back.',
  [schema, validate, exportFile, create, publish, rollback, unpublish, list, show, versions, archive, restore],
  EXAMPLE,
);
