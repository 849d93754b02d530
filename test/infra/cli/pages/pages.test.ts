import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CREDENTIALS } from '../../../../infra/local/runtime/environment.ts';
import { startObjectStore } from '../../../../infra/local/s3/server.ts';
import { admin } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aPage, itemsOf, pagesOf, storedPage } from '../../../support/landing-pages/pages.ts';
import { aPng } from '../../../support/uploads/sample-files.ts';

const { callsOf } = useDynamo();

let folder: string;
let orgId: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-pages-'));
  const port = await startObjectStore(join(folder, 's3'), 'uploads');
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    UPLOADS_BUCKET: 'uploads',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  orgId = await anOrganization();
});

const pages = (...args: string[]) => admin(['pages', ...args]);
const fileOf = async (content: unknown): Promise<string> => {
  const path = join(folder, `${randomUUID()}.json`);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
async function assetsOf(files: Record<string, Buffer | string>): Promise<string> {
  const path = await mkdtemp(join(folder, 'assets-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

test('a page is added as a draft, published, listed, unpublished and removed; its texts refer to assets by URL', async () => {
  const body = { image: '/assets/roof.png', big: 1e300, note: 'See /assets/roof.png.' };
  const file = await fileOf({
    name: 'Solar',
    slug: 'solar',
    css: 'a{b:url(/assets/roof.png)}',
    blocks: [{ kind: 'hero', body }],
  });
  const assets = await assetsOf({ 'roof.png': aPng() });
  const added = await pages('add', orgId, file, '--assets', assets);
  expect([added.code, added.err]).toEqual([0, expect.stringContaining('Added a draft with 1 block and 1 asset')]);
  const id = added.out.trim();
  const shown = JSON.parse((await pages('show', orgId, id, '--json')).out);
  const [asset] = shown.assets;
  expect(asset).toMatchObject({ name: 'roof.png', mimeType: 'image/png', key: `${orgId}/${id}/${asset.id}.png` });
  expect(shown).toMatchObject({ status: 'draft', css: `a{b:url(/assets/${asset.key})}` });
  expect(JSON.parse(shown.blocks[0].body)).toEqual({
    ...body,
    image: `/assets/${asset.key}`,
    note: `See /assets/${asset.key}.`,
  });
  expect((await pages('publish', orgId, id)).out).toBe('The page is now published.\n');
  expect((await pages('publish', orgId, id)).out).toBe('The page is already published.\n');
  expect((await pages('list', orgId)).out).toMatch(new RegExp(`\\n${id}  .{16}  published  Solar\\n$`));
  expect((await pages('unpublish', orgId, id)).out).toBe('The page is now a draft.\n');
  expect((await pages('remove', orgId, id, '--dry-run')).err).toBe('Nothing was changed.\n');
  expect((await pages('remove', orgId, id)).code).toBe(1);
  expect(await itemsOf({ id, orgId })).toHaveLength(3);
  expect((await pages('remove', orgId, id, '--yes')).out).toBe(
    'The page is removed with 1 block and 1 asset, except assets that other pages of the organization also show.\n',
  );
  expect((await itemsOf({ id, orgId })).map((item) => Object.keys(item).includes('tombstone'))).toEqual([true]);
  expect((await pages('list', orgId)).err).toBe('There are no pages yet: see "pages add".\n');
});

test('1: add reports the issues of a file with line and path, and adds nothing', async () => {
  const assets = await assetsOf({ 'roof.png': aPng() });
  const wrong: [unknown, RegExp][] = [
    ['{\n "name": }', /^2:10 {2}A value is missing/],
    [
      '{\n "name": "Solar",\n "slug": "So lar", "blocks": [{ "kind": 1 }] }',
      /^3:10 {2}slug: must be[\s\S]*blocks\[0\]\.kind: /,
    ],
    [{ name: 'a', slug: 'a', blocks: [], more: 1 }, /more/],
    [{ name: 'a', slug: 'a', blocks: [{ kind: 'a', body: '/assets/gone.png' }] }, /There is no asset gone\.png/],
    ['', /The file is empty/],
  ];
  for (const [content, sentence] of wrong) {
    const { code, err } = await pages('add', orgId, await fileOf(content), '--assets', assets);
    expect([code, err]).toEqual([1, expect.stringMatching(sentence)]);
    expect(err).toContain('Nothing was added.');
  }
  expect(await pagesOf(orgId)).toEqual([]);
});

test('1: add reports the path of a text that is too large, and writes nothing; the help states the limits', async () => {
  const assets = await assetsOf({ 'roof.png': aPng() });
  const parts = (body: unknown) => ({
    name: 'a',
    slug: 'a',
    blocks: [
      { kind: 'a', body: 1 },
      { kind: 'a', body },
    ],
  });
  const addressed = Array.from({ length: 10_000 }, () => '/assets/roof.png');
  const wrong: [object, RegExp][] = [
    [parts('é'.repeat(205_000)), /^1:\d+ {2}blocks\[1\]\.body: is too large: .* 405,000 bytes/],
    [parts(addressed), /^1:\d+ {2}blocks\[1\]\.body: is too large/],
    [{ name: 'a', slug: 'a', blocks: [], css: 'x'.repeat(405_001) }, /^1:\d+ {2}css: is too large/],
  ];
  for (const [content, sentence] of wrong) {
    const calls = await callsOf(async () => {
      const { code, err } = await pages('add', orgId, await fileOf(content), '--assets', assets);
      expect([code, err]).toEqual([1, expect.stringMatching(sentence)]);
    });
    expect(calls).not.toContain('PutItem');
  }
  const largest = await fileOf(parts('x'.repeat(404_998)));
  expect((await pages('add', orgId, largest)).code).toBe(0);
  const help = (await pages('add', '--help')).out.replace(/\s+/g, ' ');
  expect(help).toMatch(
    /the JSON file: 1,000,000 bytes the body of each block: 405,000 bytes css and settings together: /,
  );
  expect(help).toMatch(/: 405,000 bytes each asset: 25,000,000 bytes .*location is removed from images/);
});

test('1: add rejects an asset with a wrong content, name or type, and a folder of assets that does not exist', async () => {
  const file = await fileOf({ name: 'a', slug: 'a', blocks: [] });
  for (const files of [{ 'roof.png': '<svg/>' }, { 'a roof.png': aPng() }, { 'page.html': '<p>' }]) {
    const { code } = await pages('add', orgId, file, '--assets', await assetsOf(files));
    expect(code).toBe(1);
  }
  expect(await pages('add', orgId, file, '--assets', join(folder, 'nowhere'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not exist'),
  });
  expect(await pagesOf(orgId)).toEqual([]);
});

test('1: show, publish and remove do not find a page of another organization', async () => {
  const { page } = await storedPage(aPage(randomUUID()));
  for (const command of ['show', 'publish', 'remove']) {
    const err = `The organization has no page ${page.id}: see "pages list".\n`;
    expect(await pages(command, orgId, page.id)).toMatchObject({ code: 1, err });
  }
  expect(await itemsOf(page)).toHaveLength(2);
});
