import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/training/create-case/handler.ts';
import { createCaseOperation } from '../../../../functions/training/create-case/operation.ts';
import { systemIdGenerator } from '../../../../shared/platform/id-generator.ts';
import type { TrainingCase } from '../../../../shared/training/training-case.ts';
import { caller } from '../../../support/http.ts';
import { NAUGHTY_STRINGS } from '../../../support/naughty-strings.ts';
import { anOrganization } from '../../../support/organizations/members.ts';

const PLAIN = { name: 'n', description: 'd', situation: 's', objective: 'o', successCriteria: 'c' };
const LONGEST = { name: 80, description: 200, situation: 1000, objective: 500, successCriteria: 500, label: 200 };

function setUp() {
  const { orgId, authorization, as } = anOrganization();
  const stored: TrainingCase[] = [];
  const cases = { add: async (_: string, trainingCase: TrainingCase) => void stored.push(trainingCase) };
  const send = caller(createCaseOperation, createHandler({ authorization, ids: systemIdGenerator, cases }));
  return { stored, post: (body: unknown) => send({ path: { orgId }, body, headers: as('admin') }) };
}

test.each(Object.entries(LONGEST))(
  '201 or 400: each string for %s is either stored and returned, or rejected and not stored',
  async (field, longest) => {
    let accepted = 0;
    const path = field === 'label' ? 'body.dos[0].label' : `body.${field}`;
    for (const sent of NAUGHTY_STRINGS) {
      const fields = field === 'label' ? {} : { [field]: sent };
      const dos = [{ label: field === 'label' ? sent : 'l' }];
      // A new organization for each string, so that no rate limit applies.
      const { stored, post } = setUp();
      const response = await post({ ...PLAIN, ...fields, dos });
      const text = sent.normalize('NFC').trim();
      const fits = text !== '' && [...text].length <= longest && text.isWellFormed() && !text.includes('\0');
      if (fits) {
        expect(response.status).toBe(201);
        expect(response.body).toMatchObject(field === 'label' ? { dos: [{ label: text }] } : { [field]: text });
        expect(stored).toEqual([response.body]);
        accepted++;
      } else {
        expect(response.status).toBe(400);
        expect(stored).toEqual([]);
        if (!sent.includes('\0')) expect(response.text).toContain(path);
      }
    }
    expect(accepted).toBeGreaterThan(440);
  },
);
