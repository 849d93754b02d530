/** Reads secrets. Never write them to environment variables or logs. */
export type SecretStore = {
  /**
   * Returns the value of the secret. It can be some minutes old, because it is cached.
   *
   * @throws Error when it can't be read
   */
  read(secretId: string): Promise<string>;
};
