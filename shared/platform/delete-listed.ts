/**
 * Removes what a listing finds, and lists again until a pass removes nothing. A page starts after the last entry of the
 * page before, which is removed by then: AWS continues at its position, but other S3 implementations end the listing there.
 *
 * @param pages a new listing with each call; its pages hold only what is to be removed, and may be empty
 * @returns how many entries were removed
 */
export async function deleteListed<T>(
  pages: () => AsyncIterable<readonly T[]>,
  remove: (found: readonly T[]) => Promise<void>,
): Promise<number> {
  let removed = 0;
  for (;;) {
    let pageCount = 0;
    let found = 0;
    for await (const page of pages()) {
      await remove(page);
      pageCount++;
      found += page.length;
    }
    removed += found;
    // A listing of one page had nowhere to continue.
    if (found === 0 || pageCount === 1) return removed;
  }
}
