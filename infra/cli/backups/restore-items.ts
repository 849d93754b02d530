/** An item of a table in DynamoDB's own form: what is put back is exactly what was. */
export type RestoredItem = { readonly pk: string; readonly sk: string /** As JSON. */; readonly text: string };

export type RestorePorts<Item extends RestoredItem = RestoredItem> = {
  /** All items of the restored table of which the key begins so, page by page. */
  items(prefix: string): AsyncIterable<readonly Item[]>;
  /** Whether the live table has an item of this key. */
  has(item: Item): Promise<boolean>;
  /** Puts an item into the live table. @returns false when it must be new and is not */
  put(item: Item, how: 'new' | 'any'): Promise<boolean>;
  /** Ids of leads that were erased, for longer than a table can be restored from. */
  erasedLeads(): Promise<ReadonlySet<string>>;
};

export type RestoreRequest = {
  /** What the keys of the items begin with; empty: all. */
  prefix: string;
  /** Whether items that the live table has are replaced by what they were. */
  replace: boolean;
  dryRun: boolean;
};

export type RestoreCounts = {
  /** Put back, or would be: those that were missing, and with `replace` all. */
  restored: number;
  /** There already, and left as they are. */
  kept: number;
  /** Of leads that were erased since: they stay away. */
  erased: number;
};

const AT_ONCE = 25;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Puts items of a table that was restored from a backup back into the live one, which goes on being used meanwhile:
 * without `replace` nothing that is there is touched. The same again goes on where a run died.
 */
export async function restoreItems<Item extends RestoredItem>(
  ports: RestorePorts<Item>,
  { prefix, replace, dryRun }: RestoreRequest,
): Promise<RestoreCounts> {
  const erased = await ports.erasedLeads();
  const done: RestoreCounts = { restored: 0, kept: 0, erased: 0 };
  const restore = async (item: Item): Promise<keyof RestoreCounts> => {
    if (namesAny(item, erased)) return 'erased';
    if (dryRun) return !replace && (await ports.has(item)) ? 'kept' : 'restored';
    return (await ports.put(item, replace ? 'any' : 'new')) ? 'restored' : 'kept';
  };
  for await (const page of ports.items(prefix)) {
    for (let at = 0; at < page.length; at += AT_ONCE) {
      for (const fate of await Promise.all(page.slice(at, at + AT_ONCE).map(restore))) done[fate]++;
    }
  }
  return done;
}

/** A lead's own record, its files' and whatever else was kept because of it. */
function namesAny({ pk, sk, text }: RestoredItem, leads: ReadonlySet<string>): boolean {
  if (leads.size === 0) return false;
  const ids = `${pk} ${sk} ${text}`.toLowerCase().match(UUID) ?? [];
  return ids.some((id) => leads.has(id));
}
