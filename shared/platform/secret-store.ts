/** Reads secrets. Never write them to environment variables or logs. */
export type SecretStore = {
  /** The current value of the secret. @throws Error when it can't be read */
  read(secretId: string): Promise<string>;
};
