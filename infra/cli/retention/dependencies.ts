import {
  createDynamoCallDeliveriesEraser,
  createDynamoLeadDeliveriesEraser,
} from '../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { createDynamoFunnelHistoryRepository } from '../../../shared/funnels/aws/dynamo-funnel-history-repository.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoLeadErasureRepository } from '../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import { createDynamoLeadIndexReader } from '../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import { createDynamoLeadNoticesEraser } from '../../../shared/notifications/aws/dynamo-lead-notices-eraser.ts';
import { dynamoClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { createDynamoOrganizationRetentionReader } from '../../../shared/privacy/aws/dynamo-organization-retention-reader.ts';
import type { OrganizationRetentionPorts, RetentionReadPorts } from '../../../shared/privacy/ports.ts';
import { createCallErasers, createLeadEraser } from '../../../shared/privacy/retention-erasers.ts';
import { createDynamoCallErasureRepository } from '../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createDynamoCallRetentionRepository } from '../../../shared/training/aws/dynamo-call-retention-repository.ts';
import { createS3CallObjectStore } from '../../../shared/training/aws/s3-call-object-store.ts';
import type { VoiceProvider } from '../../../shared/training/ports.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { createS3FileStore } from '../../../shared/uploads/aws/s3-file-store.ts';

export const duePorts = (): RetentionReadPorts => ({
  organizations: createDynamoOrganizationRetentionReader(),
  funnels: { ...createDynamoFunnelHistoryRepository(), ...createDynamoFunnelRepository() },
  leads: createDynamoLeadIndexReader(dynamoClient()),
  calls: createDynamoCallRetentionRepository(),
  clock,
});

/** Creates the ports to erase data of one organization in the same way as the daily run of enforce-retention. */
export function retentionPorts(
  voice: VoiceProvider,
  log: OrganizationRetentionPorts['log'],
): OrganizationRetentionPorts {
  const calls = createDynamoCallRetentionRepository();
  const erase = createLeadEraser({
    leads: createDynamoLeadErasureRepository(),
    deliveries: createDynamoLeadDeliveriesEraser(),
    notifications: createDynamoLeadNoticesEraser(),
    uploads: createDynamoUploadRepository(),
    files: createS3FileStore(),
    clock,
  });
  const erasers = createCallErasers({
    calls: {
      deliveries: createDynamoCallDeliveriesEraser(),
      erasures: createDynamoCallErasureRepository(),
      objects: createS3CallObjectStore(),
      voice,
    },
    oldCalls: calls,
    clock,
    log,
  });
  return { ...duePorts(), eraseLead: erase, ...erasers, calls, log };
}
