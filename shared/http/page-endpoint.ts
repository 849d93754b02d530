import { createHash } from 'node:crypto';
import type { ApiGatewayHandler, HandlerRequest } from './handler.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import type { Middleware } from './middleware/middleware.ts';
import { validatePath } from './middleware/request-validation.ts';
import type { Operation, OperationDeclaration } from './operation.ts';

type PageDeclaration = OperationDeclaration & { auth: 'public'; body: 'none'; isPage: true };

/**
 * Endpoint of a public operation whose successful response is a page. A request body is ignored. Errors are JSON, as
 * in all operations. The page has no scripts, and `style` is the content of its only style element. This endpoint has
 * its own file, so that the bundles of other endpoints don't contain it.
 */
export function pageEndpoint<D extends PageDeclaration>(
  operation: Operation<D>,
  style: string,
  handle: (request: HandlerRequest<D>) => Promise<string>,
): ApiGatewayHandler {
  return composeEndpoint(operation, handle, [validatePath(operation)], [sendAsPage(style)]);
}

function sendAsPage(style: string): Middleware {
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
  return {
    after: (request) => {
      const { response } = request;
      if (response === null || response === undefined) return;
      request.response = {
        ...response,
        headers: {
          ...response.headers,
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': policy,
          // The URL contains a token, which other sites and search engines must not get.
          'Referrer-Policy': 'no-referrer',
          'X-Robots-Tag': 'noindex',
        },
        body: JSON.parse(response.body),
      };
    },
  };
}
