import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { funnelDefinitionSchema } from '../../../../infra/cli/funnels/definition/funnel-definition.ts';
import { applyPublication, planDefinition } from '../../../../infra/cli/funnels/publication.ts';
import { createDynamoFunnelHistoryRepository } from '../../../../shared/funnels/aws/dynamo-funnel-history-repository.ts';
import { admin } from '../../../support/cli/admin.ts';
import { aFunnelDefinition } from '../../../support/cli/funnel-definition.ts';
import { aFunnelRepository } from '../../../support/cli/funnel-repository.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

let folder: string;
let orgId: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-funnels-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  orgId = await anOrganization();
});

const funnels = (...args: string[]) => admin(['funnels', ...args]);
const idOf = async (...args: string[]) => {
  const { code, out, err } = await funnels(...args);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return out.trim();
};
const jsonOf = async (...args: string[]) => JSON.parse((await funnels(...args, '--json')).out);
const fileOf = async (file: unknown) => {
  const path = join(folder, `${randomUUID()}.json`);
  await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file, null, 2));
  return path;
};
const idsOf = () => createDynamoFunnelHistoryRepository().listFunnelIds(orgId);

const FILE = aFunnelDefinition();
const [NAME, EMAIL] = FILE.fields;
if (NAME === undefined || EMAIL === undefined) throw new Error('aFunnelDefinition must return a file with two fields.');
const NEXT = aFunnelDefinition({ fields: [NAME, { id: 'day', type: 'date', step: 'contact' }] });

test('validate: accepts a valid file and lists the issues of an invalid file, without connecting to an environment', async () => {
  const path = await fileOf(FILE);
  const place = { connect: () => Promise.reject(new Error('not needed')) };
  expect(await admin(['funnels', 'validate', path], place)).toEqual({
    code: 0,
    out: `${path} is valid: 2 fields, 1 step.\n`,
    err: '',
  });
  const wrong = await fileOf('{\n  "name": "x",\n  "feilds": []\n}');
  const { code, out, err } = await admin(['funnels', 'validate', wrong], place);
  expect([code, out]).toEqual([1, '']);
  expect(err).toBe(
    [
      '1:1      fields: This property is required.',
      '3:3      feilds: "feilds" is not a known property here; did you mean "fields"?',
      `${wrong} is not valid: it has 2 issues. Nothing was changed.`,
      '',
    ].join('\n'),
  );
  expect(JSON.parse((await funnels('validate', wrong, '--json')).out)).toMatchObject({
    valid: false,
    more: 0,
    issues: [{ path: 'fields', line: 1, column: 1 }, {}],
  });
});

test('validate: wraps the lines of issues at 80 columns, and prints no control sequences from the file', async () => {
  const wrong = await fileOf({ ...FILE, fields: [{ id: '\u001b[31m', type: '\u202eevil' }], '\u001b]0;x': 1 });
  const { err } = await admin(['funnels', 'validate', wrong], { columns: 80 });
  const lines = err.trimEnd().split('\n').slice(0, -1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  for (const unseen of ['\u001b', '\u202e']) expect(err).not.toContain(unseen);
});

test.each([
  ['nowhere.json', 'does not exist.'],
  ['.', 'is a folder.'],
])('1: validate rejects the path %s with a message', async (path, sentence) => {
  const whole = join(folder, path);
  expect(await funnels('validate', whole)).toEqual({ code: 1, out: '', err: `${whole} ${sentence}\n` });
});

test('schema: prints the JSON Schema of funnel files', async () => {
  expect(JSON.parse((await funnels('schema')).out)).toEqual(funnelDefinitionSchema());
});

test('a funnel is created, published twice, exported, and rolled back to its first version', async () => {
  const path = await fileOf(FILE);
  const id = await idOf('create', orgId, path);
  expect((await funnels('versions', id)).err).toContain(
    `There is no version yet. Publish one with: npm run admin -- funnels publish ${id} --state`,
  );
  expect((await funnels('list', orgId)).out).toMatch(
    new RegExp(`^FUNNEL .*\\n${id}  not yet published  Cakes to order\\n$`),
  );
  const first = await idOf('publish', id);
  const second = await idOf('publish', id, await fileOf(NEXT), '--yes');
  expect((await jsonOf('versions', id)).versions).toMatchObject([
    { id: second, published: true, previousVersionId: first },
    { id: first, published: false, previousVersionId: null },
  ]);
  expect(JSON.parse((await funnels('export', id)).out)).toEqual(NEXT);
  expect(JSON.parse((await funnels('export', id, '--version', first)).out)).toEqual(FILE);
  expect(await idOf('rollback', id, '--yes')).toBe(first);
  expect((await funnels('versions', id)).out).toMatch(new RegExp(`${second} .*\\n${first} .*:\\d\\d, published\\n$`));
  const { out } = await admin(['funnels', 'versions', id], { columns: 80 });
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect((await funnels('rollback', id)).err).toBe(
    'The version before the current version is not known: give a version with --to.\n',
  );
  expect(await idOf('rollback', id, '--to', second, '--yes')).toBe(second);
});

test('versions: shows “never published” for a version whose publication failed', async () => {
  const id = await idOf('create', orgId, await fileOf(FILE), '--publish');
  const { funnels: repository, ports } = aFunnelRepository();
  const lost = await planDefinition(repository, id, NEXT);
  await idOf('publish', id, await fileOf({ ...FILE, country: 'AT' }));
  await expect(applyPublication(ports, lost)).rejects.toThrow('nothing was published');
  expect((await funnels('versions', id)).out).toMatch(new RegExp(`^${lost.version.id} .*  never published$`, 'm'));
});

test('create --publish: the funnel is published; show prints its state, fields and ids of upload blocks', async () => {
  const file = aFunnelDefinition({ uploadBlocks: [{ name: 'Photo' }] });
  const made = await jsonOf('create', orgId, await fileOf(file), '--publish');
  expect(made.publishedVersionId).toMatch(/^[0-9a-f-]{36}$/);
  const shown = await jsonOf('show', made.id);
  expect(shown).toMatchObject({ id: made.id, orgId, publishedVersionId: made.publishedVersionId, file });
  const { out } = await funnels('show', made.id);
  expect(out).toMatch(new RegExp(`upload blocks +${shown.uploadBlocks[0].id} Photo\\n`));
  expect(out).toMatch(/state +published\n.*fields +name: text, required, step contact\n +email: email, verifiable/s);
});

test('1: create rejects the name of an unarchived funnel of the organization, unless --yes confirms it', async () => {
  const path = await fileOf(FILE);
  const id = await idOf('create', orgId, path);
  const { code, err } = await funnels('create', orgId, path);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`a funnel with this name (${id}). Create another funnel? Confirm with --yes`),
  ]);
  expect(await idsOf()).toEqual([id]);
  await idOf('create', orgId, path, '--yes');
  expect(await idsOf()).toHaveLength(2);
});

