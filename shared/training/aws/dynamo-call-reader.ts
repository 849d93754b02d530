import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { Analysis, Score, TrainingCall } from '../call.ts';
import type { CallReader } from '../ports.ts';
import { parseStoredJson } from '../stored-json.ts';
import { parseStoredTranscript, TranscriptAttributes } from './call-item.ts';
import { trainingKey } from './training-table.ts';

const ReadableCallItem = z.extend(z.omit(TrainingCall, { transcript: true }), {
  ...TranscriptAttributes.shape,
  analysis: z.nullish(z.string()),
  score: z.nullish(z.string()),
});

export const createDynamoCallReader = (): CallReader => ({
  find: async (ids) => {
    const get = new GetCommand({
      TableName: requireSetting('trainingTable'),
      Key: trainingKey.call(ids),
      ConsistentRead: true,
    });
    const { Item } = await rethrowAsUnavailable('The training call cannot be read. Try again shortly.', () =>
      dynamoDocumentClient().send(get),
    );
    if (Item === undefined) return undefined;
    const { transcript, transcriptKey, analysis, score, ...call } = ReadableCallItem.parse(Item);
    return {
      ...call,
      analysis: analysis ? parseStoredJson(Analysis, analysis, `The analysis of the call ${ids.callId}`) : null,
      score: score ? parseStoredJson(Score, score, `The score of the call ${ids.callId}`) : null,
      storedTranscript: parseStoredTranscript({ transcript, transcriptKey }),
    };
  },
});
