import { promisify } from 'node:util';
import { create } from 'dynalite/db/index.js';
import { TABLES } from '../../stacks/data/tables.ts';
import { tableName } from '../runtime/environment.ts';
import { createTableCommand } from '../runtime/table-creation.ts';

/**
 * Adds the indexes that an earlier version did not create to the tables in a folder, because dynalite cannot add them
 * while it runs. Stored items do not appear in an added index until they are written again. So only sparse indexes whose
 * keys are set by later writes can be added.
 */
export async function addMissingIndexes(path: string): Promise<void> {
  const { tableDb, lifecycleManager } = create({ path });
  try {
    for (const shape of TABLES) {
      const name = tableName(shape.name);
      const table = await promisify(tableDb.get)(name);
      if (table === undefined) continue;
      const { AttributeDefinitions, GlobalSecondaryIndexes = [] } = createTableCommand(shape, name).input;
      const existing = table.GlobalSecondaryIndexes ?? [];
      const missing = GlobalSecondaryIndexes.filter((index) =>
        existing.every(({ IndexName }) => IndexName !== index.IndexName),
      );
      if (missing.length === 0) continue;
      const indexes = [...existing, ...missing.map((index) => ({ ...index, IndexStatus: 'ACTIVE' }))];
      await promisify(tableDb.put)(name, { ...table, AttributeDefinitions, GlobalSecondaryIndexes: indexes });
    }
  } finally {
    await lifecycleManager.gracefulClose();
  }
}