test.each([
  ['an invalid file', async () => [orgId, await fileOf({})], 'it has 2 issues'],
  ['an unknown organization', async () => [randomUUID(), await fileOf(FILE)], 'There is no organization'],
])('1: create with %s prints what is wrong and creates nothing', async (_, argumentsOf, sentence) => {
  const { code, out, err } = await funnels('create', ...(await argumentsOf()));
  expect([code, out, err]).toEqual([1, '', expect.stringContaining(sentence)]);
  expect(await idsOf()).toEqual([]);
});

test('publish: --dry-run prints the changes; removed and retyped fields need a confirmation', async () => {
  const id = await idOf('create', orgId, await fileOf(FILE), '--publish');
  const retyped = {
    ...NEXT,
    fields: [{ ...NAME, type: 'long_text', required: false }, ...NEXT.fields.slice(1)],
    country: 'AT',
  };
  const path = await fileOf(retyped);
  const dry = await funnels('publish', id, path, '--dry-run');
  expect(dry.out.split('\n').slice(1)).toEqual([
    '  + day: date',
    '  - email: email',
    '  ~ name: type text → long_text, required yes → no',
    '  other parts: country',
    '',
  ]);
  const { code, err } = await funnels('publish', id, path);
  expect([code, err]).toEqual([1, expect.stringContaining('give --yes')]);
  expect((await jsonOf('versions', id)).versions).toHaveLength(1);
  const report = await jsonOf('publish', id, path, '--yes');
  expect(report).toMatchObject({ id, changed: true, dryRun: false, changes: { removed: [{ id: 'email' }] } });
  expect(await jsonOf('publish', id, path)).toMatchObject({ versionId: report.versionId, changed: false });
});

test('0: publish needs no confirmation if fields are only added', async () => {
  const id = await idOf('create', orgId, await fileOf(FILE), '--publish');
  const more = { ...FILE, fields: [...FILE.fields, { id: 'day', type: 'date' }] };
  expect((await funnels('publish', id, await fileOf(more))).code).toBe(0);
});

test('unpublish, archive and restore change the status once; a repeated command reports no change', async () => {
  const id = await idOf('create', orgId, await fileOf(FILE));
  expect((await funnels('unpublish', id)).err).toBe('The funnel was never published. Nothing was changed.\n');
  await idOf('publish', id);
  expect((await funnels('archive', id)).code).toBe(1);
  expect((await funnels('unpublish', id)).out).toMatch(
    /^The funnel is unpublished\. It accepts requests for 24 more hours/,
  );
  expect((await jsonOf('unpublish', id)).changed).toBe(false);
  expect((await jsonOf('list', orgId)).funnels[0].state).toMatch(/^closing until /);
  expect((await funnels('rollback', id)).err).toMatch(/^The funnel is not published/);
  expect((await funnels('publish', id)).code).toBe(0);
  expect((await jsonOf('archive', id, '--yes')).changed).toBe(true);
  expect((await jsonOf('archive', id)).changed).toBe(false);
  expect((await funnels('publish', id)).err).toBe('The funnel is archived: restore it first with "funnels restore".\n');
  expect((await funnels('restore', id)).out).toBe('The funnel is restored: published.\n');
  expect((await jsonOf('restore', id)).changed).toBe(false);
});

test.each([['show'], ['versions'], ['export'], ['publish'], ['rollback'], ['unpublish'], ['archive'], ['restore']])(
  '1: %s reports that the funnel does not exist',
  async (command) => {
    const id = randomUUID();
    expect(await funnels(command, id)).toEqual({
      code: 1,
      out: '',
      err: `There is no funnel ${id}: see "funnels list".\n`,
    });
  },
);

test('1: publish rejects a version of another funnel', async () => {
  const [one, other] = [
    await jsonOf('create', orgId, await fileOf(FILE), '--publish'),
    await jsonOf('create', orgId, await fileOf(NEXT), '--publish', '--yes'),
  ];
  const { code, err } = await funnels('publish', one.id, '--version', other.publishedVersionId);
  expect([code, err]).toEqual([1, `The funnel has no version ${other.publishedVersionId}: see "funnels versions".\n`]);
  expect((await jsonOf('show', one.id)).publishedVersionId).toBe(one.publishedVersionId);
});

test('2: publish rejects a file together with --version', async () => {
  const { code, err } = await funnels('publish', randomUUID(), await fileOf(FILE), '--version', randomUUID());
  expect([code, err]).toEqual([2, expect.stringContaining('give a file or --version, not both')]);
});
