import { randomUUID } from 'node:crypto';
import { paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DomainIds } from '../../domains/domain.ts';
import type { LeadKey } from '../../leads/lead.ts';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { CallIds } from '../../training/call.ts';
import type { DeliveriesEraser } from '../ports.ts';
import type { Subject } from '../subject.ts';
import { subjectPartition } from './deliveries-table.ts';

/**
 * How long the lanes of an erased subject are kept if they have no work. A lane with work is usually deleted earlier.
 * For a lead, this happens after `lead.erased` was delivered or given up; for other subjects, when the lane is due.
 */
const ERASED_LANES_TTL_SECONDS = 7 * 86_400;

export const createDynamoLeadDeliveriesEraser = (clock: Clock = systemClock): DeliveriesEraser<LeadKey> => ({
  erase: ({ funnelId, leadId }) => eraseMessages({ kind: 'lead', funnelId, leadId }, clock),
});

export const createDynamoCallDeliveriesEraser = (clock: Clock = systemClock): DeliveriesEraser<CallIds> => ({
  erase: ({ orgId, callId }) => eraseMessages({ kind: 'call', orgId, callId }, clock),
});

export const createDynamoDomainDeliveriesEraser = (clock: Clock = systemClock): DeliveriesEraser<DomainIds> => ({
  erase: ({ orgId, domainId }) => eraseMessages({ kind: 'domain', orgId, domainId }, clock),
});

/**
 * Removes the messages in flight from the lanes of a subject, and gives each lane a new version. If a process read a
 * lane and its subject before the erasure, its write of a message then fails, because the lane has a new version. An
 * attempt that has begun can still reach its receiver. For a lead, `lead.erased` follows that attempt.
 */
async function eraseMessages(subject: Subject, clock: Clock): Promise<void> {
  const TableName = requireSetting('deliveriesTable');
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :subject',
    ExpressionAttributeValues: { ':subject': subjectPartition(subject) },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
    for (const { pk, sk } of Items) {
      const update = new UpdateCommand({
        TableName,
        Key: { pk, sk },
        UpdateExpression: 'SET version = :version, expiresAt = :expiry REMOVE inFlight',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: {
          ':version': randomUUID(),
          ':expiry': Math.ceil(clock.now() / 1_000) + ERASED_LANES_TTL_SECONDS,
        },
      });
      await undefinedIfConditionFailed(dynamoDocumentClient().send(update));
    }
  }
}
