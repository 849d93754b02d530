import { expect, test } from 'vitest';
import { columnsDoc } from '../../../infra/lake-views/columns-doc.ts';

test('docs/lake-columns.md matches the declarations ("vitest -u" updates the file)', async () => {
  await expect(columnsDoc()).toMatchFileSnapshot('../../../docs/lake-columns.md');
});
