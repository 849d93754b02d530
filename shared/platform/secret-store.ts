/** Secrets by id; never in environment variables or logs. */
export type SecretStore = {
  /** The secret's current text. @throws when it can't be read */
  read(secretId: string): Promise<string>;
};
