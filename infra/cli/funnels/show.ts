import { systemClock } from '../../../shared/platform/clock.ts';
import { followUpCommand } from '../environment/environment-options.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { formatMinute, formatSecond } from '../leads/format.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatFields } from '../terminal/format.ts';
import { printable, printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { FunnelDefinition } from './definition/funnel-definition.ts';
import { funnelsDesk } from './dependencies.ts';
import { stateText } from './format.ts';
import type { FunnelRecord, VersionSource, VersionSummary } from './funnel-admin.ts';
import { archiveFunnel, getDefinition, listVersions, restoreFunnel } from './funnel-lifecycle.ts';
import { requireFunnel, requireStoredVersion } from './publication.ts';

type Json = { json?: true };

/** Everything that is kept of a funnel itself, and what its published version asks for. */
export async function show(funnelId: string, { json }: Json, { write }: Terminal): Promise<void> {
  const desk = funnelsDesk();
  const funnel = await requireFunnel(desk, funnelId);
  const { publishedVersionId } = funnel;
  const blocks =
    publishedVersionId === null ? [] : (await requireStoredVersion(desk, funnel, publishedVersionId)).source.blocks;
  const file = await getDefinition(desk, funnelId);
  if (json) return write(`${printableJson(JSON.stringify({ ...funnel, file, uploadBlocks: blocks }))}\n`);
  await write(funnelText(funnel, file, blocks));
}

function funnelText(funnel: FunnelRecord, file: FunnelDefinition, blocks: VersionSource['blocks']): string {
  const origins = funnel.allowedOrigins.length === 0 ? ['any'] : funnel.allowedOrigins;
  const days = funnel.leadRetentionDays;
  return formatFields([
    ['id', funnel.id],
    ['name', printableLine(file.name)],
    ['organization', funnel.orgId],
    ['state', stateText(funnel, systemClock.now())],
    ['version', funnel.publishedVersionId ?? 'none yet'],
    ...times([
      ['made', funnel.createdAt],
      ['published', funnel.publishedAt],
      ['unpublished', funnel.unpublishedAt ?? undefined],
      ['archived', funnel.archivedAt ?? undefined],
    ]),
    ...labelled('origins', origins.map(printableLine)),
    ['leads kept', days === undefined ? 'until erased' : `${days} days after their last submit`],
    ...labelled(
      'limits',
      Object.entries(funnel.limits).map(([name, value]) => `${name} ${value?.toLocaleString('en')}`),
    ),
    ['codes from', printableLine(funnel.verification.sender ?? "the organization's name")],
    ...labelled(
      'steps',
      (file.steps ?? []).map(({ id, title }) => printableLine(title === undefined ? id : `${id}: ${title}`)),
    ),
    ...labelled('fields', file.fields.map(fieldText)),
    ...labelled(
      'upload blocks',
      blocks.map(({ id, name }) => `${id} ${printableLine(name)}`),
    ),
    ['AI block', file.ai === undefined ? 'none' : printableLine(file.ai.model ?? "yes, of the deployment's model")],
  ]);
}

const times = (of: [string, string | undefined][]): [string, string][] =>
  of.flatMap(([label, at]) => (at === undefined ? [] : [[label, `${formatSecond(at)} UTC`]]));

const labelled = (label: string, values: string[]): [string, string][] =>
  values.map((value, at) => [at === 0 ? label : '', value]);

const fieldText = ({ id, type, required, step, verifiable }: FunnelDefinition['fields'][number]): string => {
  const said = [
    type,
    ...(required ? ['required'] : []),
    ...(verifiable ? ['verifiable'] : []),
    ...(step ? [`step ${step}`] : []),
  ];
  return printableLine(`${id}: ${said.join(', ')}`);
};

/** A funnel's versions, the newest first. */
export async function versions(
  funnelId: string,
  { json, ...place }: EnvironmentOptions & Json,
  { columns, write, note }: Terminal,
): Promise<void> {
  const desk = funnelsDesk();
  const [{ publishedVersionId, unpublishedAt }, found] = [
    await requireFunnel(desk, funnelId),
    await listVersions(desk, funnelId),
  ];
  const isPublished = (id: string) => id === publishedVersionId && unpublishedAt === null;
  if (json) {
    const told = found.map((version) => ({ ...version, published: isPublished(version.id) }));
    return write(`${JSON.stringify({ versions: told })}\n`);
  }
  if (found.length === 0) {
    return note(`There is no version yet: ${followUpCommand(place, `funnels publish ${funnelId}`)}`);
  }
  const stateOf = ({ id, createdAt, publishedAt }: VersionSummary): string => {
    if (id === publishedVersionId) return isPublished(id) ? 'published' : 'published last';
    return createdAt !== undefined && publishedAt === undefined ? 'never published' : '';
  };
  const rows = found.map((version) => {
    const timeOf = (at: string | undefined) => (at === undefined ? '' : formatMinute(at));
    const published = [timeOf(version.publishedAt), stateOf(version)].filter((text) => text !== '');
    return [version.id, timeOf(version.createdAt), published.join(', ')];
  });
  const head = ['VERSION', 'MADE, UTC', 'FIRST PUBLISHED, STATE'];
  await write(formatTable({ head, widths: [36, 16], columns }, rows));
}

/** The file that would make a version again. */
export async function writeFile(
  funnelId: string,
  { version }: { version?: string },
  { write }: Terminal,
): Promise<void> {
  const file = await getDefinition(funnelsDesk(), funnelId, version);
  await write(`${printable(JSON.stringify(file, null, 2))}\n`);
}

/** Lets nobody reach a funnel any more. */
export async function archive(
  funnelId: string,
  { json, yes }: Json & { yes?: true },
  terminal: Terminal,
): Promise<void> {
  const desk = funnelsDesk();
  const funnel = await requireFunnel(desk, funnelId);
  const state = stateText(funnel, systemClock.now());
  if (state === 'published' || state.startsWith('closing')) {
    const question = `The funnel is ${state}: pages that are open lose what visitors submit, at once. Archive it?`;
    await confirm(terminal, question, yes);
  }
  const changed = (await archiveFunnel({ desk, clock: systemClock }, funnelId)) === 'done';
  if (json) return terminal.write(`${JSON.stringify({ id: funnelId, archived: true, changed })}\n`);
  await terminal.write(`The funnel is archived${changed ? '' : ' already'}. Its leads and numbers stay readable.\n`);
}

/** Takes a funnel back from the archive, as it was. */
export async function restore(funnelId: string, { json }: Json, { write }: Terminal): Promise<void> {
  const desk = funnelsDesk();
  const changed = (await restoreFunnel({ desk, clock: systemClock }, funnelId)) === 'done';
  if (json) return write(`${JSON.stringify({ id: funnelId, archived: false, changed })}\n`);
  const state = stateText(await requireFunnel(desk, funnelId), systemClock.now());
  await write(`The funnel is ${changed ? 'back from' : 'not in'} the archive: ${state}.\n`);
}
