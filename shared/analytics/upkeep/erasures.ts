/** Which sessions of a funnel are erased: as long as that is known, nothing that comes late brings one back. */
export type Erasures = {
  /** Durable once it resolves; from then on no read counts fresh facts of these sessions. */
  add(funnelId: string, sessionKeys: readonly bigint[]): Promise<void>;
  /** Strongly consistent. */
  keys(funnelId: string): Promise<bigint[]>;
};
