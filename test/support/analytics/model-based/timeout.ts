/** A thousand histories take half a minute on an idle core. The timeout detects hanging tests, not a busy machine. */
export const PATIENCE_MS = 1_200_000;
