import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../platform/clients.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { config } from '../platform/config.ts';
import type { Cases } from './training-case.ts';

/** A case's id is new, so that a write which the SDK repeats after a lost answer changes nothing. */
export function dynamoCases(clock: Clock = systemClock): Cases {
  return {
    add: async (orgId, trainingCase) => {
      await dynamo().send(
        new PutCommand({
          TableName: config('trainingTable'),
          Item: {
            pk: `org#${orgId}`,
            sk: `case#${trainingCase.id}`,
            ...trainingCase,
            createdAt: new Date(clock.now()).toISOString(),
          },
        }),
      );
    },
  };
}
