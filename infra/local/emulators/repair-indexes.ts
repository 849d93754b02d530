import { promisify } from 'node:util';
import { create, createIndexKey, getIndexActions, type Store, type StoredTable } from 'dynalite/db/index.js';
import { TABLES } from '../../stacks/data/tables.ts';
import { tableName } from '../runtime/environment.ts';
import { createTableCommand } from '../runtime/table-creation.ts';

/**
 * Makes the indexes of the tables in a folder list exactly the stored items. dynalite writes an item and its index entries
 * one after the other, so that a kill can leave an item that no index lists, which no sweeper would find. Also adds the
 * indexes that an earlier version did not create, because dynalite cannot add them while it runs.
 */
export async function repairIndexes(path: string): Promise<void> {
  const store = create({ path });
  try {
    for (const shape of TABLES) {
      const name = tableName(shape.name);
      const stored = await promisify(store.tableDb.get)(name);
      if (stored === undefined) continue;
      const { AttributeDefinitions, GlobalSecondaryIndexes = [] } = createTableCommand(shape, name).input;
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

/** Adds the entries of items that an index does not list, and removes the entries of other keys. */
async function repairEntries(store: Store, table: StoredTable): Promise<void> {
  const { TableName, GlobalSecondaryIndexes } = table;
  const entriesOf = (index: string) => store.getIndexDb('Global', TableName, index);
  /** Keys of entries, without those of stored items. */
  const unknown = new Map<string, Set<string>>();
  for (const { IndexName = '', KeySchema = [] } of GlobalSecondaryIndexes) {
    const keys = new Set<string>();
    for await (const entry of entriesOf(IndexName).createValueStream())
      keys.add(createIndexKey(entry, table, KeySchema));
    unknown.set(IndexName, keys);
  }
  for await (const item of store.getItemDb(TableName).createValueStream()) {
    for (const { index, key, item: entry } of getIndexActions(GlobalSecondaryIndexes, null, item, table).puts) {
      if (unknown.get(index)?.delete(key)) continue;
      await promisify(entriesOf(index).put)(key, entry);
    }
  }
  for (const [index, keys] of unknown) for (const key of keys) await promisify(entriesOf(index).del)(key);
}
