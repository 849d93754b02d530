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
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { createDynamoOrganizationRetentionReader } from '../../../shared/privacy/aws/dynamo-organization-retention-reader.ts';
import { enforceRetention } from '../../../shared/privacy/enforce-retention.ts';
import type { RetentionOutcome, RetentionRunPorts } from '../../../shared/privacy/ports.ts';
import { createCallErasers, createLeadEraser } from '../../../shared/privacy/retention-erasers.ts';
import { createDynamoCallErasureRepository } from '../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createDynamoCallRetentionRepository } from '../../../shared/training/aws/dynamo-call-retention-repository.ts';
import { createS3CallObjectStore } from '../../../shared/training/aws/s3-call-object-store.ts';
import { createConversationDeleter } from '../../../shared/training/elevenlabs/delete-conversation.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { deleteFile, deleteIncomingFile } from '../../../shared/uploads/aws/s3-file-store.ts';

/** If something could not be erased, throws after all other work, so that the alarm fires. The next run retries. */
export const createHandler = (ports: RetentionRunPorts) => async (): Promise<void> => {
  const counts = await enforceRetention(ports);
  for (const [what, times] of counts) ports.log.recordMetric(`Retention_${what}`, times);
  const failed = [...counts].filter(([what]) => isFailure(what)).map(([what, times]) => `${what}: ${times}`);
  if (failed.length > 0)
    throw new Error(
      `Some data whose retention period has ended could not be erased (${failed.join(', ')}). The next run retries.`,
    );
};

const isFailure = (what: RetentionOutcome): boolean => what.endsWith('_failed');

const log = createJsonLogger({ function: 'background/enforce-retention' });
const calls = createDynamoCallRetentionRepository();

export const handler = createHandler({
  eraseLead: createLeadEraser({
    leads: createDynamoLeadErasureRepository(),
    deliveries: createDynamoLeadDeliveriesEraser(),
    notifications: createDynamoLeadNoticesEraser(),
    uploads: createDynamoUploadRepository(),
    files: { delete: deleteFile, deleteIncoming: deleteIncomingFile },
    clock,
  }),
  ...createCallErasers({
    calls: {
      erasures: createDynamoCallErasureRepository(),
      deliveries: createDynamoCallDeliveriesEraser(),
      objects: createS3CallObjectStore(),
      voice: createConversationDeleter(createExtensionSecretStore()),
    },
    oldCalls: calls,
    clock,
    log,
  }),
  organizations: createDynamoOrganizationRetentionReader(),
  funnels: { ...createDynamoFunnelHistoryRepository(), ...createDynamoFunnelRepository() },
  leads: createDynamoLeadIndexReader(dynamoClient()),
  random: Math.random,
  calls,
  clock,
  log,
});
