import { describe, expect, test } from 'vitest';
import { dynamoErasableLeads } from '../../../shared/leads/dynamo-erasable-leads.ts';
import { leadReferences } from '../../../shared/leads/dynamo-lead-references.ts';
import { dynamoLeadVerifications } from '../../../shared/leads/dynamo-lead-verifications.ts';
import { dynamoLeads } from '../../../shared/leads/dynamo-leads.ts';
import type { LeadKey } from '../../../shared/leads/lead.ts';
import { hashToken } from '../../../shared/leads/lead-handle.ts';
import { type EraseLeadPorts, eraseLead } from '../../../shared/privacy/erase-lead.ts';
import { dynamoErasableUploads } from '../../../shared/uploads/dynamo-erasable-uploads.ts';
import { dynamoKeptUploads } from '../../../shared/uploads/dynamo-kept-uploads.ts';
import { sweepUploads } from '../../../shared/uploads/sweep-uploads.ts';
import type { Upload } from '../../../shared/uploads/upload.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { DAY_MS, NOON } from '../../support/leads.ts';
import { aMortal } from '../../support/mortal.ts';
import { aLead, itemOf, saying } from '../../support/stored-leads.ts';
import { anUpload, recordIn, setUpSweep, stored } from '../../support/stored-uploads.ts';

useDynamo();

const ORG = '0f2b0c52-58bb-4b54-a6a5-0e1f8f6e2a01';
const nameOf = ({ funnelId, leadId }: LeadKey) => `${funnelId}/${leadId}`;

/** Erasure and sweeper over the table, with objects in memory and a clock of their own, two hours after the uploads. */
function setUp() {
  const sweep = setUpSweep(NOON + 7_200_000);
  const { clock, objects, incoming, ports } = sweep;
  const erasing: EraseLeadPorts = {
    ...{ leads: dynamoErasableLeads(clock), uploads: dynamoErasableUploads(clock), files: ports.files, clock },
  };
  const aFile = async (leads: readonly LeadKey[], said: Partial<Upload> = {}) => {
    const upload = await stored(
      anUpload({
        ...{ orgId: ORG, funnelId: leads[0]?.funnelId ?? '', state: 'kept', createdAtMs: NOON },
        ...{ dueAtMs: NOON + 3_600_000, leads: leads.map(nameOf), ...said },
      }),
    );
    objects.set(upload.storagePath, Buffer.from('bytes'));
    incoming.set(upload.storagePath, Buffer.from('sent'));
    return upload;
  };
  const isWhole = ({ storagePath }: Upload) => objects.has(storagePath);
  const swept = () => sweepUploads({ ...ports, refers: leadReferences(clock) });
  const erased = (key: LeadKey, given: Parameters<typeof eraseLead>[2] = {}) =>
    eraseLead(erasing, { orgId: ORG, ...key }, given);
  return { ...sweep, erasing, aFile, isWhole, swept, erased };
}

/** A lead of now, with these files. */
async function having(...files: string[]): Promise<LeadKey> {
  return aLead(saying({ name: 'Ada', ...Object.fromEntries(files.map((uuid, at) => [`file${at}`, uuid])) }));
}

const isBuried = async (key: LeadKey) =>
  expect(Object.keys(await itemOf(key)).sort()).toEqual(['expiresAt', 'pk', 'sk']);

