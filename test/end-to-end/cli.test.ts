import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adminOf, npmAdmin } from '../support/cli/npm-admin.ts';
import { parseCsv } from '../support/csv.ts';
import { useLocalRuntime } from '../support/local/use-local-runtime.ts';

const ROOT = join(import.meta.dirname, '../..');

// Uses a new service, because other test files open training sessions, and a user may open only ten per minute.
const runtime = useLocalRuntime({ isNew: true });

const admin = (...args: string[]) => adminOf(runtime, ...args);

const api = (path: string) => `${runtime.demo.baseUrl}/api/v2/public/funnel/${path}`;

async function submit(body: object): Promise<{ lead_id: string; update_token: string }> {
  const answer = await fetch(api(`${runtime.demo.funnel.id}/submit`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  const { data } = (await answer.json()) as { data: { id: string; update_token: string } };
  return { lead_id: data.id, update_token: data.update_token };
}

describe('npm run admin', () => {
  test('lists, shows and exports leads', async () => {
    const { id } = runtime.demo.funnel;
    const data = { name: 'Ada Example', email: 'ada@shop.example', phone: '030 901820', consent: true };
    const handle = await submit({ data, step_id: 'contact' });
    await submit({ ...handle, data: { residents: '4', colour: 'blue' }, step_id: 'details' });

    const list = await npmAdmin(runtime, 'leads', 'list', id);
    expect([list.code, list.err]).toEqual([0, '']);
    expect(list.out).toMatch(new RegExp(`${handle.lead_id} .* Ada Example\\n.*ada@shop\\.example\\n.*\\+4930901820`));

    const show = await admin('leads', 'show', id, handle.lead_id, '--json');
    expect(JSON.parse(show.out)).toMatchObject({
      lead_id: handle.lead_id,
      submits: 2,
      data: { name: 'Ada Example', phone: '+4930901820', consent: true, residents: 4, colour: 'blue' },
      steps: [
        { id: 'contact', count: 1 },
        { id: 'details', count: 1 },
      ],
      consents: [{ field: 'consent', given: { version_id: runtime.demo.funnel.versionId }, withdrawn: null }],
      device_class: 'desktop',
    });
    expect(show.out).not.toContain(handle.update_token);

    const [head = [], row = []] = parseCsv((await admin('leads', 'export', id)).out);
    const cells = Object.fromEntries(row.map((cell, at) => [head[at], cell]));
    expect(cells).toMatchObject({ lead_id: handle.lead_id, phone: '+4930901820', other: '{"colour":"blue"}' });
    const [line = ''] = (await admin('leads', 'export', id, '--format', 'jsonl')).out.split('\n');
    expect(JSON.parse(line)).toEqual(JSON.parse(show.out));
  }, 60_000);

  test('creates a download link for an uploaded file', async () => {
    const { funnel, organizations } = runtime.demo;
    const bytes = Buffer.from('A roof, as text.\n');
    const form = new FormData();
    form.append('blockId', funnel.uploadBlockId);
    form.append('organizationId', organizations.a.id);
    form.append('file', new File([bytes], 'dach – süd.txt', { type: 'text/plain' }));
    const answer = await fetch(api('upload'), { method: 'POST', body: form });
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: { uuid: string } };

    const link = await admin('uploads', 'link', data.uuid);
    expect([link.code, link.err]).toEqual([
      0,
      expect.stringContaining('dach – süd.txt, text/plain, 17 bytes; the link expires at '),
    ]);
    const download = await fetch(link.out.trim());
    expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment/);

    const unknownId = randomUUID();
    const unknown = await admin('uploads', 'link', unknownId);
    const unknownText = `There is no file ${unknownId}: see \`uuid\` in the data of a lead.\n`;
    expect(unknown).toEqual({ code: 1, out: '', err: unknownText });
    const foreign = await admin('uploads', 'link', data.uuid, '--organization', organizations.b.id);
    const foreignText = `The organization has no file ${data.uuid}: omit --organization to search all organizations.\n`;
    expect(foreign).toEqual({ code: 1, out: '', err: foreignText });
  }, 60_000);

  test('adds a persona with an agent, archives and restores a case, and creates a download link for a recording', async () => {
    const { baseUrl, organizations, tokens, caseId, readyCallId } = runtime.demo;
    const organization = organizations.a.id;
    const kim = ['--name', 'Kim', '--language', 'en', '--character', 'Calm.', '--mood', 'curious'];
    const added = JSON.parse((await admin('training', 'personas', 'add', organization, ...kim, '--json')).out);
    expect(added).toMatchObject({ name: 'Kim', agentId: expect.stringMatching(/^agent_/) });
    const session = async () => {
      const answer = await fetch(`${baseUrl}/api/v2/organizations/${organization}/training/session`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.memberA}`, 'content-type': 'application/json' },
        body: JSON.stringify({ caseId, personaId: added.id }),
      });
      return answer.status;
    };
    expect(await session()).toBe(201);
    expect((await admin('training', 'cases', 'archive', organization, caseId)).code).toBe(0);
    expect(await session()).toBe(404);
    expect((await admin('training', 'cases', 'restore', organization, caseId)).code).toBe(0);
    expect(await session()).toBe(201);

    const link = await admin('training', 'calls', 'recording', organization, readyCallId);
    const download = await fetch(link.out.trim());
    expect(
      Buffer.from(await download.arrayBuffer())
        .subarray(0, 3)
        .toString(),
    ).toBe('ID3');
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename="call-.*\.mp3"$/);
  }, 60_000);

  test('0: prints no error if the reader of the output closes the pipe early', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, lead) => submit({ data: { notes: 'x'.repeat(2_000), lead } })));
    const args = ['run', '-s', 'admin', '--', 'leads', 'export', runtime.demo.funnel.id, '--state', runtime.state];
    const child = spawn('npm', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    const complaints: string[] = [];
    child.stderr.on('data', (bytes) => complaints.push(String(bytes)));
    child.stdout.destroy();
    const [code] = await once(child, 'exit');
    expect([code, complaints.join('')]).toEqual([0, '']);
  }, 60_000);
});
