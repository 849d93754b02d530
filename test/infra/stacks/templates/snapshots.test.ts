import { expect, test } from 'vitest';
import { deploymentOf } from './deployments.ts';
import { describeDev, describeProd } from './describe-stack.ts';

/*
 * The snapshots are for review: read each difference before you accept it with `npx vitest run FILE --update`. A
 * changed logical id means that CloudFormation deletes the resource and creates another.
 */

const prod = deploymentOf('prod', 'with Bedrock and the user pool').stacks;
const dev = deploymentOf('dev', 'with Bedrock and the user pool').stacks;

test.each(prod.map((stack, at) => ({ stack, name: stack.name, inDev: dev[at] })))(
  '$name, and the differences between $name and the same stack in dev, match the snapshots',
  async ({ stack, name, inDev }) => {
    await expect(describeProd(stack)).toMatchFileSnapshot(`snapshots/${name}.txt`);
    expect(inDev?.name).toBe(name.replace('prod', 'dev'));
    if (inDev) await expect(describeDev(inDev, stack)).toMatchFileSnapshot(`snapshots/${inDev.name}.txt`);
  },
);
