import { createServer } from 'node:http';
import { listenLocally } from '../common/listen.ts';

/**
 * Starts the stand-in for the AWS Parameters and Secrets Lambda Extension.
 *
 * @param secrets the secret values by secret id
 * @returns the port
 */
export function startSecretsExtension(host: string, secrets: Readonly<Record<string, string>>): Promise<number> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://extension');
    const secretId = url.searchParams.get('secretId') ?? '';
    // The extension requires this header against request forgery. If an attacker makes a program fetch a URL, the
    // program does not send this header.
    const hasToken = request.headers['x-aws-parameters-secrets-token'] !== undefined;
    const isFound = hasToken && url.pathname === '/secretsmanager/get' && Object.hasOwn(secrets, secretId);
    response.writeHead(isFound ? 200 : 400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isFound ? { Name: secretId, SecretString: secrets[secretId] } : {}));
  });
  return listenLocally(server, host);
}
