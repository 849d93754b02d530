import { LAKE_TABLES } from './lake-tables.ts';
import { LAKE_VIEWS } from './views.ts';

type Column = { name: string; type: string; about: string };

/** Returns the text of `docs/lake-columns.md`, which lists all columns of the views and of the files. */
export function columnsDoc(): string {
  const views = LAKE_VIEWS.map(({ name, about, columns }) => section(`\`${name}\``, about, columns));
  const tables = LAKE_TABLES.map(({ name, columns, partition }) =>
    section(
      `\`${name}\``,
      `${ABOUT[name]}\nThe folder contains \`${partition}\`, for example \`${FOLDERS[name]}\`.`,
      columns,
    ),
  );
  return `${[
    '# Columns of the lake',
    'Generated from the declarations of the files, the views and the Glue tables. A test compares them with this document.',
    '## Views',
    ...views,
    '## Rows in files',
    ...tables,
  ].join('\n\n')}\n`;
}

const ABOUT = {
  facts: 'Facts of sessions. Several files can contain facts of one session; the view `sessions` merges them.',
  raw_events:
    'Events as they arrived. Several files can contain the same event; the view `events` has each event once.',
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
