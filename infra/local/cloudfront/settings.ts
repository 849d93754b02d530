/** What the embedded edge knows from its start, by the names that a deployment's settings have. */
export const EDGE_DISTRIBUTION = 'E1LOCALTRIBUTARY';
export const CONNECTION_GROUP = 'cg_local';
/** What CNAME records of hostnames name. Nothing answers there. */
export const ROUTING_ENDPOINT = 'pages.edge.example';

const STEP_MS = 3_000;

/** How long a deployment to the edge, and the issue of a certificate, take: `LOCAL_EDGE_STEP_MS`, else 3 seconds. */
export function edgeStepMs(given: string | undefined): number {
  const milliseconds = Number(given || STEP_MS);
  return Number.isFinite(milliseconds) && milliseconds >= 0 ? milliseconds : STEP_MS;
}
