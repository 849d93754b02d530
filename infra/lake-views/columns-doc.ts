import { LAKE_TABLES } from './lake-tables.ts';
import { LAKE_VIEWS } from './views.ts';

type Column = { name: string; type: string; about: string };

/** What `columns.md` says: every column of the views, and of the rows below them, for people. */
export function columnsDoc(): string {
  const views = LAKE_VIEWS.map(({ name, about, columns }) => section(`\`${name}\``, about, columns));
  const tables = LAKE_TABLES.map(({ name, columns, partition }) =>
    section(`\`${name}\``, `${BELOW[name]} Folders tell \`${partition}\`, such as \`${FOLDERS[name]}\`.`, columns),
  );
  return `${[
    '# Columns of the lake',
    'Made of the declarations that also make the files, the views and the tables in Glue: a test keeps it equal.',
    '## Views',
    ...views,
    '## Rows in files, below the views',
    ...tables,
  ].join('\n\n')}\n`;
}

const BELOW = {
  facts: 'What is known of sessions. A session may stand in any number of files: `sessions` merges them.',
  raw_events: 'Events as they arrived. One may stand in several files: `events` takes each once.',
};
const FOLDERS = {
  facts: 'facts/funnel_id=<UUID>/<name>.parquet',
  raw_events: 'events/arrival_date=2026-05-31/<name>.parquet',
};

const section = (title: string, about: string, columns: readonly Column[]): string =>
  [
    `### ${title}`,
    about,
    [
      '| Column | Type | |',
      '| --- | --- | --- |',
      ...columns.map((column) => `| \`${column.name}\` | ${column.type} | ${column.about} |`),
    ].join('\n'),
  ].join('\n\n');
