import { expect, test } from 'vitest';
import { columnsDoc } from '../../../shared/analytics/lake/columns-doc.ts';

test('the table of columns says what the declarations say (vitest -u writes it anew)', async () => {
  await expect(columnsDoc()).toMatchFileSnapshot('../../../shared/analytics/lake/columns.md');
});
