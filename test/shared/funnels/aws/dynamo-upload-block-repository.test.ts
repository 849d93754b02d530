import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { putRecords } from '../../../../infra/local/seed/put-records.ts';
import { createDynamoUploadBlockRepository } from '../../../../shared/funnels/aws/dynamo-upload-block-repository.ts';
import { UploadBlock } from '../../../../shared/funnels/upload-block.ts';
import { useDynamo } from '../../../support/dynamo.ts';

const { callsOf } = useDynamo();
const [orgId, funnelId] = [randomUUID(), randomUUID()];

test('an upload block is cached for 30 s, and is found only in its organization', async () => {
  const block = UploadBlock.parse({ id: randomUUID(), kind: 'upload', funnelId });
  await createDirectoryWriter().putUploadBlock(orgId, block);
  const clock = { ms: 0, now: () => clock.ms };
  const blocks = createDynamoUploadBlockRepository(clock);
  expect(await blocks.find(orgId, block.id)).toEqual({ ...block, bytesMax: 25 * 1024 * 1024 });
  expect(await callsOf(() => blocks.find(orgId, block.id))).toEqual([]);
  clock.ms = 30_000;
  expect(await callsOf(() => blocks.find(orgId, block.id))).toEqual(['GetItem']);
  expect(await blocks.find(randomUUID(), block.id)).toBeUndefined();
});

test('the upload block repository does not find a block of another kind', async () => {
  const id = randomUUID();
  await putRecords('directoryTable', [{ pk: `org#${orgId}`, sk: `block#${id}`, id, kind: 'ai', funnelId }]);
  expect(await createDynamoUploadBlockRepository().find(orgId, id)).toBeUndefined();
});
