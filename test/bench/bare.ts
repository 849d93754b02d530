import { leadItemKey } from '../../shared/leads/aws/lead-item.ts';
import { buildLeadUpdate } from '../../shared/leads/aws/lead-update.ts';
import type { LeadKey } from '../../shared/leads/lead.ts';
import type { LeadChange } from '../../shared/leads/ports.ts';
import type { Call } from './load.ts';

/** A request in the AWS JSON protocol. Its signature need not be valid, because stand-ins check only the format. */
function bareCall(url: string, target: string, input: object, contentVersion: '1.0' | '1.1'): Call {
  return {
    url,
    method: 'POST',
    headers: {
      'Content-Type': `application/x-amz-json-${contentVersion}`,
      'X-Amz-Target': target,
      'X-Amz-Date': '20260101T000000Z',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=bench/20260101/eu-central-1/service/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(input),
  };
}

/** The PutRecord request that the service sends for an ingest request. */
export const barePutRecord = (kinesis: string, stream: string, record: Uint8Array, partitionKey: string): Call =>
  bareCall(
    kinesis,
    'Kinesis_20131202.PutRecord',
    { StreamName: stream, PartitionKey: partitionKey, Data: Buffer.from(record).toString('base64') },
    '1.1',
  );

type Attributes = Record<string, string | number>;

const marshalled = (values: Attributes) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]),
  );

/** The UpdateItem request that the service sends for a submit of an existing lead. */
export function bareUpdateItem(dynamodb: string, table: string, leadKey: LeadKey, submit: LeadChange): Call {
  const { ExpressionAttributeValues, ...update } = buildLeadUpdate(leadKey, submit);
  return bareCall(
    dynamodb,
    'DynamoDB_20120810.UpdateItem',
    {
      TableName: table,
      Key: marshalled(leadItemKey(leadKey)),
      ...update,
      ExpressionAttributeValues: marshalled(ExpressionAttributeValues),
    },
    '1.0',
  );
}
