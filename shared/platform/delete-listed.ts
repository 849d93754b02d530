/**
 * Deletes everything that a listing returns. After a listing of several pages, starts a new listing: if entries are
 * deleted between two pages, some S3 implementations (not AWS) end the listing early.
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
    // A listing of one page is complete, because nothing was deleted before it ended.
    if (found === 0 || pageCount === 1) return deleted;
  }
}
