const none = () => async (): Promise<never> => {
  throw new Error('A bundle has no bearer tokens: it signs with the credentials in its environment.');
};

/**
 * Replaces the SDK's sources of bearer tokens in bundles. They only support interactive single sign-on, with a client
 * of their own: 21 KB in every function that may call Bedrock.
 */
export { none as fromEnvSigningName, none as nodeProvider };
