import { expect, test } from 'vitest';
import { columnsDoc } from '../../../infra/lake-views/columns-doc.ts';

test('the table of columns says what the declarations say (vitest -u writes it anew)', async () => {
  await expect(columnsDoc()).toMatchFileSnapshot('../../../docs/lake-columns.md');
});
