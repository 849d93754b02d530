import type { Upload } from './upload.ts';

/** Records of uploads as an erasure changes them. Each `false`: it has changed since it was read, nothing is written. */
export type ErasableUploads = {
  /** As it is right now. */
  find(orgId: string, uuid: string): Promise<Upload | undefined>;
  /** All of an organization that were kept for any of these leads, `<funnel>/<lead>`. */
  listByLeads(orgId: string, leads: ReadonlySet<string>): AsyncIterable<Upload>;
  /** A lead has no part in the file any more; when no other one refers to it, the sweeper removes it without waiting. */
  detachLead(upload: Upload, lead: string): Promise<boolean>;
  /**
   * From then on nobody can refer to the file, and its record tells no name; it still tells the lead, so that whoever
   * died before the object went finds it again.
   *
   * @param dueAtMs when the sweeper removes what is left of it then
   */
  markDeleting(upload: Upload, dueAtMs: number): Promise<boolean>;
  /** Removes the record of an upload in the state `removing`. */
  delete(upload: Upload): Promise<void>;
};
