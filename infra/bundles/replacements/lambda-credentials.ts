type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/**
 * Replaces the SDK's chain of credential sources (profiles, single sign-on, instance metadata …) in bundles. The chain
 * has 110 KB and takes a fifth of a cold start. A Lambda function has its credentials in its environment for its whole
 * life; the local runtime sets them there too.
 */
export const defaultProvider = () => async (): Promise<Credentials> => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = process.env;
  if (!accessKeyId || !secretAccessKey) {
    throw new Error(
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: a bundle takes credentials from there only.',
    );
  }
  return { accessKeyId, secretAccessKey, ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }) };
};
