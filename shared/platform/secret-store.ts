/** Reads secrets. Never write them to environment variables or logs. */
export type SecretStore = {
  /** Returns the value of the secret, which can be cached for some minutes. @throws Error when it can't be read */
  read(secretId: string): Promise<string>;
};
