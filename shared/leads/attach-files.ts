import type { Field } from '../funnels/funnel.ts';
import { uuid } from '../http/schemas.ts';
import type { LeadIdentity } from './lead.ts';
import type { FileAttacher } from './ports.ts';
import type { DataChanges, DataValidationResult, ValidationError } from './validate-data.ts';

/**
 * Attaches the files that file fields refer to. This happens before the lead is saved, so that a lead never refers to
 * a file that may expire; a file attached to a lead that is then not saved still expires. A file that cannot be
 * attached is a validation error of its field.
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
  // A lead id that is not a UUID does not exist: the submit will be rejected.
  if (references.length === 0 || !uuid.safeParse(lead.leadId).success) return { changes, errors };
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
