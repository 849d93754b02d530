import type { IncomingHttpHeaders } from 'node:http';

export type Asked = {
  method: string;
  /** Path and query. */
  url: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
};

export type Answer = { status: number; headers: Record<string, string>; body: string };
