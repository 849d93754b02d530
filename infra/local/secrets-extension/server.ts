import { createServer } from 'node:http';
import { listenLocally } from '../common/listen.ts';

/** The stand-in for the AWS Parameters and Secrets Lambda Extension. @param secrets by secret id */
export function startSecretsExtension(host: string, secrets: Readonly<Record<string, string>>): Promise<number> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://extension');
    const secretId = url.searchParams.get('secretId') ?? '';
    // The header also rules out request forgery: a program that is made to fetch a URL doesn't send it.
    const hasToken = request.headers['x-aws-parameters-secrets-token'] !== undefined;
    const isFound = hasToken && url.pathname === '/secretsmanager/get' && Object.hasOwn(secrets, secretId);
    response.writeHead(isFound ? 200 : 400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isFound ? { Name: secretId, SecretString: secrets[secretId] } : {}));
  });
  return listenLocally(server, host);
}
