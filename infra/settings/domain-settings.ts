import type { Settings } from './settings.ts';

/** A custom hostname, of the API or of the page client. */
export type DomainSettings = {
  name: string;
  certificateArn: string;
  /** Region of the certificate: for the API the region of the deployment, for the page client us-east-1. */
  certificateRegion: string;
  /**
   * The Route 53 zone in which the deployment creates the hostname's record. If absent, the operator creates the
   * record.
   */
  zone?: { id: string; name: string };
};

const HOSTNAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const CERTIFICATE = /^arn:[\w-]+:acm:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:certificate\/[\w-]+$/;
const ZONE = /^Z[A-Z0-9]{1,31}$/;

/** CloudFront accepts only certificates of this region. */
const CLOUDFRONT_REGION = 'us-east-1';

/** For each hostname: the names of its settings, and the part of the service that has the hostname. */
const API = { domain: 'apiDomain', certificate: 'apiCertificateArn', of: 'the API' } as const;
const WEB = { domain: 'webDomain', certificate: 'webCertificateArn', of: 'the page client' } as const;

/**
 * Reads `apiDomain`, `apiCertificateArn`, `hostedZoneId` and `hostedZoneName` from CDK context. Returns undefined if
 * `apiDomain` is not set.
 *
 * @throws Error with a message for the operator
 */
export function parseDomainSettings(context: Settings): DomainSettings | undefined {
  if (context('apiDomain') === undefined && context('webDomain') === undefined) {
    if (context('hostedZoneId') !== undefined || context('hostedZoneName') !== undefined)
      throw new Error('hostedZoneId and hostedZoneName need apiDomain or webDomain, the hostname of the record.');
  }
  return parseHostname(context, API, 'the region of the deployment', 'eu-central-1');
}

/**
 * Reads `webDomain`, `webCertificateArn`, `hostedZoneId` and `hostedZoneName` from CDK context. Returns undefined if
 * `webDomain` is not set.
 *
 * @throws Error with a message for the operator
 */
export function parseWebDomainSettings(context: Settings): DomainSettings | undefined {
  const settings = parseHostname(context, WEB, CLOUDFRONT_REGION, CLOUDFRONT_REGION);
  if (settings !== undefined && settings.certificateRegion !== CLOUDFRONT_REGION)
    throw new Error(
      `webCertificateArn: the certificate is in ${settings.certificateRegion}, but CloudFront accepts only certificates ` +
        `in ${CLOUDFRONT_REGION}. Request a certificate for ${settings.name} there.`,
    );
  return settings;
}

function parseHostname(
  context: Settings,
  { domain, certificate, of }: typeof API | typeof WEB,
  where: string,
  exampleRegion: string,
): DomainSettings | undefined {
  const [name, certificateArn] = [context(domain), context(certificate)];
  if (name === undefined) {
    if (certificateArn !== undefined) throw new Error(`${certificate} needs ${domain}, the hostname of ${of}.`);
    return undefined;
  }
  const label = domain === 'apiDomain' ? 'api' : 'cdn';
  const hostname = matching(domain, name, HOSTNAME, `a hostname in lower case such as ${label}.example.com`);
  if (certificateArn === undefined)
    throw new Error(`${domain} needs ${certificate}, the ARN of its ACM certificate in ${where}.`);
  const arn = matching(
    certificate,
    certificateArn,
    CERTIFICATE,
    `an ARN such as arn:aws:acm:${exampleRegion}:111122223333:certificate/…`,
  );
  const zone = zoneOf(domain, hostname, context('hostedZoneId'), context('hostedZoneName'));
  const [, certificateRegion = ''] = CERTIFICATE.exec(arn) ?? [];
  return { name: hostname, certificateArn: arn, certificateRegion, ...(zone && { zone }) };
}

function zoneOf(domain: string, hostname: string, id: unknown, name: unknown): DomainSettings['zone'] {
  if (id === undefined && name === undefined) return undefined;
  if (id === undefined || name === undefined)
    throw new Error('hostedZoneId and hostedZoneName belong together. Set both or neither.');
  const zone = {
    id: matching('hostedZoneId', id, ZONE, 'an id such as Z0EXAMPLE'),
    name: matching('hostedZoneName', name, HOSTNAME, 'the name of a zone such as example.com'),
  };
  if (hostname !== zone.name && !hostname.endsWith(`.${zone.name}`))
    throw new Error(`${domain}: ${hostname} is not in the zone ${zone.name}.`);
  return zone;
}

function matching(name: string, value: unknown, form: RegExp, example: string): string {
  if (typeof value !== 'string' || !form.test(value)) throw new Error(`${name}: must be ${example}.`);
  return value;
}
