import type { FunnelFile } from '../../../shared/directory/funnel-file.ts';
import { createFunnel, fileOf, unpublishFunnel } from '../../../shared/directory/keep-funnel.ts';
import {
  findFunnel,
  type PublicationPlan,
  planFile,
  planVersion,
  publishPlan,
  versionBefore,
} from '../../../shared/directory/publish-funnel.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { FriendlyError } from '../../local/friendly-error.ts';
import { confirm } from '../confirm.ts';
import { organizationOf } from '../organizations/store.ts';
import type { PlaceOptions } from '../place.ts';
import { furtherCommand } from '../place-options.ts';
import { printableJson, printableLine } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { fileAt } from './file.ts';
import { funnelsOf } from './list.ts';
import { funnelsDesk } from './store.ts';
import { changesText, hurtText } from './words.ts';

type Asked = { json?: true; yes?: true; dryRun?: true };
export type CreateOptions = PlaceOptions & Asked & { publish?: true };
export type PublishOptions = Asked & { version?: string };
export type RollBackOptions = Asked & { to?: string };

/** Makes a funnel of a file; its id alone is put out, for the next command. */
export async function create(orgId: string, path: string, options: CreateOptions, terminal: Terminal): Promise<void> {
  const file = await fileAt(path, options, terminal);
  await organizationOf(orgId);
  await refuseSameName(orgId, file, options, terminal);
  const ports = { desk: funnelsDesk(), clock: systemClock, ids: systemIds };
  const { id } = await createFunnel(ports, orgId, file);
  const plan = options.publish && (await planFile(ports.desk, id, file));
  const publishing = furtherCommand(options, `funnels publish ${id}`);
  if (plan) await publishPlan(ports, plan).catch((cause: unknown) => Promise.reject(madeOnly(id, publishing, cause)));
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
  return new FriendlyError(`The funnel ${id} was made, but not published (${why}): ${publishing}`, { cause });
};

/** A command that was interrupted is repeated easily, and two funnels of a name are hardly ever meant. */
async function refuseSameName(orgId: string, { name }: FunnelFile, { yes }: Asked, terminal: Terminal): Promise<void> {
  const same = (await funnelsOf(orgId)).find(({ funnel }) => funnel?.name === name && funnel.archivedAt === null);
  if (same === undefined) return;
  const question = `The organization has a funnel of this name, ${same.id}. Make another one?`;
  if (terminal.ask === undefined && !yes) {
    throw new FriendlyError(`${question} Give --yes, or publish into that one. Nothing was changed.`);
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
  if (path !== undefined && version !== undefined) throw new FriendlyError('Give a file or --version, not both.');
  const file = path === undefined ? undefined : await fileAt(path, options, terminal);
  const desk = funnelsDesk();
  if (file !== undefined) return carryOut(await planFile(desk, funnelId, file), options, terminal);
  const wanted = version ?? (await findFunnel(desk, funnelId)).publishedVersionId;
  const plan =
    wanted === null ? planFile(desk, funnelId, await fileOf(desk, funnelId)) : planVersion(desk, funnelId, wanted);
  await carryOut(await plan, options, terminal);
}

/** Publishes the version before the published one, or another earlier one. */
export async function rollBack(funnelId: string, options: RollBackOptions, terminal: Terminal): Promise<void> {
  const desk = funnelsDesk();
  const versionId = options.to ?? (await versionBefore(desk, funnelId));
  await carryOut(await planVersion(desk, funnelId, versionId), options, terminal);
}

async function carryOut(plan: PublicationPlan, options: Asked, terminal: Terminal): Promise<void> {
  const { funnel, version, changes, isThere } = plan;
  if (!options.dryRun) {
    if (!options.json) terminal.note(planText(plan));
    const hurt = hurtText(changes);
    if (hurt !== undefined && !isThere) await confirm(terminal, `Pages in the field: ${hurt}. Publish?`, options.yes);
    await publishPlan({ desk: funnelsDesk(), clock: systemClock }, plan);
  }
  const told = { id: funnel.id, versionId: version.id, changed: !isThere, dryRun: options.dryRun ?? false, changes };
  if (options.json) return terminal.write(`${printableJson(JSON.stringify(told))}\n`);
  if (options.dryRun) {
    await terminal.write(`${planText(plan)}\n`);
    return terminal.note('Nothing was changed.');
  }
  await terminal.write(`${version.id}\n`);
  terminal.note(isThere ? 'That is published already.' : 'Published. Within 30 seconds all visitors meet it.');
}

function planText({ funnel, changes, isThere }: PublicationPlan): string {
  if (isThere) return 'This is what is published.';
  const lines = changesText(changes).trimEnd();
  if (funnel.publishedVersionId === null) return `First published, with:\n${lines}`;
  const against = funnel.unpublishedAt === null ? 'what is published' : 'what was published last';
  return lines === ''
    ? `Nothing changes against ${against}.`
    : `Against ${against} (${funnel.publishedVersionId}):\n${lines}`;
}

export async function unpublish(funnelId: string, { json }: Asked, { write }: Terminal): Promise<void> {
  const outcome = await unpublishFunnel({ desk: funnelsDesk(), clock: systemClock }, funnelId);
  if (outcome === 'never published') throw new FriendlyError('The funnel was never published. Nothing was changed.');
  if (json) return write(`${JSON.stringify({ id: funnelId, published: false, changed: outcome === 'done' })}\n`);
  await write(
    outcome === 'done'
      ? 'The funnel is off the net. Pages that are open may submit for 24 hours more.\n'
      : 'The funnel is off the net already.\n',
  );
}
