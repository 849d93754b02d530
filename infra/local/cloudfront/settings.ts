/** Ids of the CloudFront stand-in. In a deployment, these ids are settings. */
export const EDGE_DISTRIBUTION = 'E1LOCALTRIBUTARY';
export const CONNECTION_GROUP = 'cg_local';
/** The target of the CNAME records of hostnames. No server listens there. */
export const ROUTING_ENDPOINT = 'pages.edge.example';

const DEFAULT_STEP_MS = 3_000;

/** Parses `LOCAL_EDGE_STEP_MS`: the milliseconds of a CloudFront deployment, and of issuing a certificate. */
export function parseEdgeStepMs(text: string | undefined): number {
  const milliseconds = Number(text || DEFAULT_STEP_MS);
  return Number.isFinite(milliseconds) && milliseconds >= 0 ? milliseconds : DEFAULT_STEP_MS;
}
