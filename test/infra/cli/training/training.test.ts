import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { training } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

test.each(['cases', 'personas', 'calls'])('1: %s list reports an organization that does not exist', async (kind) => {
  const unknown = randomUUID();
  const { code, out, err } = await training(kind, 'list', unknown);
  expect([code, out, err]).toEqual([1, '', `There is no organization ${unknown}: see "organizations list".\n`]);
});

test.each([
  [['cases', 'list', 'abc'], 'Give the organization id, a UUID: see "organizations list".'],
  [['cases', 'archive', randomUUID(), 'abc'], 'Give the case id, a UUID: see "training cases list".'],
  [['calls', 'list', randomUUID(), '--status', 'done'], 'Allowed choices are pending, processing'],
  [['calls', 'list', randomUUID(), '--limit', '0'], 'Give a number from 1 to 1000.'],
  [['calls', 'show', randomUUID()], "missing required argument 'call'"],
  [['personas', 'add', randomUUID(), '--language', 'fr'], 'Allowed choices are de, en.'],
])('2: the arguments %j are rejected with a message', async (args, sentence) => {
  expect(await training(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(sentence) });
});
