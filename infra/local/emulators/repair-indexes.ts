import { promisify } from 'node:util';
import { create, createIndexKey, getIndexActions, type Store, type StoredTable } from 'dynalite/db/index.js';
import { TABLES } from '../../stacks/data/tables.ts';
import { tableName } from '../runtime/environment.ts';
import { tableDefinition } from '../runtime/resource-creation.ts';

/**
 * Repairs the indexes of all tables in a folder, so that they contain exactly the stored items. dynalite writes an item
 * before the item's index entries. After a kill between these writes, the entries are missing, and no sweeper would
 * find the item.
 *
 * Also adds the indexes that an earlier version of the service did not create. A running dynalite cannot add indexes.
 */
export async function repairIndexes(path: string): Promise<void> {
  const store = create({ path });
  try {
    for (const shape of TABLES) {
      const name = tableName(shape.name);
      const stored = await promisify(store.tableDb.get)(name);
      if (stored === undefined) continue;
      const { AttributeDefinitions, GlobalSecondaryIndexes = [] } = tableDefinition(shape, name);
      const existing = stored.GlobalSecondaryIndexes ?? [];
      const missing = GlobalSecondaryIndexes.filter((index) =>
        existing.every(({ IndexName }) => IndexName !== index.IndexName),
      );
      const indexes = [...existing, ...missing.map((index) => ({ ...index, IndexStatus: 'ACTIVE' }))];
      const table = { ...stored, AttributeDefinitions, GlobalSecondaryIndexes: indexes };
      if (missing.length > 0) await promisify(store.tableDb.put)(name, table);
      if (indexes.length === 0) continue;
      await repairEntries(store, table);
    }
  } finally {
    await store.lifecycleManager.gracefulClose();
  }
}

/** Adds the missing entries of stored items to each index, and removes the entries that belong to no stored item. */
async function repairEntries(store: Store, table: StoredTable): Promise<void> {
  const { TableName, GlobalSecondaryIndexes } = table;
  const entriesOf = (index: string) => store.getIndexDb('Global', TableName, index);
  /** The keys of the entries, by index. The loop over the items removes the keys of entries that belong to an item. */
  const unmatched = new Map<string, Set<string>>();
  for (const { IndexName = '', KeySchema = [] } of GlobalSecondaryIndexes) {
    const keys = new Set<string>();
    for await (const entry of entriesOf(IndexName).createValueStream())
      keys.add(createIndexKey(entry, table, KeySchema));
    unmatched.set(IndexName, keys);
  }
  for await (const item of store.getItemDb(TableName).createValueStream()) {
    for (const { index, key, item: entry } of getIndexActions(GlobalSecondaryIndexes, null, item, table).puts) {
      if (unmatched.get(index)?.delete(key)) continue;
      await promisify(entriesOf(index).put)(key, entry);
    }
  }
  for (const [index, keys] of unmatched) for (const key of keys) await promisify(entriesOf(index).del)(key);
}
