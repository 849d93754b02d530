/**
 * Deletes everything that a listing returns. If the entries of a page are deleted during a listing, AWS still lists the
 * next pages, but other S3 implementations end the listing early. Therefore, after a listing of several pages,
 * everything is listed again.
 *
 * @param list starts a new listing; its pages contain only what is to be deleted, and may be empty
 * @returns the number of deleted entries
 */
export async function deleteListed<T>(
  list: () => AsyncIterable<readonly T[]>,
  deletePage: (entries: readonly T[]) => Promise<void>,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    let pageCount = 0;
    let found = 0;
    for await (const page of list()) {
      await deletePage(page);
      pageCount++;
      found += page.length;
    }
    deleted += found;
    // A listing of one page cannot have ended early, because the store announced no second page.
    if (found === 0 || pageCount === 1) return deleted;
  }
}
