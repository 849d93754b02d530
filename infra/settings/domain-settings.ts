import type { Settings } from './settings.ts';

/** The custom hostname of the API. */
export type DomainSettings = {
  name: string;
  certificateArn: string;
  /** Region of the certificate. It must be the region of the deployment. */
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

/**
 * Reads `apiDomain`, `apiCertificateArn`, `hostedZoneId` and `hostedZoneName` from CDK context. Returns undefined if no
 * hostname is set.
 *
 * @throws Error with a message for the operator
 */
export function parseDomainSettings(context: Settings): DomainSettings | undefined {
  const [name, certificateArn] = [context('apiDomain'), context('apiCertificateArn')];
  const [zoneId, zoneName] = [context('hostedZoneId'), context('hostedZoneName')];
  if (name === undefined) {
    if (certificateArn !== undefined) throw new Error('apiCertificateArn needs apiDomain, the hostname of the API.');
    if (zoneId !== undefined || zoneName !== undefined)
      throw new Error('hostedZoneId and hostedZoneName need apiDomain, the hostname of the API.');
    return undefined;
  }
  const hostname = matching('apiDomain', name, HOSTNAME, 'a hostname in lower case such as api.example.com');
  if (certificateArn === undefined)
    throw new Error(
      'apiDomain needs apiCertificateArn, the ARN of its ACM certificate in the region of the deployment.',
    );
  const arn = matching(
    'apiCertificateArn',
    certificateArn,
    CERTIFICATE,
    'an ARN such as arn:aws:acm:eu-central-1:111122223333:certificate/…',
  );
  const zone = zoneOf(hostname, zoneId, zoneName);
  const [, certificateRegion = ''] = CERTIFICATE.exec(arn) ?? [];
  return { name: hostname, certificateArn: arn, certificateRegion, ...(zone && { zone }) };
}

function zoneOf(hostname: string, id: unknown, name: unknown): DomainSettings['zone'] {
  if (id === undefined && name === undefined) return undefined;
  if (id === undefined || name === undefined)
    throw new Error('hostedZoneId and hostedZoneName belong together. Set both or neither.');
  const zone = {
    id: matching('hostedZoneId', id, ZONE, 'an id such as Z0EXAMPLE'),
    name: matching('hostedZoneName', name, HOSTNAME, 'the name of a zone such as example.com'),
  };
  if (hostname !== zone.name && !hostname.endsWith(`.${zone.name}`))
    throw new Error(`apiDomain: ${hostname} is not in the zone ${zone.name}.`);
  return zone;
}

function matching(name: string, value: unknown, form: RegExp, example: string): string {
  if (typeof value !== 'string' || !form.test(value)) throw new Error(`${name}: must be ${example}.`);
  return value;
}
