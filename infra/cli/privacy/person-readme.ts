export type ExportedCounts = { leads: number; files: number; missingFiles: number; sessions: number; events: number };

/** Explains the files of an export to the person whose data they contain. */
export const formatReadme = ({ leads, files, missingFiles, sessions, events }: ExportedCounts): string =>
  `What is stored about you
========================

These files contain the data about you that was found in this service when the
files were made. All times are UTC. Files that end in .json are plain text: any
text editor opens them.

leads.json   ${leads} of your entries: what you filled in and sent.
             "data" holds your answers, "steps" which pages of the form you
             sent and when, "consents" what you agreed to or took back and
             to which text, "verified" which of your contact details you
             proved by a code, "page_url" the page on which you sent it,
             "device_class" the kind of your device, "cookie_consent" your
             choice about cookies, "expires_at" when the entry is deleted
             automatically, if that is planned.

files        ${files} files that you uploaded, as they are stored.
             files.json lists the entry that each file belongs to, and the
             name that you gave the file.${
               missingFiles === 0
                 ? ''
                 : `\n             ${missingFiles} more are not stored (any more); their "file" is null.`
             }

events.json  ${events} events of ${sessions} of your visits: pages and steps that you saw,
             when, from where you came, and the kind of your device. Only
             visits in which one of your entries was named, or your address
             or number occurs, are known to be yours. Events of the last 15
             minutes may be missing.

Statistics are counted from these events. The statistics contain no names. Codes
that were sent to you, and anything that could be used to act in your name, are
not included.
`;
