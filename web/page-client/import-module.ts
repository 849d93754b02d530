const DELAY_MIN_MS = 1_000;
const DELAY_MAX_MS = 60_000;

/**
 * Imports a file of the page client. Retries with a growing delay. The URL of a retry has another query, because
 * browsers cache a failed import.
 *
 * @param path a URL. It must be absolute in the classic script, which has no base URL
 * @param attemptsMax by default, unlimited
 * @throws the error of the last attempt
 */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript does not know the file
export async function importModule(path: string, attemptsMax?: number): Promise<any> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await import(retry ? `${path}?${retry}` : path);
    } catch (error) {
      if (retry + 1 === attemptsMax) throw error;
      const delayMs = Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** retry);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
