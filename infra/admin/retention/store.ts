import { createDynamoFunnelHistoryRepository } from '../../../shared/funnels/aws/dynamo-funnel-history-repository.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoLeadErasureRepository } from '../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import { createDynamoLeadIndexReader } from '../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import { plainDynamo } from '../../../shared/platform/clients.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { dynamoRetainedOrganizations } from '../../../shared/retention/dynamo-retained-organizations.ts';
import { callErasers, leadEraser } from '../../../shared/retention/erasers.ts';
import type { DuePorts, RetentionPorts } from '../../../shared/retention/retention-ports.ts';
import { dynamoCallErasures } from '../../../shared/training/erasure/dynamo-call-erasures.ts';
import { dynamoOldCalls } from '../../../shared/training/erasure/dynamo-old-calls.ts';
import { s3CallObjects } from '../../../shared/training/erasure/s3-call-objects.ts';
import type { VoiceProvider } from '../../../shared/training/voice/voice-provider.ts';
import { dynamoErasableUploads } from '../../../shared/uploads/dynamo-erasable-uploads.ts';
import { s3FileRemover } from '../../../shared/uploads/s3-file-remover.ts';

/** What is due of an organization, once connected. */
export const duePorts = (): DuePorts => ({
  organizations: dynamoRetainedOrganizations(),
  funnels: { ...createDynamoFunnelHistoryRepository(), ...createDynamoFunnelRepository() },
  leads: createDynamoLeadIndexReader(plainDynamo()),
  calls: dynamoOldCalls(),
  clock,
});

/** The same, to be erased as the daily run does it. */
export function retentionPorts(voice: VoiceProvider, log: RetentionPorts['log']): RetentionPorts {
  const calls = dynamoOldCalls();
  const erase = leadEraser({
    leads: createDynamoLeadErasureRepository(),
    uploads: dynamoErasableUploads(),
    files: s3FileRemover(),
    clock,
  });
  const erasers = callErasers({
    calls: { erasures: dynamoCallErasures(), objects: s3CallObjects(), voice },
    oldCalls: calls,
    ...{ clock, log },
  });
  return { ...duePorts(), eraseLead: erase, ...erasers, calls, log };
}
