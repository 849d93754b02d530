import type { Field } from '../funnels/funnel.ts';
import { uuid } from '../http/schemas.ts';
import type { DataChanges, DataValidationResult, ValidationError } from './validate-data.ts';

/** An uploaded file that a lead's field refers to. */
export type FieldFile = {
  orgId: string;
  funnelId: string;
  leadId: string;
  uuid: string;
  /** The block that the field takes files of; undefined: any of the funnel. */
  blockId: string | undefined;
};

export type FileAttacher = {
  /**
   * Keeps an uploaded file from expiring as long as the lead refers to it; again does no harm.
   *
   * @returns what is wrong with the file, as a sentence; undefined when it is kept
   * @throws Problem 503 while that can't be told
   */
  attach(file: FieldFile): Promise<string | undefined>;
};

export type LeadIdentity = Pick<FieldFile, 'orgId' | 'funnelId' | 'leadId'>;

/**
 * Keeps the files that file fields refer to, before the lead is saved: a lead never refers to a file that may expire.
 * What can't be kept is a fault of its field; a file kept for a lead that is then not saved expires all the same.
 */
export async function attachFiles(
  files: FileAttacher,
  fields: readonly Field[],
  { changes, errors }: DataValidationResult,
  lead: LeadIdentity,
): Promise<DataValidationResult> {
  const referring = fields.flatMap(({ id, type, blockId }) => {
    const json = type === 'file' ? changes.get(id) : undefined;
    return typeof json === 'string' ? [{ field: id, uuid: String(JSON.parse(json)), blockId }] : [];
  });
  // No lead has another id, so that this submit will be refused anyway.
  if (referring.length === 0 || !uuid.safeParse(lead.leadId).success) return { changes, errors };
  const valid: DataChanges = new Map(changes);
  const faults: ValidationError[] = [...errors];
  const keep = async ({ field, ...file }: (typeof referring)[number]) => {
    const message = await files.attach({ ...lead, ...file });
    if (message === undefined) return;
    valid.delete(field);
    faults.push({ field, code: 'file', message });
  };
  await Promise.all(referring.map(keep));
  return { changes: valid, errors: faults };
}
