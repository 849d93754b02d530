import { S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  aFunnelOf,
  anOrganization,
  aPersonAndOthers,
  aStoredFile,
  EMAIL,
  namedIn,
  type PersonWorld,
  PHONE,
  storeLead,
  tombstonesOf,
} from '../../../support/a-person.ts';
import { useAnalyticsPipeline } from '../../../support/analytics/use-analytics-pipeline.ts';
import { admin } from '../../../support/cli/admin.ts';
import { findStoredTexts, readStoredData } from '../../../support/stored-personal-data.ts';

const { root, tell, minor } = useAnalyticsPipeline();
beforeAll(() => void Object.assign(process.env, { UPLOADS_BUCKET: 'analytics' }));

const visit = (funnel: string, session: string, leadId?: string) => ({
  funnel_id: funnel,
  session_id: session,
  kind: 'view',
  ...(leadId !== undefined && { payload: JSON.stringify({ lead_id: leadId }) }),
});

async function aVisitedWorld(): Promise<PersonWorld> {
  const world = await aPersonAndOthers();
  const { shop, old, ada, before, bob } = world;
  await tell(visit(shop, 'session-of-ada'), visit(shop, 'session-of-bob', bob.leadId));
  await minor();
  await tell(visit(shop, 'session-of-ada', ada.leadId), visit(old, 'old-session-of-ada', before.leadId));
  return world;
}

/** Texts that are stored only in data of the person. */
const secretsOf = ({ ada, before, files }: PersonWorld) => [
  ...['Ada Geheim', 'Ada.Secret@', EMAIL.toUpperCase(), 'hash-of-ada', 'session-of-ada'],
  ...['own file of Ada', 'earlier file of Ada', files.own.uuid, files.replaced.uuid],
  ...[ada.leadId, before.leadId],
];

