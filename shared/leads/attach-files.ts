import type { Field } from '../funnels/funnel.ts';
import type { LeadIdentity } from './lead.ts';
import type { FileAttacher } from './ports.ts';
import type { DataChanges, DataValidationResult, ValidationError } from './validate-data.ts';

/**
 * Attaches the files to which file fields refer. Call it before the lead is saved, so that a lead never refers to a
 * file that may expire. If saving the lead fails, `sweepUploads` finds that the lead does not refer to the file, and
 * the file expires. If a file cannot be attached, its field gets a validation error.
 */
export async function attachFiles(
  fileAttacher: FileAttacher,
  fields: readonly Field[],
  { changes, errors }: DataValidationResult,
  lead: LeadIdentity,
): Promise<DataValidationResult> {
  const references = fields.flatMap(({ id, type, blockId }) => {
    const json = type === 'file' ? changes.get(id) : undefined;
    return typeof json === 'string' ? [{ field: id, uuid: String(JSON.parse(json)), blockId }] : [];
  });
  const attached: DataChanges = new Map(changes);
  const allErrors: ValidationError[] = [...errors];
  await Promise.all(
    references.map(async ({ field, ...file }) => {
      const message = await fileAttacher.attach({ ...lead, ...file });
      if (message === undefined) return;
      attached.delete(field);
      allErrors.push({ field, code: 'file', message });
    }),
  );
  return { changes: attached, errors: allErrors };
}
