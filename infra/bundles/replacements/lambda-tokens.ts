const none = () => async (): Promise<never> => {
  throw new Error('A bundle has no bearer tokens: it signs with the credentials in its environment.');
};

/**
 * Stand in bundles for the SDK's sources of bearer tokens, which can be nothing but the single sign-on of a person at a
 * computer, with a client of its own for it: 21 KB in every function that may ask Bedrock.
 */
export { none as fromEnvSigningName, none as nodeProvider };
