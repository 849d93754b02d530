import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { S3Client } from '@aws-sdk/client-s3';
import { createInterruptibleTerminal } from '../cli/terminal/terminal.ts';
import { UserError } from '../common/user-error.ts';
import { runStage } from './program.ts';

const POLL_MS = 5_000;
/**
 * Longer than 30 seconds, because API Gateway accepts only one deletion of an API every 30 seconds per account (quotas
 * of Amazon API Gateway).
 */
const RETRY_MS = 35_000;

process.exitCode = await runStage(process.argv.slice(2), {
  terminal: createInterruptibleTerminal(process),
  connect: () => {
    // Also reads AWS_DEFAULT_REGION, because the SDK for JavaScript does not read it.
    const region = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
    if (!region) throw new UserError('AWS_REGION is not set. Set AWS_REGION to the region of the preview stages.');
    return {
      cloudFormation: new CloudFormationClient({ region }),
      s3: new S3Client({ region }),
      pollMs: POLL_MS,
      retryMs: RETRY_MS,
    };
  },
});
