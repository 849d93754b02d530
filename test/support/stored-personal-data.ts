import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { TABLES } from '../../infra/stacks/data/tables.ts';
import { decodeFacts } from '../../shared/analytics/facts/fact-codec.ts';
import { createParquetDownloader } from '../../shared/analytics/raw-events/duckdb/parquet-downloader.ts';
import { dynamoDocumentClient } from '../../shared/platform/aws/dynamo-client.ts';
import { createS3ObjectStore } from '../../shared/platform/aws/s3-object-store.ts';

const objects = () => createS3ObjectStore('factsBucket');

/** Reads and decodes all items and objects of the tests, by their location. @param root folder for temporary copies */
export async function readStoredData(root: string): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  const copies = createParquetDownloader(objects(), join(root, 'looked-into'));
  for await (const { key } of objects().list('')) {
    const content = key.endsWith('.parquet')
      ? await copies(key, async ({ connection, from }) => {
          const rows = await connection.runAndReadAll(`SELECT to_json(t)::VARCHAR FROM ${from} t`);
          return rows.getRows().flat().join('\n');
        })
      : Buffer.from((await objects().get(key)) ?? []).toString('latin1');
    const inside = Array.from(content?.matchAll(/"(?:data|rawData)":"([^"]*)"/g) ?? [], ([, base64 = '']) =>
      Buffer.from(base64, 'base64').toString(),
    );
    all.set(key, `${key}${content}${inside}`);
  }
  for (const { name: TableName } of TABLES) {
    const { Items = [] } = await dynamoDocumentClient().send(new ScanCommand({ TableName }));
    for (const item of Items) all.set(`${TableName} ${item.pk} ${item.sk}`, textOf(item));
  }
  return all;
}

function textOf(item: Record<string, unknown>): string {
  const facts = item.facts instanceof Uint8Array ? decodeFacts(item.facts) : [];
  return JSON.stringify({ ...item, facts }, (_, value) => {
    if (typeof value === 'bigint') return `${value}`;
    return value instanceof Set ? [...value] : value;
  });
}

/** Finds where texts are stored. @returns the first part of an object's key, or the table and the kind of an item */
export async function findStoredTexts(root: string, ...texts: string[]): Promise<string[]> {
  const found = [...(await readStoredData(root))].filter(([, content]) => texts.some((text) => content.includes(text)));
  const places = found.map(([where]) => {
    const [table, , sk] = where.split(' ');
    return sk === undefined ? where.replace(/\/.*/, '') : `${table} ${sk.replace(/#.*/, '')}`;
  });
  return [...new Set(places)].sort();
}
