import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { key, readRecordAs } from '../directory/directory-table.ts';
import { available } from '../http/available.ts';
import { dynamo } from '../platform/clients.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import type { Hostnames, Reservation } from './domains.ts';

const NOT_WRITABLE = 'The hostname can not be reserved or released right now.';

const Held = z.object({ orgId: z.string(), domainId: z.string(), reservedAt: z.string() });

/** Who holds which hostname, in the directory table. */
export function dynamoHostnames(): Hostnames {
  return {
    holder: (hostname) => readRecordAs(Held, key.host(hostname), true),
    reserve: (hostname, reservation) => put(hostname, reservation, { ConditionExpression: 'attribute_not_exists(pk)' }),
    takeOver: (hostname, from, to) =>
      put(hostname, to, {
        ConditionExpression: 'domainId = :from',
        ExpressionAttributeValues: { ':from': from.domainId },
      }),
    release: async (hostname, domainId) => {
      const removal = new DeleteCommand({
        TableName: config('directoryTable'),
        Key: key.host(hostname),
        ConditionExpression: 'domainId = :mine',
        ExpressionAttributeValues: { ':mine': domainId },
      });
      await available(NOT_WRITABLE, () => conditionally(dynamo().send(removal)));
    },
  };
}

type Condition = { ConditionExpression: string; ExpressionAttributeValues?: Record<string, string> };

async function put(hostname: string, reservation: Reservation, condition: Condition): Promise<boolean> {
  const { orgId, domainId, reservedAt } = reservation;
  const Item = { ...key.host(hostname), orgId, domainId, reservedAt };
  const command = new PutCommand({ TableName: config('directoryTable'), Item, ...condition });
  return (await available(NOT_WRITABLE, () => conditionally(dynamo().send(command)))) !== undefined;
}
