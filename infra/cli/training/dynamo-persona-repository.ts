import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { StoredPersona } from '../../../shared/training/persona.ts';
import { listTrainingRecords } from './dynamo-training-records.ts';
import type { PersonaRepository } from './persona-repository.ts';

/** Personas in the training table. Each id is new, so a repeated write changes nothing. */
export const createDynamoPersonaRepository = (client: DynamoDBDocumentClient): PersonaRepository => ({
  add: async (orgId, persona) => {
    const Item = { ...trainingKey.persona(orgId, persona.id), ...persona };
    await client.send(new PutCommand({ TableName: requireSetting('trainingTable'), Item }));
  },
  list: async function* (orgId) {
    for await (const item of listTrainingRecords(client, { orgId, kind: 'persona' })) yield StoredPersona.parse(item);
  },
  find: async (orgId, personaId) => {
    const Key = trainingKey.persona(orgId, personaId);
    const { Item } = await client.send(
      new GetCommand({ TableName: requireSetting('trainingTable'), Key, ConsistentRead: true }),
    );
    return z.optional(StoredPersona).parse(Item);
  },
});
