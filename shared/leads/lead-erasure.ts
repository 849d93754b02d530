import type { LeadKey } from './lead.ts';

/** What an erasure needs to know of a stored lead. */
export type ErasableLead = {
  firstSubmittedAt: string;
  /** Its last submit, ISO 8601 UTC. */
  submittedAt: string;
  /** Accepted submits: another count, another lead. */
  submits: number;
  /** Nobody can submit to it any more: its erasure has begun. */
  isErasing: boolean;
  /** All UUIDs that its data holds as strings: those of files among them. */
  uuids: readonly string[];
};

/** Leads as they are taken away, in two writes with the work in between: see `erase-lead.ts` of privacy. */
export type LeadErasureRepository = {
  /** As it is right now, whether it has expired or not; undefined when nothing of it is stored. */
  read(key: LeadKey): Promise<ErasableLead | undefined>;
  /**
   * From then on there is no such lead for anybody, and `walkSealed` finds it for whoever goes on. False when it is another
   * one than was read: nothing is written.
   */
  markErasing(key: LeadKey, read: ErasableLead): Promise<boolean>;
  /**
   * Takes all away of a sealed lead but that its id was in use, which is told for a day to a page that repeats its first
   * submit. False when the lead is not sealed (any more): nothing is written.
   */
  replaceWithTombstone(key: LeadKey): Promise<boolean>;
};