describe('privacy erase', () => {
  test('0: erases all data of a person from every store, leaves only tombstones, and erases no data of other people', async () => {
    const world = await aVisitedWorld();
    const secrets = secretsOf(world);
    const names = (text: string) => secrets.some((secret) => text.includes(secret));
    const before = await readStoredData(root);
    const dry = await admin(['privacy', 'erase', world.org, '--email', EMAIL, '--dry-run', '--json']);
    expect(await readStoredData(root)).toEqual(before);
    const done = await admin(['privacy', 'erase', world.org, '--email', EMAIL, '--yes', '--json']);
    expect(done.code).toBe(0);
    const { funnels, endsByItself, ...total } = JSON.parse(done.out);
    expect(total).toEqual({
      dryRun: false,
      leadsSearched: 6,
      leads: 2,
      files: 2,
      sharedFiles: 1,
      sessions: 2,
      events: 3,
      facts: 3,
    });
    expect({ ...JSON.parse(dry.out), dryRun: false, funnels, endsByItself }).toEqual(JSON.parse(done.out));
    const after = await readStoredData(root);
    const named = [...after].filter(([, text]) => names(text)).map(([where]) => where);
    expect(named.sort()).toEqual(tombstonesOf(world));
    for (const where of tombstonesOf(world)) expect(after.get(where)).not.toMatch(/Geheim|secret|hash|session/i);
    for (const [where, text] of before) {
      if (!names(text) && !/manifest|fresh|facts/.test(where)) expect([where, after.get(where)]).toEqual([where, text]);
    }
    expect(after.get(`uploads org#${world.org} upload#${world.files.shared.uuid}`)).toContain(world.bob.leadId);
    for (const others of ['bytes of file of both', 'session-of-bob', 'Bob'])
      expect([others, await findStoredTexts(root, others)]).toEqual([
        others,
        expect.arrayContaining([expect.anything()]),
      ]);
    const again = await admin(['privacy', 'erase', world.org, '--email', EMAIL, '--yes']);
    expect(again).toMatchObject({ code: 0, out: '', err: expect.stringContaining('Nothing was found') });
  }, 60_000);

  test('0: erases sessions whose page URL contains the e-mail address of the person', async () => {
    const org = await anOrganization();
    const [shop, other] = [await aFunnelOf(org), await aFunnelOf(org)];
    const at = (pageUrl: string) => ({ page_url: `https://shop.example/?${pageUrl}` });
    await tell(
      { ...visit(shop, 'plain-trace'), ...at(`m=${EMAIL}`) },
      {
        ...visit(other, 'encoded-trace'),
        ...at(`back=${encodeURIComponent(`/?m=${encodeURIComponent(EMAIL.toUpperCase())}`)}`),
      },
      { ...visit(shop, 'longer-address'), ...at(`m=x.${EMAIL}`) },
    );
    const erase = (...args: string[]) => admin(['privacy', 'erase', org, '--email', EMAIL, '--json', ...args]);
    expect(JSON.parse((await erase('--dry-run')).out)).toMatchObject({ leads: 0, sessions: 2, events: 2 });
    expect(await erase()).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    expect(JSON.parse((await erase('--yes')).out)).toMatchObject({ leads: 0, sessions: 2, events: 2 });
    expect(await findStoredTexts(root, 'plain-trace', 'encoded-trace')).toEqual([]);
    expect(await findStoredTexts(root, 'longer-address')).toEqual(['events']);
    expect(await erase()).toMatchObject({ code: 0, err: expect.stringContaining('Nothing was found') });
  }, 60_000);

  test('0: finds leads by a phone number in any notation or by lead ids; with --funnel, finds only leads of that funnel', async () => {
    const org = await anOrganization();
    const [shop, other] = [await aFunnelOf(org), await aFunnelOf(org)];
    const [one, two] = [await storeLead(shop, { call: '030 / 90 18 20' }), await storeLead(other, { phone: PHONE })];
    const found = async (...args: string[]) => {
      const result = await admin(['privacy', 'erase', org, ...args, '--dry-run', '--json']);
      return [result.code, JSON.parse(result.out).leads];
    };
    expect(await found('--phone', '+49 (30) 901820')).toEqual([0, 2]);
    expect(await found('--phone', '0049 30 901820')).toEqual([0, 2]);
    expect(await found('--phone', PHONE, '--funnel', other)).toEqual([0, 1]);
    expect(await found('--lead', `${one.funnelId}/${one.leadId}`)).toEqual([0, 1]);
    expect(await found('--lead', `${one.funnelId}/${two.leadId}`)).toEqual([0, 0]);
    const { code, out, err } = await admin(['privacy', 'erase', org, '--phone', PHONE, '--yes'], { columns: 80 });
    const row = (id: string) => `${id}          1      1      0         0       0\n`;
    const head = 'FUNNEL                                 SEARCHED  LEADS  FILES  SESSIONS  EVENTS\n';
    expect([code, out]).toEqual([0, `${head}${[shop, other].toSorted().map(row).join('')}`]);
    expect(err).toContain('Searched 2 leads in 2 funnels.\nErased: 2 leads, 0 files, 0 sessions with 0 events.\n- ');
    expect(err).toMatch(/7 days.*35 days/);
    expect(err).toContain('The local mailbox stores its latest 1,000 messages');
  });

  test('0: deletes the files of the person’s leads, but keeps a file that is also in another person’s lead', async () => {
    const org = await anOrganization();
    const shop = await aFunnelOf(org);
    const mine = [await storeLead(shop, { email: EMAIL }), await storeLead(shop, { email: EMAIL })];
    const others = await storeLead(shop, { email: 'bob@shop.example' });
    const [own, shared] = [await aStoredFile(org, 'own', mine), await aStoredFile(org, 'shared', [...mine, others])];
    const args = ['privacy', 'erase', org, '--email', EMAIL, '--json'];
    for (const how of ['--dry-run', '--yes']) {
      const { code, out } = await admin([...args, how]);
      const counts = expect.objectContaining({ leads: 2, files: 1, sharedFiles: 1 });
      expect([how, code, JSON.parse(out)]).toEqual([how, 0, counts]);
    }
    const where = ({ uuid, storagePath }: typeof own) => [storagePath, `uploads org#${org} upload#${uuid}`];
    const left = await readStoredData(root);
    expect(where(own).filter((one) => left.has(one))).toEqual([]);
    expect(where(shared).filter((one) => left.has(one))).toEqual(where(shared));
  });

  test('1: changes nothing without a confirmation, or for an unknown organization or funnel', async () => {
    const { org, otherOrg, foreign, ada } = await aPersonAndOthers();
    const before = await readStoredData(root);
    const erase = (id: string, ...args: string[]) => admin(['privacy', 'erase', id, ...args]);
    expect(await erase(org, '--email', EMAIL)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('--yes'),
    });
    expect(await erase(foreign, '--email', EMAIL, '--yes')).toMatchObject({
      code: 1,
      err: `There is no organization ${foreign}: see "organizations list".\n`,
    });
    for (const other of ['--funnel', '--lead']) {
      const who = other === '--lead' ? [] : ['--email', EMAIL];
      const of = other === '--lead' ? `${ada.funnelId}/${ada.leadId}` : ada.funnelId;
      expect(await erase(otherOrg, ...who, other, of, '--yes')).toMatchObject({
        code: 1,
        err: `The organization has no funnel ${ada.funnelId}: see "funnels list".\n`,
      });
    }
    expect(await readStoredData(root)).toEqual(before);
  });

  test('2: rejects a command whose options name no person, several persons or an invalid person', async () => {
    const org = '0f2b0c52-58bb-4b54-a6a5-0e1f8f6e2a01';
    for (const [wrong, sentence] of [
      [[], 'give exactly one of --email, --phone and --lead'],
      [['--email', EMAIL, '--phone', PHONE], 'exactly one of'],
      [['--lead', `${org}/${org}`, '--funnel', org], 'remove --funnel'],
      [['--email', 'ada'], 'Give an e-mail address'],
      [['--phone', '030 901820'], 'with + or 00 and country code'],
      [['--lead', org], 'separated by a slash'],
    ] as const) {
      const result = await admin(['privacy', 'erase', org, ...wrong, '--yes']);
      expect([result.code, result.err]).toEqual([2, expect.stringContaining(sentence)]);
    }
  });

  test('1: if data of a funnel cannot be erased, names the funnel; repeating the command erases the data', async () => {
    const world = await aVisitedWorld();
    const remove = S3Client.prototype.send;
    S3Client.prototype.send = function (this: S3Client, ...given: Parameters<typeof remove>) {
      const [command] = given;
      const isOwnFile = 'Key' in command.input && String(command.input.Key).startsWith(world.org);
      if (command.constructor.name === 'DeleteObjectCommand' && isOwnFile)
        return Promise.reject(new Error('The store is down.'));
      return remove.apply(this, given);
    } as typeof remove;
    const first = await admin(['privacy', 'erase', world.org, '--email', EMAIL, '--yes']);
    S3Client.prototype.send = remove;
    expect(first.code).toBe(1);
    expect(first.err).toContain(`Not erased: data in funnel ${world.shop}, including 1 lead (The store is down.)`);
    expect(first.err).toContain('Repeat the command to continue.');
    const second = await admin(['privacy', 'erase', world.org, '--email', EMAIL, '--yes', '--json']);
    expect([second.code, JSON.parse(second.out)]).toEqual([0, expect.objectContaining({ leads: 1, files: 2 })]);
    expect(await namedIn(root, world)).toEqual(tombstonesOf(world));
  }, 60_000);
});