describe('an erased lead', () => {
  test('goes with its files; for a day its id is remembered, and nothing else', async () => {
    const { aFile, erased, objects, incoming, clock } = setUp();
    const key = await aLead();
    const file = await aFile([key]);
    await dynamoLeads().save(key, saying({ deep: { files: [file.uuid.toUpperCase()] } }));
    expect(await erased(key)).toEqual({ outcome: 'erased', filesRemoved: 1, filesShared: 0 });
    expect(await recordIn(file)).toBeUndefined();
    expect([objects.size, incoming.size]).toEqual([0, 0]);
    await isBuried(key);
    expect((await itemOf(key)).expiresAt).toBe(clock.now() / 1_000 + 86_400);
    expect(await erased(key)).toEqual({ outcome: 'gone', filesRemoved: 0, filesShared: 0 });
  });

  test('404: is unknown to whoever has its handle, and a repeated first submit does not bring it back', async () => {
    const { erased } = setUp();
    const key = await aLead();
    await erased(key);
    expect(await dynamoLeads().save(key, saying({ name: 'Ada' }))).toBe('unknown_lead');
    expect(await dynamoLeads().create(key, saying({ name: 'Ada' }))).toEqual({ outcome: 'erased' });
    const proof = { ...key, tokenHash: hashToken('token'), atMs: NOON };
    expect(await dynamoLeadVerifications().find(proof, ['name'])).toEqual({ outcome: 'unknown_lead' });
    expect(await dynamoLeadVerifications().replace(proof, undefined, '{}')).toBe(false);
    await isBuried(key);
    const later = saying({ name: 'Eve' }, { atMs: NOON + 2 * DAY_MS });
    expect(await dynamoLeads().create(key, later)).toEqual({ outcome: 'created' });
  });

  test('is erased as it is by then, when somebody submits meanwhile', async () => {
    const { aFile, erasing, erased } = setUp();
    const key = await aLead();
    const file = await aFile([key]);
    const { read } = erasing.leads;
    let first = true;
    erasing.leads.read = async (asked) => {
      const found = await read(asked);
      if (first) await dynamoLeads().save(key, saying({ file: file.uuid }));
      first = false;
      return found;
    };
    expect(await erased(key)).toMatchObject({ outcome: 'erased', filesRemoved: 1 });
    expect(await recordIn(file)).toBeUndefined();
  });

  test('stays as it is when it is not due, also when it is so only by a submit that came between', async () => {
    const { aFile, erasing, erased, isWhole } = setUp();
    const key = await aLead();
    const file = await aFile([key]);
    const isDue = ({ submittedAt }: { submittedAt: string }) => submittedAt <= new Date(NOON).toISOString();
    const { seal } = erasing.leads;
    erasing.leads.seal = async (...given) => {
      await dynamoLeads().save(key, saying({ file: file.uuid }, { atMs: NOON + 1 }));
      return seal(...given);
    };
    expect(await erased(key, { isDue })).toEqual({ outcome: 'not due', filesRemoved: 0, filesShared: 0 });
    expect(isWhole(file)).toBe(true);
    expect(await dynamoLeads().save(key, saying({ more: 1 }))).toBe('saved');
  });

  test('whoever dies at any effect is followed by the same call', async () => {
    for (const when of ['before', 'behind'] as const) {
      for (let dieAt = 0, died = true; died; dieAt++) {
        const { aFile, erasing, objects, incoming } = setUp();
        const other = await having();
        const key = await aLead();
        const own = [await aFile([key]), await aFile([key])];
        const shared = await aFile([key, other]);
        await dynamoLeads().save(key, saying({ a: own[0]?.uuid, b: own[1]?.uuid, c: shared.uuid }));
        const { mortal, calls } = aMortal(dieAt, when);
        const ports = {
          ...erasing,
          leads: mortal(erasing.leads, ['seal', 'bury']),
          uploads: mortal(erasing.uploads, ['letGo', 'beginRemoval', 'remove']),
          files: mortal(erasing.files, ['remove', 'removeSent']),
        };
        const lead = { orgId: ORG, ...key };
        await eraseLead(ports, lead).catch(() => undefined);
        died = calls() > dieAt;
        await eraseLead(erasing, lead);
        await isBuried(key);
        for (const file of own) expect([when, dieAt, await recordIn(file)]).toEqual([when, dieAt, undefined]);
        expect([...objects.keys()]).toEqual([shared.storagePath]);
        expect([...incoming.keys()]).toEqual([shared.storagePath]);
        expect((await recordIn(shared))?.leads).toEqual([nameOf(other)]);
      }
    }
  }, 60_000);
});

