const RETRY_MS = 3_000;

/**
 * Imports a file of the page client, and retries until it succeeds. A retry has another query, because browsers remember
 * a failed import.
 *
 * @param path a URL; in a module, it can be relative
 */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript does not know the file
export const importModule = (path: string, retry = 0): Promise<any> =>
  import(retry ? `${path}?${retry}` : path).catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return importModule(path, retry + 1);
  });
