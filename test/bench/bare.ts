import type { Call } from './load.ts';

/** A call of the AWS JSON protocol as an SDK sends it; the stand-ins read the signature's form, not its value. */
export function bareCall(url: string, target: string, input: object, contentVersion: '1.0' | '1.1'): Call {
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

/** PutRecord of one record, to a shard of chance as the service does it. */
export const barePutRecord = (kinesis: string, stream: string, record: Uint8Array, partitionKey: string): Call =>
  bareCall(
    kinesis,
    'Kinesis_20131202.PutRecord',
    { StreamName: stream, PartitionKey: partitionKey, Data: Buffer.from(record).toString('base64') },
    '1.1',
  );

/** UpdateItem of one item with a condition and as many attributes as a submit of three fields writes. */
export function bareUpdateItem(dynamodb: string, table: string, id: string): Call {
  const names = Array.from({ length: 10 }, (_, index) => [`#${index}`, `d.field${index}`] as const);
  const values = names.map(([alias], index) => [`:${alias.slice(1)}`, { S: `value ${index}` }] as const);
  return bareCall(
    dynamodb,
    'DynamoDB_20120810.UpdateItem',
    {
      TableName: table,
      Key: { pk: { S: `bench#${id}` }, sk: { S: 'lead' } },
      UpdateExpression: `SET ${names.map(([alias]) => `${alias} = :${alias.slice(1)}`).join(', ')} ADD calls :one`,
      ConditionExpression: 'attribute_not_exists(token) OR token = :0',
      ExpressionAttributeNames: Object.fromEntries(names),
      ExpressionAttributeValues: { ...Object.fromEntries(values), ':one': { N: '1' } },
    },
    '1.0',
  );
}