describe('a file of an erased lead', () => {
  test('that another lead has too stays, and goes as soon as that one has it no more', async () => {
    const { aFile, erased, isWhole, swept, clock } = setUp();
    const other = await having();
    const key = await aLead();
    const file = await aFile([key, other]);
    await dynamoLeads().save(key, saying({ file: file.uuid }));
    await dynamoLeads().save(other, saying({ file: file.uuid }));
    expect(await erased(key)).toMatchObject({ filesRemoved: 0, filesShared: 1 });
    clock.ms += 16 * 60_000;
    await swept();
    expect([isWhole(file), (await recordIn(file))?.leads]).toEqual([true, [nameOf(other)]]);
    await dynamoLeads().save(other, saying({ file: null }));
    clock.ms += 8 * DAY_MS;
    await swept();
    expect([isWhole(file), await recordIn(file)]).toEqual([false, undefined]);
  });

  test('that another submit is just at is left to it; when none comes of it, it goes within 20 minutes', async () => {
    const { aFile, erased, isWhole, swept, clock } = setUp();
    const other = await having();
    const key = await aLead();
    const file = await aFile([key]);
    await dynamoLeads().save(key, saying({ file: file.uuid }));
    const { orgId, uuid } = file;
    expect(
      await dynamoKeptUploads().keep(
        { orgId, uuid, ...other, funnelId: key.funnelId, blockId: undefined },
        'stored',
        clock.now(),
      ),
    ).toBe(true);
    expect(await erased(key)).toMatchObject({ filesShared: 1 });
    expect(isWhole(file)).toBe(true);
    clock.ms += 16 * 60_000;
    await swept();
    expect([isWhole(file), await recordIn(file)]).toEqual([false, undefined]);
  });

  test('that is kept for another lead between the look and the removal stays', async () => {
    const { aFile, erasing, erased, isWhole, clock } = setUp();
    const other = await having();
    const key = await aLead();
    const file = await aFile([key]);
    await dynamoLeads().save(key, saying({ file: file.uuid }));
    const { beginRemoval } = erasing.uploads;
    erasing.uploads.beginRemoval = async (...given) => {
      const { orgId, uuid } = file;
      await dynamoKeptUploads().keep(
        { orgId, uuid, ...other, funnelId: key.funnelId, blockId: undefined },
        'stored',
        clock.now(),
      );
      return beginRemoval(...given);
    };
    expect(await erased(key)).toMatchObject({ filesRemoved: 0, filesShared: 1 });
    expect(isWhole(file)).toBe(true);
  });

  test('that the sweeper is looking at does not come back by that', async () => {
    const { aFile, erased, ports, objects, isWhole, swept, clock } = setUp();
    const key = await aLead();
    const file = await aFile([key], { inspected: false, dueAtMs: NOON });
    await dynamoLeads().save(key, saying({ file: file.uuid }));
    const { get } = ports.files;
    ports.files.get = async (path) => {
      const found = await get(path);
      await erased(key);
      expect(isWhole(file)).toBe(false);
      objects.set(path, Buffer.from('put back'));
      return found;
    };
    await swept();
    expect((await recordIn(file))?.name).toBe('');
    clock.ms += 16 * 60_000;
    await swept();
    expect([isWhole(file), await recordIn(file)]).toEqual([false, undefined]);
  });

  test('of somebody else is never taken, whatever a lead says', async () => {
    const { aFile, erased, isWhole } = setUp();
    const other = await having();
    const others = await aFile([other]);
    const ofAnotherFunnel = await aFile([], { funnelId: other.funnelId, state: 'stored' });
    const key = await having(others.uuid, ofAnotherFunnel.uuid);
    expect(await erased(key)).toEqual({ outcome: 'erased', filesRemoved: 0, filesShared: 0 });
    expect([isWhole(others), isWhole(ofAnotherFunnel)]).toEqual([true, true]);
  });

  test('that was uploaded in the last hour leaves a record without its name until nothing can be sent any more', async () => {
    const { aFile, erased, incoming, isWhole, swept, clock } = setUp();
    const key = await aLead();
    const file = await aFile([key], { createdAtMs: clock.now() });
    await dynamoLeads().save(key, saying({ file: file.uuid }));
    expect(await erased(key)).toMatchObject({ filesRemoved: 1 });
    expect(isWhole(file)).toBe(false);
    expect(await recordIn(file)).toMatchObject({ state: 'removing', name: '' });
    incoming.set(file.storagePath, Buffer.from('sent again'));
    clock.ms += 62 * 60_000;
    await swept();
    expect([incoming.size, await recordIn(file)]).toEqual([0, undefined]);
  });
});
