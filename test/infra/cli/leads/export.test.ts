import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { admin, aPublishedFunnel } from '../../../support/cli/admin.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChangeOf } from '../../../support/leads/stored-leads.ts';
import { aField } from '../../../support/leads/submit.ts';

useDynamo();

const HOSTILE = 'Ada\u001b]0;x\u0007\u202e';

async function aFunnelWithALead(): Promise<string> {
  const { id } = await aPublishedFunnel([aField({ id: 'name', type: 'text' })]);
  await createDynamoLeadRepository().create({ funnelId: id, leadId: randomUUID() }, aLeadChangeOf({ name: HOSTILE }));
  return id;
}

test('control characters are escaped on a terminal, and unchanged in pipes and files', async () => {
  const funnelId = await aFunnelWithALead();
  const folder = await mkdtemp(join(tmpdir(), 'tributary-export-'));
  const file = join(folder, 'leads.csv');
  const seen = await admin(['leads', 'export', funnelId], { columns: 80 });
  expect(seen.out).toContain('Ada\\u001b]0;x\\u0007\\u202e');
  for (const unseen of ['\u001b', '\u0007', '\u202e', '\r']) expect(seen.out).not.toContain(unseen);
  expect((await admin(['leads', 'export', funnelId])).out).toContain(`${HOSTILE},`);
  expect((await admin(['leads', 'export', funnelId, '--out', file], { columns: 80 })).code).toBe(0);
  expect(await readFile(file, 'utf8')).toContain(`${HOSTILE},`);
  await rm(folder, { recursive: true });
});

test('--since and --until accept the same day', async () => {
  const funnelId = await aFunnelWithALead();
  const day = ['--since', '2026-03-01', '--until', '2026-03-01'];
  expect((await admin(['leads', 'list', funnelId, ...day])).code).toBe(0);
});

test('0: --since accepts an age such as "1h"; 2: --since rejects "7 days"', async () => {
  const funnelId = await aFunnelWithALead();
  const list = (age: string) => admin(['leads', 'list', funnelId, '--since', age]);
  expect((await list('7 days')).code).toBe(2);
  expect(await list('1h')).toEqual({ code: 0, out: '', err: 'No leads were found.\n' });
  expect(await list('99999d')).toMatchObject({ code: 0, out: expect.stringContaining('Ada') });
});

test('an export without a terminal overwrites an existing file only with --yes', async () => {
  const funnelId = await aFunnelWithALead();
  const folder = await mkdtemp(join(tmpdir(), 'tributary-export-'));
  const file = join(folder, 'leads.csv');
  await writeFile(file, 'earlier');
  const refused = await admin(['leads', 'export', funnelId, '--out', file]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(await readFile(file, 'utf8')).toBe('earlier');
  expect((await admin(['leads', 'export', funnelId, '--out', file, '--yes'])).code).toBe(0);
  expect(await readFile(file, 'utf8')).toContain(HOSTILE);
  await rm(folder, { recursive: true });
});
