import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';

/** Creates a client for the same region and profile as the CDK CLI. */
export function createCloudFormationClient(profile: string | undefined): CloudFormationClient {
  // Reads both variables, as the CDK CLI does. The SDK would read only AWS_REGION.
  const region = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
  return new CloudFormationClient({ ...(region && { region }), ...(profile && { profile }) });
}

/** Returns a stack; undefined if the stack does not exist. */
export async function describedStack(cloudFormation: CloudFormationClient, name: string): Promise<Stack | undefined> {
  try {
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks?.[0];
  } catch (error) {
    // Compares the message, because CloudFormation has no specific error code for a stack that does not exist.
    if (error instanceof Error && error.name === 'ValidationError' && error.message.endsWith('does not exist')) {
      return undefined;
    }
    throw error;
  }
}
