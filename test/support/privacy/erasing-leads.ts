import { createDynamoLeadDeliveriesEraser } from '../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { createFileReferenceCheck } from '../../../shared/leads/aws/dynamo-file-reference-check.ts';
import { createDynamoLeadErasureRepository } from '../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import type { LeadKey } from '../../../shared/leads/lead.ts';
import { createDynamoLeadNoticesEraser } from '../../../shared/notifications/aws/dynamo-lead-notices-eraser.ts';
import { type EraseLeadPorts, eraseLead } from '../../../shared/privacy/erase-lead.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { sweepUploads } from '../../../shared/uploads/sweep-uploads.ts';
import type { Upload } from '../../../shared/uploads/upload.ts';
import { NOON } from '../leads/lead-repository.ts';
import { aLeadChangeOf, storeLead } from '../leads/stored-leads.ts';
import { anUpload, setUpSweep, storeUpload } from '../uploads/stored-uploads.ts';

export const ORG = '0f2b0c52-58bb-4b54-a6a5-0e1f8f6e2a01';
export const nameOf = ({ funnelId, leadId }: LeadKey) => `${funnelId}/${leadId}`;

/** Sets up the erasure of leads and the sweeper of uploads. The clock starts two hours after the uploads. */
export function setUpErasing() {
  const sweep = setUpSweep(NOON + 7_200_000);
  const { clock, objects, incoming, ports } = sweep;
  const erasing: EraseLeadPorts = {
    leads: createDynamoLeadErasureRepository(clock),
    deliveries: createDynamoLeadDeliveriesEraser(clock),
    notifications: createDynamoLeadNoticesEraser(),
    uploads: createDynamoUploadRepository(clock),
    files: ports.files,
    clock,
  };
  const aFile = async (leads: readonly LeadKey[], overrides: Partial<Upload> = {}) => {
    const upload = await storeUpload(
      anUpload({
        orgId: ORG,
        funnelId: leads[0]?.funnelId ?? '',
        state: 'attached',
        createdAtMs: NOON,
        dueAtMs: NOON + 3_600_000,
        leads: leads.map(nameOf),
        ...overrides,
      }),
    );
    objects.set(upload.storagePath, Buffer.from('bytes'));
    incoming.set(upload.storagePath, Buffer.from('sent'));
    return upload;
  };
  const isWhole = ({ storagePath }: Upload) => objects.has(storagePath);
  const swept = () => sweepUploads({ ...ports, isReferencedByLead: createFileReferenceCheck(clock) });
  const erased = async (key: LeadKey, given: Parameters<typeof eraseLead>[2] = {}) => {
    const { outcome, files } = await eraseLead(erasing, { orgId: ORG, ...key }, given);
    const filesOf = (fate: string) => [...files.values()].filter((one) => one === fate).length;
    return { outcome, filesErased: filesOf('erased'), filesShared: filesOf('shared') };
  };
  return { ...sweep, erasing, aFile, isWhole, swept, erased };
}

export async function storeLeadWithFiles(...files: string[]): Promise<LeadKey> {
  return storeLead(aLeadChangeOf({ name: 'Ada', ...Object.fromEntries(files.map((uuid, at) => [`file${at}`, uuid])) }));
}
