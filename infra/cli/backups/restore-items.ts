/** The part of an item that `restoreItems` reads. Adapters extend the type with the stored attributes. */
export type RestoredItem = {
  readonly pk: string;
  readonly sk: string;
  /** The attributes as JSON text, without binary values. */
  readonly text: string;
};

export type RestorePorts<Item extends RestoredItem = RestoredItem> = {
  /** Yields, in pages, the unexpired items of the restored table whose partition keys begin with `prefix`. */
  items(prefix: string): AsyncIterable<readonly Item[]>;
  has(item: Item): Promise<boolean>;
  /** Puts an item into the live table. @returns false if `how` is `new` and the live table has the item */
  put(item: Item, how: 'new' | 'any'): Promise<boolean>;
  /**
   * Ids of the leads that an operator erased. The ids are stored for longer than the backups, so `restoreItems` can
   * recognize each of these leads in a backup. Leads that retention erased are not included.
   */
  erasedLeads(): Promise<ReadonlySet<string>>;
};

export type RestoreRequest = {
  /** Prefix of the items' partition keys. If the prefix is empty, all items are restored. */
  prefix: string;
  /** Whether existing items of the live table are replaced. */
  replace: boolean;
  dryRun: boolean;
};

export type RestoreCounts = {
  /**
   * Written items: items that were missing in the live table and, with `replace`, also existing items. In a dry run,
   * items that would be written.
   */
  restored: number;
  /** Existing items that were left unchanged. */
  kept: number;
  /** Items of leads that an operator erased. They are not restored. */
  erased: number;
};

const AT_ONCE = 25;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Copies items from the restored table to the live table, which stays in use. Items of leads that an operator erased
 * are not copied. Without `replace`, existing items stay unchanged. An interrupted run can be repeated.
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
      for (const outcome of await Promise.all(page.slice(at, at + AT_ONCE).map(restore))) done[outcome]++;
    }
  }
  return done;
}

/** Whether the item contains the id of one of the leads. The items of a lead and of its files contain the lead's id. */
function namesAny({ pk, sk, text }: RestoredItem, leads: ReadonlySet<string>): boolean {
  if (leads.size === 0) return false;
  const ids = `${pk} ${sk} ${text}`.toLowerCase().match(UUID) ?? [];
  return ids.some((id) => leads.has(id));
}
