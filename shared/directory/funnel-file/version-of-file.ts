import { isDeepStrictEqual } from 'node:util';
import { AiBlock, Field, FunnelVersion } from '../../funnels/funnel.ts';
import { UploadBlock } from '../../funnels/upload-block.ts';
import type { FileField, FunnelFile } from '../funnel-file.ts';
import { FunnelSettings, type VersionSource } from '../funnels-desk.ts';
import { derivedUuid } from './derived-uuid.ts';

/** The language of codes where a file names none. */
const LANGUAGE = 'de';

/** What a file says of all versions of its funnel. */
export const settingsOf = ({ name, language, verification, ...file }: FunnelFile): FunnelSettings =>
  FunnelSettings.parse({
    name,
    allowedOrigins: file.allowedOrigins,
    ...(file.leadRetentionDays !== undefined && { leadRetentionDays: file.leadRetentionDays }),
    verification: { ...verification, language: verification?.language ?? language ?? LANGUAGE },
    limits: file.limits,
  });

/**
 * The upload blocks of a file. Each has the id that the file gives it, else the one that the block of its name had
 * before, else one that its name stands for.
 */
export function blocksOf(
  { uploadBlocks = [] }: FunnelFile,
  funnelId: string,
  before: VersionSource['blocks'],
): UploadBlock[] {
  const given = new Set(uploadBlocks.flatMap(({ id }) => id ?? []));
  const known = uploadBlocks.map(
    ({ id, name }) => id ?? before.find((block) => block.name === name && !given.has(block.id))?.id,
  );
  const taken = new Set(known.flatMap((id) => id ?? []));
  return uploadBlocks.map(({ name, acceptedTypes, maxBytes }, index) => {
    const id = known[index] ?? freeId(taken, funnelId, name);
    taken.add(id);
    return UploadBlock.parse({
      ...{ id, kind: 'upload', funnelId, name },
      ...(acceptedTypes && { acceptedTypes }),
      ...(maxBytes !== undefined && { bytesMax: maxBytes }),
    });
  });
}

/** A block that was given another name keeps its id, which then is not that of its old name any more. */
function freeId(taken: ReadonlySet<string>, funnelId: string, name: string): string {
  for (let count = 0; ; count++) {
    const id = derivedUuid('upload block', funnelId, name, `${count}`);
    if (!taken.has(id)) return id;
  }
}

type Ids = { id: string; funnelId: string; aiId: string };

/** What a file's publication freezes. */
export function versionOf(
  file: FunnelFile,
  blocks: readonly UploadBlock[],
  { id, funnelId, aiId }: Ids,
): FunnelVersion {
  return FunnelVersion.parse({
    ...{ id, funnelId },
    fields: file.fields.map((field) => fieldOf(field, blocks)),
    ...(file.country && { country: file.country }),
    ...(file.ai && { ai: { id: aiId, ...file.ai } }),
  });
}

function fieldOf({ step, uploadBlock, ...field }: FileField, blocks: readonly UploadBlock[]): Field {
  const blockId = field.blockId ?? blocks.find(({ name }) => uploadBlock !== undefined && name === uploadBlock)?.id;
  return Field.parse({ ...field, stepId: step, ...(blockId && { blockId }) });
}

/** A file that would make a version which was made without one. */
export function fileOfVersion(
  { fields, country, ai }: FunnelVersion,
  blocks: readonly UploadBlock[],
  name: string,
): FunnelFile {
  const steps = [...new Set(fields.flatMap(({ stepId }) => stepId ?? []))];
  const { id: _, ...aiBlock } = ai ?? AiBlock.parse({ id: derivedUuid(), systemPrompt: '' });
  return {
    name,
    ...(country && { country }),
    ...(steps.length > 0 && { steps: steps.map((id) => ({ id })) }),
    fields: fields.map(({ stepId, required, ...field }) => ({
      ...field,
      ...(required && { required }),
      ...(stepId !== null && { step: stepId }),
    })),
    ...(blocks.length > 0 && { uploadBlocks: blocks.map(fileBlockOf) }),
    ...(ai && { ai: aiBlock }),
  };
}

const fileBlockOf = ({ id, name, acceptedTypes, bytesMax }: UploadBlock) => ({
  ...{ id, name: name ?? id },
  ...(acceptedTypes && { acceptedTypes }),
  maxBytes: bytesMax,
});

/** The file with a funnel's settings where they are others than it says: somebody set them without a file. */
export function withSettings(file: FunnelFile, now: FunnelSettings): FunnelFile {
  const said = settingsOf(file);
  const isOther = (part: keyof FunnelSettings) => !isDeepStrictEqual(said[part], now[part]);
  const { leadRetentionDays, ...others } = file;
  const days = isOther('leadRetentionDays') ? now.leadRetentionDays : leadRetentionDays;
  return {
    ...others,
    ...(now.name !== undefined && { name: now.name }),
    ...(isOther('allowedOrigins') && { allowedOrigins: now.allowedOrigins }),
    ...(days !== undefined && { leadRetentionDays: days }),
    ...(isOther('verification') && { verification: now.verification }),
    ...(isOther('limits') && { limits: now.limits }),
  };
}
