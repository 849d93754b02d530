import { expect, test } from 'vitest';
import { restoreLead } from '../../../../infra/cli/backups/restore-lead.ts';
import { leadItemKey } from '../../../../shared/leads/aws/lead-item.ts';
import { aLeadKey, NOON } from '../../../support/leads/lead-repository.ts';

const { pk, sk } = leadItemKey(aLeadKey());
const key = { pk: { S: pk }, sk: { S: sk } };
const aLead = { ...key, firstSubmittedAt: { S: '2026-02-01T00:00:00.000Z' }, tokenHash: { S: 'hash' } };
const seqOf = (item: Parameters<typeof restoreLead>[0]) => Number(restoreLead(item, NOON).seq?.N);

test('if the lead in the backup has a low seq or no seq, the restored lead gets the current time as its seq', () => {
  expect([seqOf(aLead), seqOf({ ...aLead, seq: { N: '7' } })]).toEqual([NOON, NOON]);
});

test('the seq of a restored lead is higher than in the backup, even if the clock is behind', () => {
  expect(seqOf({ ...aLead, seq: { N: `${NOON + 5}` } })).toBe(NOON + 6);
});

test('a restored tombstone and a restored lead with an unfinished erasure do not enter the outbox', () => {
  const seq = { N: `${NOON}` };
  const tombstone = { ...key, seq: { N: '7' }, erasedAt: { S: '2026-02-01T00:00:00.000Z' } };
  expect(restoreLead(tombstone, NOON)).toEqual({ ...tombstone, seq });
  const { tokenHash: _, ...erasing } = { ...aLead, seq: { N: '7' }, funnelShard: { S: 'sealed' } };
  expect(restoreLead(erasing, NOON)).toEqual({ ...erasing, seq });
});

test('the TTL attribute of a restored lead becomes `retainedUntil`; a restored tombstone keeps its TTL attribute', () => {
  const expiresAt = { N: '1772443800' };
  expect(restoreLead({ ...aLead, expiresAt }, NOON)).toMatchObject({ retainedUntil: expiresAt });
  expect(restoreLead({ ...aLead, expiresAt }, NOON)).not.toHaveProperty('expiresAt');
  expect(restoreLead({ ...key, expiresAt }, NOON)).toMatchObject({ expiresAt });
});
