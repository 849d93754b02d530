import { Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../../../infra/nag/acknowledge-findings.ts';
import { type Synthesized, synthesize } from '../../../support/stacks.ts';
import { reviewed } from './reviewed.ts';

// Tests the review itself. `checks.test.ts` applies the review to the deployments.

const REASON = 'This reason has enough words to be accepted, although it explains nothing.';

describe('the review', () => {
  let stacks: Synthesized['stacks'];
  let added: Bucket;
  let of: (path: string) => string[];
  beforeAll(() => {
    const synthesized = synthesize();
    stacks = synthesized.stacks;
    added = new Bucket(stacks.data, 'Added');
    of = (path) => reviewed(synthesized).filter((finding) => finding.includes(path));
  });

  test('reports a finding without an acknowledgement', () => {
    expect(of('/Added/')).toContainEqual(expect.stringMatching(/^AwsSolutions-S1 at /));
    expect(of('/Added/')).toContainEqual(expect.stringMatching(/^AwsSolutions-S10 at /));
  });

  test('rejects an acknowledgement of a finding that does not exist', () => {
    explain(added, { SQS3: REASON });
    expect(of('/Added:')).toEqual([expect.stringMatching(/^Review-Explanation\[AwsSolutions-SQS3\].*Remove it\.$/)]);
  });

  test('rejects a reason that is not a sentence', () => {
    explain(added, { S1: 'not needed' });
    expect(of('/Added:')).toContainEqual(expect.stringMatching(/^Review-Explanation\[AwsSolutions-S1\].*sentence/));
  });

  test('rejects an acknowledgement of a whole stack', () => {
    Validations.of(stacks.lake).acknowledge({ id: 'AwsSolutions-S1', reason: REASON });
    expect(of('dev-lake:')).toEqual([expect.stringContaining('would also hide findings of new resources')]);
  });
});
