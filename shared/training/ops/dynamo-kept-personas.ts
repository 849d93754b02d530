import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { config } from '../../platform/config.ts';
import { StoredPersona } from '../persona.ts';
import { trainingKey } from '../training-table.ts';
import { recordsOf } from './dynamo-records.ts';
import type { KeptPersonas } from './kept-personas.ts';

/** Personas in the training table. A persona's id is new, so that a repeated write changes nothing. */
export const dynamoKeptPersonas = (client: DynamoDBDocumentClient): KeptPersonas => ({
  add: async (orgId, persona) => {
    const Item = { ...trainingKey.persona(orgId, persona.id), ...persona };
    await client.send(new PutCommand({ TableName: config('trainingTable'), Item }));
  },
  all: async function* (orgId) {
    for await (const item of recordsOf(client, { orgId, kind: 'persona' })) yield StoredPersona.parse(item);
  },
  find: async (orgId, personaId) => {
    const Key = trainingKey.persona(orgId, personaId);
    const { Item } = await client.send(
      new GetCommand({ TableName: config('trainingTable'), Key, ConsistentRead: true }),
    );
    return z.optional(StoredPersona).parse(Item);
  },
});
