import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDynamoUploadRepository } from '../../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { aPersonAndOthers, aStoredFile, EMAIL, PHONE } from '../../../support/a-person.ts';
import { aLine } from '../../../support/analytics/memory-stores.ts';
import { useAnalyticsPipeline } from '../../../support/analytics/use-analytics-pipeline.ts';
import { admin } from '../../../support/cli/admin.ts';
import { readStoredData } from '../../../support/stored-personal-data.ts';

const { root, tell, deliver } = useAnalyticsPipeline();
beforeAll(() => void Object.assign(process.env, { UPLOADS_BUCKET: 'analytics' }));

/** The contents of all files in a folder, by relative path. */
const filesIn = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]),
  );

const jsonIn = (files: Map<string, string>, name: string) =>
  JSON.parse(Buffer.from(files.get(name) ?? '', 'latin1').toString());
const aFolder = () => join(root, `out-${randomUUID()}`);

async function aVisitedWorld() {
  const world = await aPersonAndOthers();
  const { shop, ada, bob } = world;
  const event = (session: string, attributes = {}) => ({
    funnel_id: shop,
    session_id: session,
    kind: 'view',
    ...attributes,
  });
  const naming = { payload: JSON.stringify({ lead_id: ada.leadId }) };
  await tell(
    event('a', { step_id: 'first' }),
    event('a', naming),
    event('b', { payload: `{"lead_id":"${bob.leadId}"}` }),
  );
  await deliver(`${aLine(event('a', { step_id: 'waiting' }))}${aLine(event('b'))}{"half":`);
  return world;
}

describe('privacy export', () => {
  test('0: exports only data of the person, without hashes and tokens, and changes no stored data except a lease', async () => {
    const world = await aVisitedWorld();
    const before = await readStoredData(root);
    const out = aFolder();
    const result = await admin(['privacy', 'export', world.org, '--email', EMAIL, '--out', out, '--json']);
    expect([result.code, JSON.parse(result.out)]).toEqual([
      0,
      { folder: out, leadsSearched: 6, leads: 2, files: 3, missingFiles: 0, sessions: 1, events: 4 },
    ]);
    const files = filesIn(out);
    const leads = jsonIn(files, 'leads.json');
    expect(leads.map(({ lead_id }: { lead_id: string }) => lead_id).sort()).toEqual(
      [world.ada.leadId, world.before.leadId].sort(),
    );
    const listed: { file: string; name: string; lead_id: string }[] = jsonIn(files, 'files.json');
    for (const { file, name } of listed) expect(files.get(file)).toBe(`%PDF- bytes of ${name.replace('.pdf', '')}`);
    expect(new Set(listed.map(({ name }) => name))).toEqual(
      new Set(['own file of Ada.pdf', 'earlier file of Ada.pdf', 'file of both.pdf']),
    );
    const events: { session_id: string; step_id: string }[] = jsonIn(files, 'events.json');
    expect(new Set(events.map(({ session_id }) => session_id))).toEqual(new Set(['a']));
    expect(events.map(({ step_id }) => step_id)).toContain('waiting');
    expect(files.get('README.txt')).toContain('2 of your entries');
    const all = [...files.values()].join();
    for (const never of [world.bob.leadId, 'Bob', 'hash-of-ada', 'tokenHash', 'session_key', `x${EMAIL}`])
      expect([never, all.includes(never)]).toEqual([never, false]);
    const after = await readStoredData(root);
    // The only change is the record of the lease, which the export acquired and released.
    expect(after.get('analytics upkeep turn')).toContain('"holder":""');
    after.delete('analytics upkeep turn');
    expect(after).toEqual(before);
    for (const path of ['', 'files']) expect(statSync(join(out, path)).mode & 0o777).toBe(0o700);
    for (const path of files.keys()) expect(statSync(join(out, path)).mode & 0o777).toBe(0o600);
  }, 60_000);

  test('0: writes every file of a visitor into the folder "files", even if the file name is a path or too long', async () => {
    const { org, ada } = await aPersonAndOthers();
    for (const name of ['../../../escaped', '/etc/passwd', 'C:\\x\\y', 'a'.repeat(249), '\u202egnp.exe\u0000'])
      await aStoredFile(org, name, [ada]);
    const out = aFolder();
    const { code, out: report } = await admin(['privacy', 'export', org, '--phone', PHONE, '--out', out, '--json']);
    expect([code, JSON.parse(report).files]).toEqual([0, 8]);
    const names = [...filesIn(out).keys()];
    for (const name of names) expect(name).toMatch(/^(files\/\d [^/\\]+|files\/\d\.pdf|\w+\.(json|txt))$/);
    expect(names).toHaveLength(8 + 4);
    expect(existsSync(join(out, '../escaped.pdf'))).toBe(false);
  });

  test('0: reports an upload whose object is missing, and lists the upload with `file` null', async () => {
    const { org, ada, files } = await aPersonAndOthers();
    await createDynamoUploadRepository().add({ ...files.own, storagePath: `${org}/nowhere/gone.pdf` });
    const out = aFolder();
    const lead = `${ada.funnelId}/${ada.leadId}`;
    const result = await admin(['privacy', 'export', org, '--lead', lead, '--out', out]);
    expect([result.code, result.err]).toEqual([0, expect.stringContaining('Not stored any more: 1 file.')]);
    const listed: { uuid: string; file: string | null }[] = jsonIn(filesIn(out), 'files.json');
    expect(listed.find(({ uuid }) => uuid === files.own.uuid)?.file).toBeNull();
    expect(await createDynamoUploadRepository().find(org, files.own.uuid)).toBeDefined();
  });

  test('0: writes no folder if no data of the person is found', async () => {
    const { org } = await aPersonAndOthers();
    const out = aFolder();
    const result = await admin(['privacy', 'export', org, '--email', 'unknown@shop.example', '--out', out]);
    expect(result).toEqual({
      code: 0,
      out: '',
      err: expect.stringContaining('Nothing was found, and no folder was written.'),
    });
    expect(existsSync(out)).toBe(false);
  });

  test('1: fails and changes nothing if the folder is not empty, is a file, or has no parent folder', async () => {
    const { org } = await aPersonAndOthers();
    const out = aFolder();
    mkdirSync(out);
    writeFileSync(join(out, 'mine'), 'attached');
    const exported = (to: string) => admin(['privacy', 'export', org, '--email', EMAIL, '--out', to]);
    expect(await exported(out)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is not empty') });
    expect([...filesIn(out)]).toEqual([['mine', 'attached']]);
    expect(await exported(join(out, 'mine'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not a folder'),
    });
    const below = join(out, 'a', 'b');
    expect(await exported(below)).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be written: its folder does not exist.'),
    });
    expect(readdirSync(out)).toEqual(['mine']);
  });
});
