import type { IncomingHttpHeaders } from 'node:http';

export type StandInRequest = {
  method: string;
  /** Path and query. */
  url: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
};

export type StandInResponse = { status: number; headers: Record<string, string>; body: string };
