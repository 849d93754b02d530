import { expect, test } from 'vitest';
import { columnsDoc } from '../../../infra/lake-views/columns-doc.ts';

test('docs/lake-columns.md matches the declarations ("npx vitest run FILE --update" updates it)', async () => {
  await expect(columnsDoc()).toMatchFileSnapshot('../../../docs/lake-columns.md');
});
