/** A thousand histories take half a minute on an idle core: a time-out tells of what hangs, not of a busy machine. */
export const PATIENCE_MS = 1_200_000;
