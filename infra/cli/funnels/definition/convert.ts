import { isDeepStrictEqual } from 'node:util';
import { AiBlock, Field, FunnelVersion, stepIdsOf } from '../../../../shared/funnels/funnel.ts';
import { UploadBlock } from '../../../../shared/funnels/upload-block.ts';
import { FunnelSettings, type VersionSource } from '../funnel-admin.ts';
import { deriveUuid } from './derive-uuid.ts';
import type { FieldDefinition, FunnelDefinition } from './funnel-definition.ts';

/** Default language of messages with verification codes. */
const LANGUAGE = 'de';

/** Returns the settings in a file, which apply to all versions of its funnel. */
export const toSettings = ({ name, language, verification, ...file }: FunnelDefinition): FunnelSettings =>
  FunnelSettings.parse({
    name,
    allowedOrigins: file.allowedOrigins,
    ...(file.leadRetentionDays !== undefined && { leadRetentionDays: file.leadRetentionDays }),
    verification: { ...verification, language: verification?.language ?? language ?? LANGUAGE },
    limits: file.limits,
  });

/**
 * Returns the upload blocks of a file. A block without an id gets the id of the block in `before` with the same name,
 * unless the file gives this id to another block. If there is no such id, derives an id from the name.
 */
export function toUploadBlocks(
  { uploadBlocks = [] }: FunnelDefinition,
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
      id,
      kind: 'upload',
      funnelId,
      name,
      ...(acceptedTypes && { acceptedTypes }),
      ...(maxBytes !== undefined && { bytesMax: maxBytes }),
    });
  });
}

/** Derives an unused id. A renamed block can still use the id that was derived from its old name. */
function freeId(taken: ReadonlySet<string>, funnelId: string, name: string): string {
  for (let count = 0; ; count++) {
    const id = deriveUuid('upload block', funnelId, name, `${count}`);
    if (!taken.has(id)) return id;
  }
}

type Ids = { id: string; funnelId: string; aiId: string };

export function toFunnelVersion(
  file: FunnelDefinition,
  blocks: readonly UploadBlock[],
  { id, funnelId, aiId }: Ids,
): FunnelVersion {
  return FunnelVersion.parse({
    id,
    funnelId,
    fields: file.fields.map((field) => fieldOf(field, blocks)),
    ...(file.steps && { steps: file.steps }),
    ...(file.country && { country: file.country }),
    ...(file.ai && { ai: { id: aiId, ...file.ai } }),
  });
}

function fieldOf({ step, uploadBlock, ...field }: FieldDefinition, blocks: readonly UploadBlock[]): Field {
  const blockId = field.blockId ?? blocks.find(({ name }) => uploadBlock !== undefined && name === uploadBlock)?.id;
  return Field.parse({ ...field, stepId: step, ...(blockId && { blockId }) });
}

/** Returns a file for a version that was created without a file. Publishing the file would create an equal version. */
export function toDefinition(version: FunnelVersion, blocks: readonly UploadBlock[], name: string): FunnelDefinition {
  const { fields, country, ai } = version;
  const steps = version.steps ?? stepIdsOf(version).map((id) => ({ id }));
  const { id: _, ...aiBlock } = ai ?? AiBlock.parse({ id: deriveUuid(), systemPrompt: '' });
  return {
    name,
    ...(country && { country }),
    ...(steps.length > 0 && { steps }),
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
  id,
  name: name ?? id,
  ...(acceptedTypes && { acceptedTypes }),
  maxBytes: bytesMax,
});

/**
 * Replaces the settings in the file with the funnel's current settings. Commands may have changed the settings since
 * the file was published.
 */
export function withSettings(file: FunnelDefinition, now: FunnelSettings): FunnelDefinition {
  const inFile = toSettings(file);
  const isOther = (part: keyof FunnelSettings) => !isDeepStrictEqual(inFile[part], now[part]);
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
