import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { dynamo } from '../../platform/clients.ts';
import { config } from '../../platform/config.ts';
import { type ListedFile, type Manifests, NO_MANIFEST } from './manifest.ts';

const ListedFileItem = z.object({
  name: z.string(),
  level: z.enum(['base', '1']),
  sessions: z.number(),
  minTimeMs: z.number(),
  maxTimeMs: z.number(),
  // Session keys take all 64 bits: as text, because a DynamoDB number comes back as a double.
  minKey: z.string().transform(BigInt),
  maxKey: z.string().transform(BigInt),
  bytes: z.number(),
  sha256: z.string(),
});
const ManifestItem = z.object({
  version: z.number().int(),
  generation: z.number().int(),
  files: z.array(ListedFileItem),
  retired: z.array(z.object({ name: z.string(), retiredMs: z.number() })),
});

const keyOf = (funnelId: string) => ({ pk: `funnel#${funnelId}`, sk: 'manifest' });

const itemOf = (file: ListedFile): z.input<typeof ListedFileItem> => ({
  ...file,
  minKey: String(file.minKey),
  maxKey: String(file.maxKey),
});

/** By itself, so that the bundle of a function that reads carries nothing that writes. */
export function dynamoManifestReader(): Pick<Manifests, 'read'> {
  return {
    read: async (funnelId) => {
      const { Item } = await dynamo().send(
        new GetCommand({ TableName: config('analyticsTable'), Key: keyOf(funnelId), ConsistentRead: true }),
      );
      return Item === undefined ? NO_MANIFEST : ManifestItem.parse(Item);
    },
  };
}

export function dynamoManifests(): Manifests {
  return {
    ...dynamoManifestReader(),
    commit: async (funnelId, { version }, { generation, files, retired }) => {
      const put = new PutCommand({
        TableName: config('analyticsTable'),
        Item: { ...keyOf(funnelId), version: version + 1, generation, files: files.map(itemOf), retired },
        ConditionExpression: version === 0 ? 'attribute_not_exists(pk)' : '#version = :read',
        ...(version > 0 && {
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':read': version },
        }),
      });
      try {
        await dynamo().send(put);
        return 'committed';
      } catch (cause) {
        if (cause instanceof ConditionalCheckFailedException) return 'conflict';
        throw cause;
      }
    },
  };
}
