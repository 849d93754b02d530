import { createServer } from 'node:http';
import { OAuth2Server } from 'oauth2-mock-server';
import { listenLocally } from '../common/listen.ts';
import type { LocalSecrets } from '../runtime/secrets.ts';
import { ISSUER } from './issuer.ts';

/** Starts the OIDC stand-in. It publishes the key of the local issuer, and issues tokens to anyone on this machine. */
export async function startOidc(host: string, key: LocalSecrets['issuerKey']): Promise<number> {
  const server = new OAuth2Server();
  await server.issuer.keys.add({ ...key });
  server.issuer.url = ISSUER;
  return listenLocally(createServer(server.service.requestHandler), host);
}
