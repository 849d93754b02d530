import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { UserError } from '../../common/user-error.ts';
import { followUpCommand } from '../environment/environment-options.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { confirm } from '../terminal/confirm.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { FunnelDefinition } from './definition/funnel-definition.ts';
import { fileAt } from './definition-file.ts';
import { funnelsDesk } from './dependencies.ts';
import { changesText, hurtText } from './format.ts';
import { createFunnel, getDefinition, unpublishFunnel } from './funnel-lifecycle.ts';
import { funnelsOf } from './list.ts';
import {
  applyPublication,
  getPreviousVersionId,
  type PublicationPlan,
  planDefinition,
  planStoredVersion,
  requireFunnel,
} from './publication.ts';

type Asked = { json?: true; yes?: true; dryRun?: true };
export type CreateOptions = EnvironmentOptions & Asked & { publish?: true };
export type PublishOptions = Asked & { version?: string };
export type RollBackOptions = Asked & { to?: string };

/** Makes a funnel of a file; its id alone is put out, for the next command. */
export async function create(orgId: string, path: string, options: CreateOptions, terminal: Terminal): Promise<void> {
  const file = await fileAt(path, options, terminal);
  await requireOrganization(orgId);
  await refuseSameName(orgId, file, options, terminal);
  const ports = { desk: funnelsDesk(), clock: systemClock, ids: systemIdGenerator };
  const { id } = await createFunnel(ports, orgId, file);
  const plan = options.publish && (await planDefinition(ports.desk, id, file));
  const publishing = followUpCommand(options, `funnels publish ${id}`);
  if (plan)
    await applyPublication(ports, plan).catch((cause: unknown) => Promise.reject(madeOnly(id, publishing, cause)));
  const versionId = plan ? plan.version.id : null;
  if (options.json) return terminal.write(`${JSON.stringify({ id, publishedVersionId: versionId })}\n`);
  await terminal.write(`${id}\n`);
  terminal.note(
    plan
      ? `${printableLine(file.name)} is published, as version ${versionId}.`
      : `${printableLine(file.name)} is made. Visitors meet it after: ${publishing}`,
  );
}

const madeOnly = (id: string, publishing: string, cause: unknown): Error => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new UserError(`The funnel ${id} was made, but not published (${why}): ${publishing}`, { cause });
};

/** A command that was interrupted is repeated easily, and two funnels of a name are hardly ever meant. */
async function refuseSameName(
  orgId: string,
  { name }: FunnelDefinition,
  { yes }: Asked,
  terminal: Terminal,
): Promise<void> {
  const same = (await funnelsOf(orgId)).find(({ funnel }) => funnel?.name === name && funnel.archivedAt === null);
  if (same === undefined) return;
  const question = `The organization has a funnel of this name, ${same.id}. Make another one?`;
  if (terminal.ask === undefined && !yes) {
    throw new UserError(`${question} Give --yes, or publish into that one. Nothing was changed.`);
  }
  await confirm(terminal, question, yes);
}

/** Publishes a file as a new version, a version that is stored, or what was made and not published yet. */
export async function publish(
  funnelId: string,
  path: string | undefined,
  options: PublishOptions,
  terminal: Terminal,
): Promise<void> {
  const { version } = options;
  if (path !== undefined && version !== undefined) throw new UserError('Give a file or --version, not both.');
  const file = path === undefined ? undefined : await fileAt(path, options, terminal);
  const desk = funnelsDesk();
  if (file !== undefined) return carryOut(await planDefinition(desk, funnelId, file), options, terminal);
  const wanted = version ?? (await requireFunnel(desk, funnelId)).publishedVersionId;
  const plan =
    wanted === null
      ? planDefinition(desk, funnelId, await getDefinition(desk, funnelId))
      : planStoredVersion(desk, funnelId, wanted);
  await carryOut(await plan, options, terminal);
}

/** Publishes the version before the published one, or another earlier one. */
export async function rollBack(funnelId: string, options: RollBackOptions, terminal: Terminal): Promise<void> {
  const desk = funnelsDesk();
  const versionId = options.to ?? (await getPreviousVersionId(desk, funnelId));
  await carryOut(await planStoredVersion(desk, funnelId, versionId), options, terminal);
}

async function carryOut(plan: PublicationPlan, options: Asked, terminal: Terminal): Promise<void> {
  const { funnel, version, changes, isAlreadyPublished } = plan;
  if (!options.dryRun) {
    if (!options.json) terminal.note(planText(plan));
    const hurt = hurtText(changes);
    if (hurt !== undefined && !isAlreadyPublished)
      await confirm(terminal, `Pages in the field: ${hurt}. Publish?`, options.yes);
    await applyPublication({ desk: funnelsDesk(), clock: systemClock }, plan);
  }
  const told = {
    id: funnel.id,
    versionId: version.id,
    changed: !isAlreadyPublished,
    dryRun: options.dryRun ?? false,
    changes,
  };
  if (options.json) return terminal.write(`${printableJson(JSON.stringify(told))}\n`);
  if (options.dryRun) {
    await terminal.write(`${planText(plan)}\n`);
    return terminal.note('Nothing was changed.');
  }
  await terminal.write(`${version.id}\n`);
  terminal.note(
    isAlreadyPublished ? 'That is published already.' : 'Published. Within 30 seconds all visitors meet it.',
  );
}

function planText({ funnel, changes, isAlreadyPublished }: PublicationPlan): string {
  if (isAlreadyPublished) return 'This is what is published.';
  const lines = changesText(changes).trimEnd();
  if (funnel.publishedVersionId === null) return `First published, with:\n${lines}`;
  const against = funnel.unpublishedAt === null ? 'what is published' : 'what was published last';
  return lines === ''
    ? `Nothing changes against ${against}.`
    : `Against ${against} (${funnel.publishedVersionId}):\n${lines}`;
}

export async function unpublish(funnelId: string, { json }: Asked, { write }: Terminal): Promise<void> {
  const outcome = await unpublishFunnel({ desk: funnelsDesk(), clock: systemClock }, funnelId);
  if (outcome === 'never published') throw new UserError('The funnel was never published. Nothing was changed.');
  if (json) return write(`${JSON.stringify({ id: funnelId, published: false, changed: outcome === 'done' })}\n`);
  await write(
    outcome === 'done'
      ? 'The funnel is off the net. Pages that are open may submit for 24 hours more.\n'
      : 'The funnel is off the net already.\n',
  );
}
